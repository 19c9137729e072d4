package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;
import static dev.tutti.tcp.schedule.Schedule.SCRATCH;

/**
 * Reduce up a binomial tree, chunk by chunk: a rank combines its children's chunk with its own, the
 * smallest subtree's first, and sends the result to its parent.
 *
 * <p>The root combines in OUTPUT; the others have none to write, and combine in slots of scratch,
 * used in turn. A slot's next use waits only for the parent, and the root waits for no one, so one
 * slot is enough to get to the end, and more let chunks follow each other closely.
 *
 * <p>⌈lg n⌉ steps; every rank but the root sends the vector once. Scratch: up to {@link #MAX_SLOTS}
 * chunks. Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in
 * MPICH, IJHPCA 19(1), 2005.
 */
final class BinomialTreeReduce {
  /** Enough to combine one chunk while others come in and go out. */
  private static final int MAX_SLOTS = 8;

  private BinomialTreeReduce() {}

  static Schedule plan(Request request) {
    BinomialTree tree = BinomialTree.of(request.rank(), request.root(), request.size());
    long scratch = request.scratchElements();
    Chunks chunks = Chunks.of(request.chunkElements(), request.count()).atMost(scratch / 2);
    int slots = (int) Math.min(MAX_SLOTS, scratch / chunks.length());
    ScheduleBuilder steps =
        new ScheduleBuilder(
            Algorithm.BINOMIAL,
            request.rank(),
            request.size(),
            request.inPlace() ? Aliasing.SAME : Aliasing.NONE);
    for (int k = 0; k < chunks.in(request.count()); k++) {
      long at = chunks.offset(k);
      long count = chunks.count(request.count(), k);
      int destination = tree.isRoot() ? OUTPUT : SCRATCH;
      long to = tree.isRoot() ? at : chunks.offset(k % slots);
      int current = INPUT;
      long currentAt = at;
      for (int i = 0; i < tree.children(); i++) {
        steps.recvReduce(tree.child(i), current, currentAt, destination, to, count);
        current = destination;
        currentAt = to;
      }
      if (!tree.isRoot()) {
        steps.send(tree.parent(), current, currentAt, count);
      } else if (request.average()) {
        steps.divide(OUTPUT, at, count);
      }
    }
    return steps.build();
  }
}
