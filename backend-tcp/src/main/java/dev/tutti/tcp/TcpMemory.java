package dev.tutti.tcp;

import dev.tutti.comm.spi.BackendProvider;

/**
 * How a group's bound on memory is shared out: half is for schedules, half is slots for heap memory and for reductions.
 *
 * @param slots how many slots
 * @param slotBytes the size of each
 * @param scratchBytes the size of the schedules' scratch
 */
record TcpMemory(int slots, long slotBytes, long scratchBytes) {
  private static final int LEAST_SLOTS = 2;
  private static final int MOST_SLOTS = 256;

  static TcpMemory of(BackendProvider.Context group) {
    long half = group.scratchBytes() / 2;
    long slotBytes =
        Math.max(64, Math.min(group.options().bytes("slot"), half / LEAST_SLOTS)) / 64 * 64;
    int slots = (int) Math.max(LEAST_SLOTS, Math.min(MOST_SLOTS, half / slotBytes));
    return new TcpMemory(slots, slotBytes, half / 64 * 64);
  }
}
