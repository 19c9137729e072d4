package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;

/**
 * Scatter, even or uneven: the root sends every rank its block, all at once.
 *
 * <p>One step; the root sends (n-1)/n of its vector, which it must in any algorithm. No scratch.
 * Blocks are not cut: nobody passes them on.
 */
final class LinearScatter {
  private LinearScatter() {}

  static Schedule plan(Request request) {
    int rank = request.rank();
    int size = request.size();
    int root = request.root();
    Blocks blocks = request.blocks();
    Aliasing aliasing =
        request.inPlace() && rank == root ? Aliasing.at(-blocks.offset(root)) : Aliasing.NONE;
    ScheduleBuilder steps = new ScheduleBuilder(Algorithm.LINEAR, rank, size, aliasing);
    if (rank != root) {
      steps.recv(root, OUTPUT, 0, blocks.count(rank));
      return steps.build();
    }
    for (int distance = 1; distance < size; distance++) {
      int peer = (root + distance) % size;
      steps.send(peer, INPUT, blocks.offset(peer), blocks.count(peer));
    }
    steps.copy(INPUT, blocks.offset(root), OUTPUT, 0, blocks.count(root));
    return steps.build();
  }
}
