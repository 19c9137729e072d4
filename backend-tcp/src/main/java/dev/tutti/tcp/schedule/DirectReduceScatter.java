package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;

/**
 * ReduceScatter, even or uneven, without detours: every rank sends block p to rank p, which folds
 * what it gets, and its own, in rank order.
 *
 * <p>n-1 messages of a block each, none of which waits for another block's: (n-1)/n of the vector
 * sent per rank, the least possible. Scratch: a few chunks of each peer. Thakur, Rabenseifner and
 * Gropp, Optimization of collective communication operations in MPICH, IJHPCA 19(1), 2005,
 * "pairwise exchange".
 */
final class DirectReduceScatter {
  private DirectReduceScatter() {}

  static Schedule plan(Request request) {
    int rank = request.rank();
    Blocks blocks = request.blocks();
    FoldSlots slots = FoldSlots.of(request, blocks.largest());
    Chunks chunks = slots.chunks();
    Aliasing aliasing = request.inPlace() ? Aliasing.at(-blocks.offset(rank)) : Aliasing.NONE;
    ScheduleBuilder steps = new ScheduleBuilder(Algorithm.DIRECT, rank, request.size(), aliasing);
    for (int k = 0; k < chunks.in(blocks.largest()); k++) {
      send(steps, slots, blocks, k);
      long count = chunks.count(blocks.count(rank), k);
      slots.receive(steps, k, count);
      long own = blocks.offset(rank) + chunks.offset(k);
      slots.fold(steps, k, own, OUTPUT, chunks.offset(k), count);
    }
    return steps.build();
  }

  /** Adds the sending of chunk {@code k} of every other rank's block to that rank. */
  static void send(ScheduleBuilder steps, FoldSlots slots, Blocks blocks, int k) {
    Chunks chunks = slots.chunks();
    for (int distance = 1; distance < blocks.size(); distance++) {
      int to = slots.to(distance);
      long count = chunks.count(blocks.count(to), k);
      steps.send(to, INPUT, blocks.offset(to) + chunks.offset(k), count);
    }
  }
}
