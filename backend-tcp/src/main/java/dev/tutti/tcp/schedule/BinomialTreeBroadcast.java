package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;

/**
 * Broadcast down a binomial tree, chunk by chunk: a chunk goes on to the children, the one with the
 * largest subtree first, while the next one comes in.
 *
 * <p>⌈lg n⌉ steps; the root sends the vector ⌈lg n⌉ times, half of the ranks never. No scratch.
 * Chan, Heimlich, Purkayastha and van de Geijn, Collective communication: theory, practice, and
 * experience, CCPE 19(13), 2007, "minimum-spanning tree" broadcast.
 */
final class BinomialTreeBroadcast {
  private BinomialTreeBroadcast() {}

  static Schedule plan(Request request) {
    BinomialTree tree = BinomialTree.of(request.rank(), request.root(), request.size());
    Chunks chunks = Chunks.of(request.chunkElements(), request.count());
    ScheduleBuilder steps =
        new ScheduleBuilder(
            Algorithm.BINOMIAL,
            request.rank(),
            request.size(),
            request.inPlace() ? Aliasing.SAME : Aliasing.NONE);
    for (int k = 0; k < chunks.in(request.count()); k++) {
      long at = chunks.offset(k);
      long count = chunks.count(request.count(), k);
      int source = tree.isRoot() ? INPUT : OUTPUT;
      if (!tree.isRoot()) {
        steps.recv(tree.parent(), OUTPUT, at, count);
      }
      for (int i = tree.children() - 1; i >= 0; i--) {
        steps.send(tree.child(i), source, at, count);
      }
      if (tree.isRoot()) {
        steps.copy(INPUT, at, OUTPUT, at, count);
      }
    }
    return steps.build();
  }
}
