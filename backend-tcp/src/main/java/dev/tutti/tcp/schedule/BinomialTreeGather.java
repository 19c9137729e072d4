package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;
import static dev.tutti.tcp.schedule.Schedule.SCRATCH;

/**
 * Gather up a binomial tree, for blocks of one length: a rank collects the blocks of its subtree in
 * scratch and sends them on together.
 *
 * <p>⌈lg n⌉ steps, one more where a subtree's ranks go on from the last to the first; the root
 * receives (n-1)/n of the result, which it must in any algorithm, another rank sends up to half of
 * it. Scratch: as much, or two cells, see {@link TreeCells}. A cell in scratch waits only for the
 * parent, and the root waits for nobody, so the ranks cannot wait for each other in a circle. Ranks
 * pass on others' blocks, so every rank must know all counts: even form only. Thakur, Rabenseifner
 * and Gropp, Optimization of collective communication operations in MPICH, IJHPCA 19(1), 2005.
 */
final class BinomialTreeGather {
  private BinomialTreeGather() {}

  static Schedule plan(Request request) {
    TreeCells cells = TreeCells.of(request);
    BinomialTree tree = cells.tree();
    int vertex = tree.vertex();
    Aliasing aliasing =
        request.inPlace() && tree.isRoot()
            ? Aliasing.at(request.blocks().offset(request.root()))
            : Aliasing.NONE;
    ScheduleBuilder steps =
        new ScheduleBuilder(Algorithm.BINOMIAL, request.rank(), request.size(), aliasing);
    for (int cell = 0; cell < cells.count(); cell++) {
      for (int i = 0; i < tree.children(); i++) {
        int child = tree.childVertex(i);
        steps.recv(
            tree.child(i),
            tree.isRoot() ? OUTPUT : SCRATCH,
            cells.place(cell, cells.from(cell, child)),
            cells.elements(cell, child, tree.end(child)));
      }
      long at = cells.from(cell, vertex);
      long own = cells.elements(cell, vertex, vertex + 1);
      if (cells.isLeaf()) {
        steps.send(tree.parent(), INPUT, cells.inBlock(at), own);
        continue;
      }
      steps.copy(
          INPUT, cells.inBlock(at), tree.isRoot() ? OUTPUT : SCRATCH, cells.place(cell, at), own);
      if (!tree.isRoot()) {
        steps.send(
            tree.parent(),
            SCRATCH,
            cells.place(cell, at),
            cells.elements(cell, vertex, tree.end(vertex)));
      }
    }
    return steps.build();
  }
}
