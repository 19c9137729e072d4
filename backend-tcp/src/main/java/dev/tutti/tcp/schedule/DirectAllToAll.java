package dev.tutti.tcp.schedule;

/**
 * AllToAll directly, even or uneven: a rank sends to all others and receives from all others at
 * once, each beginning with its neighbours.
 *
 * <p>For blocks so short that a rank can take all of them: then nobody waits for anybody. With very
 * many ranks only so many transfers are under way, lest all of them fall upon one rank.
 *
 * <p>n-1 steps if one is made after the other; (n-1)/n of the vector sent per rank, the least
 * possible. No scratch. Thakur, Rabenseifner and Gropp, Optimization of collective communication
 * operations in MPICH, IJHPCA 19(1), 2005, for medium messages.
 */
final class DirectAllToAll {
  /** Distances under way at once. */
  private static final int WINDOW = 64;

  private DirectAllToAll() {}

  static Schedule plan(Request request) {
    return PairwiseAllToAll.plan(request, Algorithm.DIRECT, WINDOW);
  }
}
