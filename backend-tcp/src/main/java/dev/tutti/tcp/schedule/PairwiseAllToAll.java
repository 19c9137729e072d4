package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;

/**
 * AllToAll pairwise, even or uneven: at distance d = 1 … size-1 a rank sends to rank+d and receives
 * from rank-d, so that each rank is sent to by one other at a time.
 *
 * <p>A few distances are under way at once: enough that a slow pair delays nobody, few enough that
 * no rank is overrun by all others. A transfer waits only for ones of smaller distance, so the
 * ranks cannot wait for each other in a circle.
 *
 * <p>n-1 steps; (n-1)/n of the vector sent per rank, the least possible. No scratch. Thakur,
 * Rabenseifner and Gropp, Optimization of collective communication operations in MPICH, IJHPCA
 * 19(1), 2005.
 */
final class PairwiseAllToAll {
  /** Distances under way at once. */
  private static final int WINDOW = 8;

  private PairwiseAllToAll() {}

  static Schedule plan(Request request) {
    return plan(request, Algorithm.PAIRWISE, WINDOW);
  }

  /** Returns the schedule in which {@code window} distances are under way at once. */
  static Schedule plan(Request request, Algorithm algorithm, int window) {
    int rank = request.rank();
    int size = request.size();
    Blocks sent = request.blocks();
    Blocks received = request.receiveBlocks();
    ScheduleBuilder steps = new ScheduleBuilder(algorithm, rank, size, Aliasing.NONE);
    Window sends = new Window(window);
    Window recvs = new Window(window);
    for (int distance = 1; distance < size; distance++) {
      int to = (rank + distance) % size;
      int from = (rank + size - distance) % size;
      sends.add(steps.after(sends.oldest()).send(to, INPUT, sent.offset(to), sent.count(to)));
      recvs.add(
          steps
              .after(recvs.oldest())
              .recv(from, OUTPUT, received.offset(from), received.count(from)));
    }
    steps.copy(INPUT, sent.offset(rank), OUTPUT, received.offset(rank), sent.count(rank));
    return steps.build();
  }
}
