package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;

/**
 * Broadcast as a scatter down a binomial tree and an allGather around a ring: the root's vector is
 * cut into a block for each rank, a vertex of the tree gets the blocks of its whole subtree, and
 * the ring brings the missing ones.
 *
 * <p>Vertices are numbered from the root, in the tree and around the ring. A block that the right
 * neighbour has from the scatter is not sent again, and so nothing at all to the root. In the
 * scatter a vertex gets the last chunk first: it belongs to the largest subtree below it, which
 * waits for it longest.
 *
 * <p>⌈lg n⌉ + n-1 steps at most; no rank sends more than 2(n-1)/n of the vector, and each receives
 * it once. No scratch. Chan, Heimlich, Purkayastha and van de Geijn, Collective communication:
 * theory, practice, and experience, CCPE 19(13), 2007, "long vector" broadcast; what is there
 * already is left out as by Zhou, Marjanovic, Niethammer and Gracia, A bandwidth-saving
 * optimization for MPI broadcast collective operation, ICPP Workshops, 2015.
 */
final class ScatterAllGatherBroadcast {
  private ScatterAllGatherBroadcast() {}

  static Schedule plan(Request request) {
    BinomialTree tree = BinomialTree.of(request.rank(), request.root(), request.size());
    ScheduleBuilder steps =
        new ScheduleBuilder(
            Algorithm.SCATTER_ALL_GATHER,
            request.rank(),
            request.size(),
            request.inPlace() ? Aliasing.SAME : Aliasing.NONE);
    Blocks blocks = Blocks.split(request.size(), request.count());
    scatter(steps, request, tree, blocks);
    allGather(steps, request, tree, blocks);
    if (tree.isRoot()) {
      // At the end: the others wait for the sends, nobody for this.
      steps.copy(INPUT, 0, OUTPUT, 0, request.count());
    }
    return steps.build();
  }

  private static void scatter(
      ScheduleBuilder steps, Request request, BinomialTree tree, Blocks blocks) {
    Chunks chunks = Chunks.of(request.chunkElements(), request.count());
    if (!tree.isRoot()) {
      long at = blocks.offset(tree.vertex());
      long count = blocks.offset(tree.end(tree.vertex())) - at;
      for (int k = chunks.in(count) - 1; k >= 0; k--) {
        steps.recv(tree.parent(), OUTPUT, at + chunks.offset(k), chunks.count(count, k));
      }
    }
    int source = tree.isRoot() ? INPUT : OUTPUT;
    for (int i = tree.children() - 1; i >= 0; i--) {
      int child = tree.childVertex(i);
      long at = blocks.offset(child);
      long count = blocks.offset(tree.end(child)) - at;
      for (int k = chunks.in(count) - 1; k >= 0; k--) {
        steps.send(tree.child(i), source, at + chunks.offset(k), chunks.count(count, k));
      }
    }
  }

  private static void allGather(
      ScheduleBuilder steps, Request request, BinomialTree tree, Blocks blocks) {
    int size = request.size();
    int vertex = tree.vertex();
    Chunks chunks = Chunks.of(request.chunkElements(), blocks.largest());
    Ring ring = new Ring(vertex, size, blocks, chunks);
    int right = tree.rank(ring.right());
    int left = tree.rank(ring.left());
    int source = tree.isRoot() ? INPUT : OUTPUT;
    int most = chunks.in(blocks.largest());
    for (int first = 0; first < most; first += Ring.SEGMENT) {
      int end = Math.min(first + Ring.SEGMENT, most);
      for (int s = 0; s < size - 1; s++) {
        int sent = ring.block(-s);
        int received = ring.block(-1 - s);
        for (int k = first; k < end; k++) {
          if (!tree.contains(ring.right(), sent)) {
            steps.send(right, source, ring.offset(sent, k), ring.count(sent, k));
          }
          if (!tree.contains(vertex, received)) {
            steps.recv(left, OUTPUT, ring.offset(received, k), ring.count(received, k));
          }
        }
      }
    }
  }
}
