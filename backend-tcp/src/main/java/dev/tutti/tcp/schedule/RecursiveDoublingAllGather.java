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
    Hypercube cube = Hypercube.of(rank, size);
    long own = blocks.count(rank);
    long begin = blocks.offset(rank);
    long end = begin + own;

    if (cube.isExtra()) {
      steps.send(rank + 1, INPUT, 0, own);
      steps.copy(INPUT, 0, OUTPUT, begin, own);
      steps.recv(rank + 1, OUTPUT, 0, begin);
      steps.recv(rank + 1, OUTPUT, end, blocks.total() - end);
      return steps.build();
    }

    if (cube.isProxy()) {
      steps.copy(INPUT, 0, OUTPUT, begin, own);
      steps.recv(rank - 1, OUTPUT, blocks.offset(rank - 1), blocks.count(rank - 1));
    }
    int vertex = cube.vertex();
    for (int i = 0; i < cube.dimensions(); i++) {
      int partner = vertex ^ (1 << i);
      int peer = cube.neighbour(i);
      if (i == 0 && !cube.isProxy()) {
        steps.send(peer, INPUT, 0, own);
        // Behind the send: the partner waits for that, nobody for this.
        steps.copy(INPUT, 0, OUTPUT, begin, own);
      } else {
        long from = blocks.offset(cube.firstRank(vertex >> i << i));
        long to = blocks.offset(cube.firstRank(((vertex >> i) + 1) << i));
        steps.send(peer, OUTPUT, from, to - from);
      }
      long from = blocks.offset(cube.firstRank(partner >> i << i));
      long to = blocks.offset(cube.firstRank(((partner >> i) + 1) << i));
      steps.recv(peer, OUTPUT, from, to - from);
    }
    if (cube.isProxy()) {
      long pair = blocks.offset(rank - 1);
      steps.send(rank - 1, OUTPUT, 0, pair);
      steps.send(rank - 1, OUTPUT, begin, blocks.total() - begin);
    }
    return steps.build();
  }
}
