package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;
import static dev.tutti.tcp.schedule.Schedule.SCRATCH;

import java.util.stream.IntStream;

/**
 * AllToAll by Bruck, for blocks of one length: a block that has to go j ranks on takes a hop of 2^i
 * for every bit i of j, and all the blocks with that hop cross together as one message.
 *
 * <p>The block that came, or has to come, from j ranks before waits at its place in OUTPUT. What
 * has a hop is put together in one half of scratch and arrives in the other half. Where half of
 * scratch does not hold the blocks of a hop, they go in groups, and blocks are cut.
 *
 * <p>⌈lg n⌉ steps, the fewest possible; about lg n / 2 times the vector sent per rank. Scratch: the
 * vector at most. Ranks pass on others' blocks, so every rank must know all counts: even form only.
 * Bruck, Ho, Kipnis, Upfal and Weathersby, Efficient algorithms for all-to-all communications in
 * multiport message-passing systems, IEEE TPDS 8(11), 1997.
 */
final class BruckAllToAll {
  private BruckAllToAll() {}

  static Schedule plan(Request request) {
    int rank = request.rank();
    int size = request.size();
    Blocks blocks = request.blocks();
    long block = blocks.count(rank);
    ScheduleBuilder steps = new ScheduleBuilder(Algorithm.BRUCK, rank, size, Aliasing.NONE);
    // Uncut unless scratch is short.
    Chunks chunks = new Chunks(Math.max(1, block)).atMost(request.scratchElements() / 2);
    int group = (int) Math.min(size / 2, request.scratchElements() / 2 / chunks.length());
    for (int k = 0; k < chunks.in(block); k++) {
      long at = chunks.offset(k);
      long count = chunks.count(block, k);
      for (int hop = 1; hop < size; hop <<= 1) {
        int[] hopping = hopping(hop, size);
        for (int first = 0; first < hopping.length; first += group) {
          int end = Math.min(first + group, hopping.length);
          for (int i = first; i < end; i++) {
            int j = hopping[i];
            boolean isFirstHop = (j & (hop - 1)) == 0;
            int place = isFirstHop ? (rank + j) % size : (rank + size - j) % size;
            steps.copy(
                isFirstHop ? INPUT : OUTPUT,
                blocks.offset(place) + at,
                SCRATCH,
                (i - first) * count,
                count);
          }
          long arrival = group * chunks.length();
          steps.send((rank + hop) % size, SCRATCH, 0, (end - first) * count);
          steps.recv((rank + size - hop) % size, SCRATCH, arrival, (end - first) * count);
          for (int i = first; i < end; i++) {
            int place = (rank + size - hopping[i]) % size;
            steps.copy(
                SCRATCH, arrival + (i - first) * count, OUTPUT, blocks.offset(place) + at, count);
          }
        }
      }
    }
    steps.copy(INPUT, blocks.offset(rank), OUTPUT, blocks.offset(rank), block);
    return steps.build();
  }

  /** Returns the distances below {@code size} that have the bit {@code hop}. */
  private static int[] hopping(int hop, int size) {
    return IntStream.range(1, size).filter(j -> (j & hop) != 0).toArray();
  }
}
