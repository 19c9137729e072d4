package dev.tutti.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The memory that schedules use between their steps: one region for each group, of at most a fixed
 * size. Small needs are met by a small region, so that a group that never has a large one does not
 * hold it.
 */
final class Scratch {
  private static final long SMALL_BYTES = 64 << 10;

  private final Arena arena = Arena.ofShared();
  private final long limit;
  private @Nullable MemorySegment small;
  private @Nullable MemorySegment large;

  Scratch(long limit) {
    this.limit = limit;
  }

  /** Returns the region; its contents are arbitrary. */
  MemorySegment atLeast(long bytes) {
    if (bytes > limit) {
      throw new IllegalStateException(
          "a schedule wants " + bytes + " bytes of scratch, the limit is " + limit);
    }
    if (large != null) {
      return large;
    }
    if (bytes <= SMALL_BYTES) {
      if (small == null) {
        small = arena.allocate(Math.min(SMALL_BYTES, limit), 64);
      }
      return small;
    }
    large = arena.allocate(limit, 4096);
    return large;
  }

  long allocatedBytes() {
    return (small == null ? 0 : small.byteSize()) + (large == null ? 0 : large.byteSize());
  }

  void close() {
    if (arena.scope().isAlive()) {
      small = null;
      large = null;
      arena.close();
    }
  }
}
