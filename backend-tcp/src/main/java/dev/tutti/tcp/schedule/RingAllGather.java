package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;

/**
 * AllGather around a ring, even or uneven: in step s a rank sends block rank-s to its right
 * neighbour and receives block rank-1-s from the left, chunk by chunk and in segments, see {@link
 * Ring#SEGMENT}.
 *
 * <p>n-1 steps; (n-1)/n of the result sent per rank, which is the least possible. No scratch. Chan,
 * Heimlich, Purkayastha and van de Geijn, Collective communication: theory, practice, and
 * experience, CCPE 19(13), 2007, "bucket" allgather.
 */
final class RingAllGather {
  private RingAllGather() {}

  static Schedule plan(Request request) {
    int rank = request.rank();
    int size = request.size();
    Blocks blocks = request.blocks();
    Chunks chunks = Chunks.of(request.chunkElements(), blocks.largest());
    Aliasing aliasing = request.inPlace() ? Aliasing.at(blocks.offset(rank)) : Aliasing.NONE;
    ScheduleBuilder steps = new ScheduleBuilder(Algorithm.RING, rank, size, aliasing);
    Ring ring = new Ring(rank, size, blocks, chunks);
    int most = chunks.in(blocks.largest());
    for (int first = 0; first < most; first += Ring.SEGMENT) {
      int end = Math.min(first + Ring.SEGMENT, most);
      for (int s = 0; s < size - 1; s++) {
        int sent = ring.block(-s);
        int received = ring.block(-1 - s);
        for (int k = first; k < end; k++) {
          long at = ring.offset(sent, k);
          long count = ring.count(sent, k);
          if (s == 0) {
            steps.send(ring.right(), INPUT, chunks.offset(k), count);
            // Behind the send: the neighbour waits for that, nobody for this.
            steps.copy(INPUT, chunks.offset(k), OUTPUT, at, count);
          } else {
            steps.send(ring.right(), OUTPUT, at, count);
          }
          steps.recv(ring.left(), OUTPUT, ring.offset(received, k), ring.count(received, k));
        }
      }
    }
    return steps.build();
  }
}
