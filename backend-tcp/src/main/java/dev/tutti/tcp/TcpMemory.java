package dev.tutti.tcp;

import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.tcp.schedule.Limits;

/**
 * How a group's bound on memory is shared out: half is for schedules, half is slots for heap memory
 * and for reductions.
 *
 * @param slots how many slots
 * @param slotBytes the size of each
 * @param scratchBytes the size of the schedules' scratch
 */
record TcpMemory(int slots, long slotBytes, long scratchBytes) {
  private static final int LEAST_SLOTS = 2;
  private static final int MOST_SLOTS = 256;

  /** The least slot, of which every other is a multiple: whole elements of every type. */
  private static final long SLOT_UNIT = 64;

  static TcpMemory of(BackendProvider.Context group) {
    long half = group.scratchBytes() / 2;
    long wanted = group.options().bytes("slot", SLOT_UNIT, Long.MAX_VALUE);
    long slotBytes = Math.min(wanted, half / LEAST_SLOTS) / SLOT_UNIT * SLOT_UNIT;
    int slots = (int) Math.max(LEAST_SLOTS, Math.min(MOST_SLOTS, half / slotBytes));
    return new TcpMemory(slots, slotBytes, half / SLOT_UNIT * SLOT_UNIT);
  }

  /** Returns what bounds the group's schedules. */
  Limits limits(BackendProvider.Context group) {
    return new Limits(
        group.options().bytes("chunk", 1, Long.MAX_VALUE),
        scratchBytes,
        group.options().bytes("small"));
  }
}
