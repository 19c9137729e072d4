package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;
import static dev.tutti.tcp.schedule.Schedule.SCRATCH;

/**
 * Scatter down a binomial tree, for blocks of one length: a rank gets the blocks of its subtree
 * together, in scratch, and sends them on, the largest subtree's first.
 *
 * <p>⌈lg n⌉ steps, one more where a subtree's ranks go on from the last to the first; the root
 * sends (n-1)/n of the vector, which it must in any algorithm, another rank receives up to half of
 * it. Scratch: as much, or two cells, see {@link TreeCells}. A cell in scratch waits only for the
 * children, and a leaf waits for nobody, so the ranks cannot wait for each other in a circle. Ranks
 * pass on others' blocks, so every rank must know all counts: even form only. Chan, Heimlich,
 * Purkayastha and van de Geijn, Collective communication: theory, practice, and experience, CCPE
 * 19(13), 2007, "minimum-spanning tree" scatter.
 */
final class BinomialTreeScatter {
  private BinomialTreeScatter() {}

  static Schedule plan(Request request) {
    TreeCells cells = TreeCells.of(request);
    BinomialTree tree = cells.tree();
    int vertex = tree.vertex();
    Aliasing aliasing =
        request.inPlace() && tree.isRoot()
            ? Aliasing.at(-request.blocks().offset(request.root()))
            : Aliasing.NONE;
    ScheduleBuilder steps =
        new ScheduleBuilder(Algorithm.BINOMIAL, request.rank(), request.size(), aliasing);
    int source = tree.isRoot() ? INPUT : SCRATCH;
    for (int cell = 0; cell < cells.count(); cell++) {
      long at = cells.from(cell, vertex);
      long own = cells.elements(cell, vertex, vertex + 1);
      if (cells.isLeaf()) {
        steps.recv(tree.parent(), OUTPUT, cells.inBlock(at), own);
        continue;
      }
      if (!tree.isRoot()) {
        steps.recv(
            tree.parent(),
            SCRATCH,
            cells.place(cell, at),
            cells.elements(cell, vertex, tree.end(vertex)));
      }
      for (int i = tree.children() - 1; i >= 0; i--) {
        int child = tree.childVertex(i);
        steps.send(
            tree.child(i),
            source,
            cells.place(cell, cells.from(cell, child)),
            cells.elements(cell, child, tree.end(child)));
      }
      steps.copy(source, cells.place(cell, at), OUTPUT, cells.inBlock(at), own);
    }
    return steps.build();
  }
}
