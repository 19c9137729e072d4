package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;
import static dev.tutti.tcp.schedule.Schedule.SCRATCH;

/**
 * ReduceScatter by recursive halving, even or uneven: in each round a rank gives the blocks of half
 * of the ranks it is still responsible for to a partner, and combines the other half with the
 * partner's.
 *
 * <p>Where size is not a power of two, extras (see {@link Hypercube}) give their whole vector to
 * the rank after them before, and get their block after. A vector that fits in scratch travels as a
 * whole, with one message a round; a longer one column by column, a column being the k-th chunk of
 * every block, with a message for each block.
 *
 * <p>⌊lg n⌋ steps and (n-1)/n of the vector sent per rank, if n is a power of two; else 2 steps
 * more, and extras send a vector. Scratch: up to one vector, or columns of at least one element a
 * rank. Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in
 * MPICH, IJHPCA 19(1), 2005.
 */
final class RecursiveHalvingReduceScatter {
  private final Request request;
  private final Hypercube cube;
  private final Blocks blocks;
  private final ScheduleBuilder steps;

  /** Whether the vector is one column. */
  private final boolean isWhole;

  /** How blocks are cut into columns. */
  private final Chunks chunks;

  /** The column being planned. */
  private int column;

  /** The rank whose block begins at scratch's element 0. */
  private int scratchBase;

  private RecursiveHalvingReduceScatter(Request request) {
    this.request = request;
    this.cube = Hypercube.of(request.rank(), request.size());
    this.blocks = request.blocks();
    long own = blocks.offset(request.rank());
    this.steps =
        new ScheduleBuilder(
            Algorithm.RECURSIVE_HALVING,
            request.rank(),
            request.size(),
            request.inPlace() ? Aliasing.at(-own) : Aliasing.NONE);
    long scratch = request.scratchElements();
    this.isWhole = blocks.total() <= scratch;
    this.chunks =
        isWhole
            ? new Chunks(Math.max(1, blocks.largest()))
            : Chunks.of(request.chunkElements(), blocks.largest()).atMost(scratch / blocks.size());
  }

  /** Returns whether there is scratch for a column. */
  static boolean fits(Request request) {
    return request.scratchElements() >= request.size();
  }

  static Schedule plan(Request request) {
    RecursiveHalvingReduceScatter made = new RecursiveHalvingReduceScatter(request);
    for (int k = 0; k < made.chunks.in(made.blocks.largest()); k++) {
      made.column = k;
      made.planColumn();
    }
    return made.steps.build();
  }

  private void planColumn() {
    int rank = request.rank();
    if (cube.isExtra()) {
      send(rank + 1, INPUT, 0, request.size());
      steps.recv(rank + 1, OUTPUT, chunks.offset(column), count(rank));
      divide();
      return;
    }
    int current = INPUT;
    if (cube.isProxy()) {
      scratchBase = 0;
      combine(rank - 1, current, SCRATCH, 0, request.size());
      current = SCRATCH;
    }
    for (int bit = cube.dimensions() - 1; bit >= 0; bit--) {
      int kept = cube.vertex() >> bit << bit;
      int given = kept ^ (1 << bit);
      int peer = cube.neighbour(bit);
      send(peer, current, cube.firstRank(given), cube.firstRank(given + (1 << bit)));
      if (current == INPUT) {
        scratchBase = cube.firstRank(kept);
      }
      // The last round leaves a proxy with its extra's block too.
      int destination = bit == 0 && !cube.isProxy() ? OUTPUT : SCRATCH;
      int end = cube.firstRank(kept + (1 << bit));
      combine(peer, current, destination, cube.firstRank(kept), end);
      current = SCRATCH;
    }
    if (cube.isProxy()) {
      steps.send(rank - 1, SCRATCH, at(SCRATCH, rank - 1), count(rank - 1));
      steps.copy(SCRATCH, at(SCRATCH, rank), OUTPUT, at(OUTPUT, rank), count(rank));
    }
    divide();
  }

  private void divide() {
    if (request.average()) {
      steps.divide(OUTPUT, chunks.offset(column), count(request.rank()));
    }
  }

  /** Adds the sending of the blocks from one rank's to another's. */
  private void send(int peer, int buffer, int from, int to) {
    if (isWhole) {
      steps.send(peer, buffer, at(buffer, from), blocks.offset(to) - blocks.offset(from));
      return;
    }
    for (int block = from; block < to; block++) {
      steps.send(peer, buffer, at(buffer, block), count(block));
    }
  }

  private void combine(int peer, int current, int destination, int from, int to) {
    if (isWhole) {
      long count = blocks.offset(to) - blocks.offset(from);
      long into = at(destination, from);
      steps.recvReduce(peer, current, at(current, from), destination, into, count);
      return;
    }
    for (int block = from; block < to; block++) {
      long into = at(destination, block);
      steps.recvReduce(peer, current, at(current, block), destination, into, count(block));
    }
  }

  private long count(int block) {
    return chunks.count(blocks.count(block), column);
  }

  /** Returns where the column's part of a block lies in a buffer. */
  private long at(int buffer, int block) {
    return switch (buffer) {
      case INPUT -> blocks.offset(block) + chunks.offset(column);
      case OUTPUT -> chunks.offset(column);
      default ->
          isWhole
              ? blocks.offset(block) - blocks.offset(scratchBase)
              : (block - scratchBase) * chunks.length();
    };
  }
}
