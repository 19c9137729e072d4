package dev.tutti.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The memory that schedules use between their steps: one region for each group, as large as the
 * largest need so far, in powers of two up to a fixed limit. A schedule takes it when it begins,
 * and only one is under way.
 */
final class Scratch {
  private static final long LEAST_BYTES = 64 << 10;
  private static final long ALIGNMENT = 4096;

  private final long limit;
  private Arena arena = open();
  private MemorySegment region = MemorySegment.NULL;

  Scratch(long limit) {
    this.limit = limit;
  }

  @SuppressWarnings("MustBeClosedChecker") // close closes the last one, atLeast those before it
  private static Arena open() {
    return Arena.ofShared();
  }

  /** Returns the region; its contents are arbitrary, and an earlier one is gone. */
  MemorySegment atLeast(long bytes) {
    if (bytes > limit) {
      throw new IllegalStateException(
          "a schedule wants " + bytes + " bytes of scratch, the limit is " + limit);
    }
    if (bytes > region.byteSize()) {
      // What was there is freed first: together they might be more than the limit.
      close();
      arena = open();
      long power = Long.highestOneBit(Math.max(LEAST_BYTES, bytes) * 2 - 1);
      region = arena.allocate(Math.min(limit, power), ALIGNMENT);
    }
    return region;
  }

  long allocatedBytes() {
    return region.byteSize();
  }

  void close() {
    if (arena.scope().isAlive()) {
      region = MemorySegment.NULL;
      arena.close();
    }
  }
}
