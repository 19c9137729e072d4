package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;

/**
 * Broadcast along the chain root, root+1, … root-1, chunk by chunk: a chunk goes on to the next
 * rank while the following one comes in.
 *
 * <p>n-1 steps for one chunk, n-2+k for k chunks; every rank but the last sends the vector once and
 * every rank but the root receives it once, which is the least possible. No scratch. Open MPI's
 * {@code pipeline}, the chain of fanout 1.
 */
final class ChainBroadcast {
  private ChainBroadcast() {}

  static Schedule plan(Request request) {
    int rank = request.rank();
    int size = request.size();
    int root = request.root();
    Chunks chunks = Chunks.of(request.chunkElements(), request.count());
    ScheduleBuilder steps =
        new ScheduleBuilder(
            Algorithm.CHAIN, rank, size, request.inPlace() ? Aliasing.SAME : Aliasing.NONE);
    boolean isRoot = rank == root;
    int next = (rank + 1) % size;
    for (int k = 0; k < chunks.in(request.count()); k++) {
      long at = chunks.offset(k);
      long count = chunks.count(request.count(), k);
      if (!isRoot) {
        steps.recv((rank + size - 1) % size, OUTPUT, at, count);
      }
      if (next != root) {
        steps.send(next, isRoot ? INPUT : OUTPUT, at, count);
      }
      if (isRoot) {
        steps.copy(INPUT, at, OUTPUT, at, count);
      }
    }
    return steps.build();
  }
}
