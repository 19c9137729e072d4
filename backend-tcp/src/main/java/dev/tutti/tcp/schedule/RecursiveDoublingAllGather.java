package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;

/**
 * AllGather by recursive doubling, even or uneven: in round i every rank exchanges all the blocks
 * that it has with the rank at distance 2^i, which has as many others.
 *
 * <p>Where size is not a power of two, the first ranks are paired: the even one gives its block to
 * the odd one before, and gets the rest of the result after. So the blocks that a rank has are
 * always neighbours, and cross as one message.
 *
 * <p>⌊lg n⌋ steps, and (n-1)/n of the result sent per rank, which is the least possible; where n is
 * not a power of two, up to 3 steps and the result once more. No scratch. Thakur, Rabenseifner and
 * Gropp, Optimization of collective communication operations in MPICH, IJHPCA 19(1), 2005.
 */
final class RecursiveDoublingAllGather {
  private RecursiveDoublingAllGather() {}

  static Schedule plan(Request request) {
    int rank = request.rank();
    int size = request.size();
    Blocks blocks = request.blocks();
    Aliasing aliasing = request.inPlace() ? Aliasing.at(blocks.offset(rank)) : Aliasing.NONE;
    ScheduleBuilder steps = new ScheduleBuilder(Algorithm.RECURSIVE_DOUBLING, rank, size, aliasing);
    int rounds = 31 - Integer.numberOfLeadingZeros(size);
    int folded = size - (1 << rounds);
    boolean isPaired = rank < 2 * folded;
    long own = blocks.count(rank);
    long begin = blocks.offset(rank);
    long end = begin + own;

    if (isPaired && rank % 2 == 0) {
      steps.send(rank + 1, INPUT, 0, own);
      steps.copy(INPUT, 0, OUTPUT, begin, own);
      steps.recv(rank + 1, OUTPUT, 0, begin);
      steps.recv(rank + 1, OUTPUT, end, blocks.total() - end);
      return steps.build();
    }

    if (isPaired) {
      steps.copy(INPUT, 0, OUTPUT, begin, own);
      steps.recv(rank - 1, OUTPUT, blocks.offset(rank - 1), blocks.count(rank - 1));
    }
    int vertex = isPaired ? rank / 2 : rank - folded;
    for (int i = 0; i < rounds; i++) {
      int partner = vertex ^ (1 << i);
      int peer = firstRank(partner + 1, folded) - 1;
      if (i == 0 && !isPaired) {
        steps.send(peer, INPUT, 0, own);
        // Behind the send: the partner waits for that, nobody for this.
        steps.copy(INPUT, 0, OUTPUT, begin, own);
      } else {
        long from = offset(blocks, vertex >> i << i, folded);
        long to = offset(blocks, ((vertex >> i) + 1) << i, folded);
        steps.send(peer, OUTPUT, from, to - from);
      }
      long from = offset(blocks, partner >> i << i, folded);
      long to = offset(blocks, ((partner >> i) + 1) << i, folded);
      steps.recv(peer, OUTPUT, from, to - from);
    }
    if (isPaired) {
      long pair = blocks.offset(rank - 1);
      steps.send(rank - 1, OUTPUT, 0, pair);
      steps.send(rank - 1, OUTPUT, begin, blocks.total() - begin);
    }
    return steps.build();
  }

  /** Returns the first rank whose block a vertex begins with: a pair's, or the vertex's own. */
  private static int firstRank(int vertex, int folded) {
    return vertex + Math.min(vertex, folded);
  }

  private static long offset(Blocks blocks, int vertex, int folded) {
    return blocks.offset(firstRank(vertex, folded));
  }
}
