package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;
import static dev.tutti.tcp.schedule.Schedule.SCRATCH;

/**
 * AllGather by Bruck, even or uneven: in round i a rank has the blocks of rank, rank+1, …
 * rank+2^i-1, sends them to rank-2^i and gets as many following ones from rank+2^i, in the last
 * round only what is missing.
 *
 * <p>The blocks lie in scratch in that order, beginning with the rank's own, so that a round is one
 * message; at the end they are turned to their places. Where scratch does not hold the result, they
 * go to their places at once, and what goes on from the last rank's block to the first one's takes
 * two messages.
 *
 * <p>⌈lg n⌉ steps, the fewest possible for any n; (n-1)/n of the result sent per rank, the least
 * possible. Scratch: the result, or none. Bruck, Ho, Kipnis, Upfal and Weathersby, Efficient
 * algorithms for all-to-all communications in multiport message-passing systems, IEEE TPDS 8(11),
 * 1997.
 */
final class BruckAllGather {
  private BruckAllGather() {}

  static Schedule plan(Request request) {
    int rank = request.rank();
    int size = request.size();
    Blocks blocks = request.blocks();
    Aliasing aliasing = request.inPlace() ? Aliasing.at(blocks.offset(rank)) : Aliasing.NONE;
    ScheduleBuilder steps = new ScheduleBuilder(Algorithm.BRUCK, rank, size, aliasing);
    if (blocks.total() <= request.scratchElements()) {
      planTurned(steps, rank, size, blocks);
    } else {
      planInPlaces(steps, rank, size, blocks);
    }
    return steps.build();
  }

  private static void planTurned(ScheduleBuilder steps, int rank, int size, Blocks blocks) {
    long own = blocks.count(rank);
    for (int distance = 1; distance < size; distance <<= 1) {
      int blocksSent = Math.min(distance, size - distance);
      int to = (rank + size - distance) % size;
      int from = (rank + distance) % size;
      if (distance == 1) {
        steps.send(to, INPUT, 0, own);
        // Behind the send: the other rank waits for that, nobody for these.
        steps.copy(INPUT, 0, SCRATCH, 0, own);
        steps.copy(INPUT, 0, OUTPUT, blocks.offset(rank), own);
      } else {
        steps.send(to, SCRATCH, 0, turned(blocks, rank, blocksSent));
      }
      long at = turned(blocks, rank, distance);
      steps.recv(from, SCRATCH, at, turned(blocks, rank, distance + blocksSent) - at);
    }
    long first = blocks.offset(rank);
    long last = blocks.total() - first;
    steps.copy(SCRATCH, own, OUTPUT, first + own, last - own);
    steps.copy(SCRATCH, last, OUTPUT, 0, first);
  }

  /** Returns the elements in the {@code n} blocks that begin with this rank's. */
  private static long turned(Blocks blocks, int rank, int n) {
    int end = rank + n;
    long behind = end < blocks.size() ? 0 : blocks.total();
    return behind + blocks.offset(end % blocks.size()) - blocks.offset(rank);
  }

  private static void planInPlaces(ScheduleBuilder steps, int rank, int size, Blocks blocks) {
    steps.copy(INPUT, 0, OUTPUT, blocks.offset(rank), blocks.count(rank));
    for (int distance = 1; distance < size; distance <<= 1) {
      int blocksSent = Math.min(distance, size - distance);
      int to = (rank + size - distance) % size;
      int from = (rank + distance) % size;
      long at = blocks.offset(rank);
      steps.send(to, OUTPUT, at, blocks.offset(Math.min(rank + blocksSent, size)) - at);
      steps.send(to, OUTPUT, 0, blocks.offset(Math.max(rank + blocksSent - size, 0)));
      at = blocks.offset(from);
      steps.recv(from, OUTPUT, at, blocks.offset(Math.min(from + blocksSent, size)) - at);
      steps.recv(from, OUTPUT, 0, blocks.offset(Math.max(from + blocksSent - size, 0)));
    }
  }
}
