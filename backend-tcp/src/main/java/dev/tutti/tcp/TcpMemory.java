package dev.tutti.tcp;

import dev.tutti.comm.CommConfig;
import dev.tutti.comm.ConfigException;
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
    checkFolds(group, half);
    long slotBytes = Math.min(slot(group.options()), half / LEAST_SLOTS) / SLOT_UNIT * SLOT_UNIT;
    int slots = (int) Math.max(LEAST_SLOTS, Math.min(MOST_SLOTS, half / slotBytes));
    return new TcpMemory(slots, slotBytes, half / SLOT_UNIT * SLOT_UNIT);
  }

  /** Refuses lengths that cannot be. */
  static void check(CommConfig.Options options) {
    long _ = slot(options);
    long _ = chunk(options);
  }

  private static long slot(CommConfig.Options options) {
    return options.bytes("slot", SLOT_UNIT, Long.MAX_VALUE);
  }

  private static long chunk(CommConfig.Options options) {
    return options.bytes("chunk", 1, Long.MAX_VALUE);
  }

  /** A fold in rank order needs an element of every other rank at a time, of 8 bytes at most. */
  private static void checkFolds(BackendProvider.Context group, long half) {
    long least = (group.size() - 1) * (long) Long.BYTES;
    if (group.order() == CommConfig.Order.RANKED && half / SLOT_UNIT * SLOT_UNIT < least) {
      throw new ConfigException(
          "scratch=%d is too little for order=ranked with %d ranks; give it at least %d"
              .formatted(
                  group.scratchBytes(),
                  group.size(),
                  2 * Math.ceilDiv(least, SLOT_UNIT) * SLOT_UNIT));
    }
  }

  /** Returns what bounds the group's schedules. */
  Limits limits(BackendProvider.Context group) {
    return new Limits(chunk(group.options()), scratchBytes, group.options().bytes("small"));
  }
}
