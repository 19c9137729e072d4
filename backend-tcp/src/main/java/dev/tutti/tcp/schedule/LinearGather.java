package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;

/**
 * Gather, even or uneven: every rank sends its block to the root, which takes all of them at once.
 *
 * <p>One step; the root receives (n-1)/n of the result, which it must in any algorithm. No scratch.
 * Blocks are not cut: nobody passes them on.
 */
final class LinearGather {
  private LinearGather() {}

  static Schedule plan(Request request) {
    int rank = request.rank();
    int size = request.size();
    int root = request.root();
    Blocks blocks = request.blocks();
    Aliasing aliasing =
        request.inPlace() && rank == root ? Aliasing.at(blocks.offset(root)) : Aliasing.NONE;
    ScheduleBuilder steps = new ScheduleBuilder(Algorithm.LINEAR, rank, size, aliasing);
    if (rank != root) {
      steps.send(root, INPUT, 0, blocks.count(rank));
      return steps.build();
    }
    for (int distance = 1; distance < size; distance++) {
      int peer = (root + distance) % size;
      steps.recv(peer, OUTPUT, blocks.offset(peer), blocks.count(peer));
    }
    steps.copy(INPUT, 0, OUTPUT, blocks.offset(root), blocks.count(root));
    return steps.build();
  }
}
