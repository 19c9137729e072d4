package dev.tutti.comm.spi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * A fixed number of native memory slots, taken and given back, never more. A layer's or a backend's
 * only scratch: what is larger goes through it chunk by chunk. Slots are allocated when first
 * needed.
 *
 * <p><b>Threading.</b> Used under the group's lock only.
 */
public final class SlotPool implements AutoCloseable {
  private static final long ALIGNMENT = 4096;

  /**
   * How much a pool holds and how well it suffices.
   *
   * @param slots the fixed number of slots
   * @param slotBytes the size of each in bytes
   * @param allocatedBytes what has been allocated so far, at most {@code slots * slotBytes}
   * @param inUse slots taken now
   * @param waits how often a slot was wanted and none was free
   */
  public record Usage(int slots, long slotBytes, long allocatedBytes, int inUse, long waits) {
    /**
     * Returns the sum of two pools; the slot size is the larger one.
     *
     * @param other another pool's usage
     */
    public Usage plus(Usage other) {
      return new Usage(
          slots + other.slots,
          Math.max(slotBytes, other.slotBytes),
          allocatedBytes + other.allocatedBytes,
          inUse + other.inUse,
          waits + other.waits);
    }
  }

  private final Arena arena = Arena.ofShared();
  private final ArrayDeque<MemorySegment> free = new ArrayDeque<>();
  private final int slots;
  private final long slotBytes;
  private int allocated;
  private int inUse;
  private long waits;

  /**
   * Creates a pool; allocates nothing yet.
   *
   * @param slots how many slots
   * @param slotBytes the size of each in bytes
   * @throws IllegalArgumentException if one is not positive
   */
  public SlotPool(int slots, long slotBytes) {
    if (slots <= 0 || slotBytes <= 0) {
      throw new IllegalArgumentException("no pool: " + slots + " slots of " + slotBytes + " bytes");
    }
    this.slots = slots;
    this.slotBytes = slotBytes;
  }

  /**
   * Returns a slot, or null if all are in use: that wait is counted. The slot's contents are
   * arbitrary.
   */
  public @Nullable MemorySegment tryAcquire() {
    MemorySegment slot = free.poll();
    if (slot == null) {
      if (allocated == slots) {
        waits++;
        return null;
      }
      slot = arena.allocate(slotBytes, ALIGNMENT);
      allocated++;
    }
    inUse++;
    return slot;
  }

  /**
   * Gives a slot back; without effect once the pool is closed.
   *
   * @param slot one that {@link #tryAcquire} returned and that was not given back since
   */
  public void release(MemorySegment slot) {
    if (arena.scope().isAlive()) {
      inUse--;
      free.push(slot);
    }
  }

  /** Returns the size of a slot in bytes. */
  public long slotBytes() {
    return slotBytes;
  }

  /** Returns how much the pool holds now. */
  public Usage usage() {
    return new Usage(slots, slotBytes, allocated * slotBytes, inUse, waits);
  }

  /** Frees all slots; none can be had any more. Idempotent. */
  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      free.clear();
      allocated = 0;
      inUse = 0;
      arena.close();
    }
  }
}
