package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;

/**
 * AllReduce around a ring: a reduce-scatter, then an all-gather, of as many blocks as ranks.
 *
 * <p>In step s of the first half a rank sends block rank-1-s to its right neighbour and combines
 * block rank-2-s, coming from the left, with its own; after size-1 steps it owns block rank,
 * divides it if the operation is AVG, and the second half hands the finished blocks around. Each
 * block is combined by one rank after the other along one path and only then copied, so all ranks
 * hold the same bits.
 *
 * <p>Blocks travel in segments, see {@link Ring#SEGMENT}, and a chunk goes on as soon as it was
 * combined: all links are busy but for the first and last chunks, and what is sent is still in the
 * cache.
 *
 * <p>2(n-1) steps; 2(n-1)/n of the vector sent per rank, which is the least possible. No scratch.
 * Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, JPDC
 * 69(2), 2009.
 */
final class RingAllReduce {
  private RingAllReduce() {}

  static Schedule plan(Request request) {
    int rank = request.rank();
    int size = request.size();
    Blocks blocks = Blocks.split(size, request.count());
    Chunks chunks = Chunks.of(request.chunkElements(), blocks.largest());
    ScheduleBuilder steps =
        new ScheduleBuilder(
            Algorithm.RING, rank, size, request.inPlace() ? Aliasing.SAME : Aliasing.NONE);
    Ring ring = new Ring(rank, size, blocks, chunks);
    int most = chunks.in(blocks.largest());

    for (int first = 0; first < most; first += Ring.SEGMENT) {
      int end = Math.min(first + Ring.SEGMENT, most);
      for (int s = 0; s < size - 1; s++) {
        boolean isLast = s == size - 2;
        // Only the first block sent is this rank's contribution alone.
        int source = s == 0 ? INPUT : OUTPUT;
        int sent = ring.block(-1 - s);
        int combined = ring.block(-2 - s);
        for (int k = first; k < end; k++) {
          steps.send(ring.right(), source, ring.offset(sent, k), ring.count(sent, k));
          long at = ring.offset(combined, k);
          long count = ring.count(combined, k);
          steps.recvReduce(ring.left(), INPUT, at, OUTPUT, at, count);
          if (isLast && request.average()) {
            steps.divide(OUTPUT, at, count);
          }
        }
      }
      for (int s = 0; s < size - 1; s++) {
        int sent = ring.block(-s);
        int received = ring.block(-1 - s);
        for (int k = first; k < end; k++) {
          steps.send(ring.right(), OUTPUT, ring.offset(sent, k), ring.count(sent, k));
          steps.recv(ring.left(), OUTPUT, ring.offset(received, k), ring.count(received, k));
        }
      }
    }
    return steps.build();
  }
}
