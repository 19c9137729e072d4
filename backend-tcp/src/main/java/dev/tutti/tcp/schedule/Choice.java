package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Algorithm.BINOMIAL;
import static dev.tutti.tcp.schedule.Algorithm.BRUCK;
import static dev.tutti.tcp.schedule.Algorithm.CHAIN;
import static dev.tutti.tcp.schedule.Algorithm.DIRECT;
import static dev.tutti.tcp.schedule.Algorithm.DISSEMINATION;
import static dev.tutti.tcp.schedule.Algorithm.HALVING_DOUBLING;
import static dev.tutti.tcp.schedule.Algorithm.LINEAR;
import static dev.tutti.tcp.schedule.Algorithm.ONE_SHOT;
import static dev.tutti.tcp.schedule.Algorithm.PAIRWISE;
import static dev.tutti.tcp.schedule.Algorithm.POINT_TO_POINT;
import static dev.tutti.tcp.schedule.Algorithm.RECURSIVE_DOUBLING;
import static dev.tutti.tcp.schedule.Algorithm.RECURSIVE_HALVING;
import static dev.tutti.tcp.schedule.Algorithm.REDUCE_SCATTER_GATHER;
import static dev.tutti.tcp.schedule.Algorithm.RING;
import static dev.tutti.tcp.schedule.Algorithm.SCATTER_ALL_GATHER;
import static dev.tutti.tcp.schedule.Algorithm.SINGLE_RANK;
import static dev.tutti.tcp.schedule.OperationKind.ALL_GATHER;
import static dev.tutti.tcp.schedule.OperationKind.ALL_REDUCE;
import static dev.tutti.tcp.schedule.OperationKind.ALL_TO_ALL;
import static dev.tutti.tcp.schedule.OperationKind.BARRIER;
import static dev.tutti.tcp.schedule.OperationKind.BATCH;
import static dev.tutti.tcp.schedule.OperationKind.BROADCAST;
import static dev.tutti.tcp.schedule.OperationKind.GATHER;
import static dev.tutti.tcp.schedule.OperationKind.REDUCE;
import static dev.tutti.tcp.schedule.OperationKind.REDUCE_SCATTER;
import static dev.tutti.tcp.schedule.OperationKind.SCATTER;

import java.util.List;

/**
 * One row of the choice table: which algorithm is taken for which ranks and bytes.
 *
 * <p>The first row wins that fits a request and whose algorithm serves it, see {@link
 * Planner#serves}: where rank order is wanted, rows whose algorithm does not keep it are passed
 * over.
 *
 * @param operation what is to be done
 * @param fromSize fewest ranks for which the row fits
 * @param toSize most ranks
 * @param upTo how long vectors may be, see {@link Request#bytes()}
 * @param algorithm the algorithm to take
 * @param onlyPowersOfTwo whether the number of ranks must be a power of two
 */
record Choice(
    OperationKind operation,
    int fromSize,
    int toSize,
    UpTo upTo,
    Algorithm algorithm,
    boolean onlyPowersOfTwo) {

  private static final int MANY = Integer.MAX_VALUE;
  private static final UpTo ANY = new UpTo(Long.MAX_VALUE);

  /** Up to {@link Limits#smallBytes()}. */
  private static final UpTo SMALL = new UpTo(-1);

  /** Where a step of the ring costs as much as the block that it moves. */
  private static final UpTo MEDIUM = UpTo.eachRank(64 << 10);

  /** Where sending everything to everyone costs less than a second step would. */
  private static final UpTo SHORT = new UpTo(16 << 10);

  /**
   * Where Bruck's copies, and its rounds that nothing overlaps, cost less than the ring's steps.
   */
  private static final UpTo GATHERED_AT_ONCE = new UpTo(128 << 10);

  /** Where whole blocks, in few steps, are as good as the ring's chunks. */
  private static final UpTo DOUBLED = new UpTo(512 << 10);

  /** Where the tree's few steps cost less than what it sends too much. */
  private static final UpTo DOWN_A_TREE = UpTo.eachRank(16 << 10);

  /** Where a chunk's way along a chain lasts longer than sending everything twice. */
  private static final UpTo NOT_ALONG_A_CHAIN = UpTo.eachRank(512 << 10);

  /** Where a message costs as much as the bytes that Bruck and the tree send again. */
  private static final UpTo TINY_BLOCKS = UpTo.eachRank(256);

  private static final UpTo SHORT_BLOCKS = UpTo.eachRank(1 << 10);

  /** Where a rank can take what all the others send it at once. */
  private static final UpTo BLOCKS_AT_ONCE = UpTo.eachRank(32 << 10);

  /**
   * The most bytes for a row to fit.
   *
   * @param bytes the bytes, or -1 for the limit that the request brings along
   * @param isEachRanks whether so many for each rank
   */
  record UpTo(long bytes, boolean isEachRanks) {
    UpTo(long bytes) {
      this(bytes, false);
    }

    static UpTo eachRank(long bytes) {
      return new UpTo(bytes, true);
    }

    private boolean fits(Request request) {
      long most = bytes < 0 ? request.limits().smallBytes() : bytes;
      return request.bytes() <= (isEachRanks ? most * request.size() : most);
    }
  }

  private static final List<Choice> TABLE =
      List.of(
          new Choice(ALL_REDUCE, 1, 1, ANY, SINGLE_RANK),
          new Choice(ALL_REDUCE, 2, MANY, SMALL, RECURSIVE_DOUBLING),
          new Choice(ALL_REDUCE, 3, MANY, MEDIUM, HALVING_DOUBLING),
          new Choice(ALL_REDUCE, 2, MANY, ANY, RING),
          new Choice(ALL_REDUCE, 2, MANY, SHORT, ONE_SHOT),
          new Choice(ALL_REDUCE, 2, MANY, ANY, DIRECT),
          new Choice(REDUCE, 1, 1, ANY, SINGLE_RANK),
          new Choice(REDUCE, 2, MANY, ANY, BINOMIAL),
          new Choice(REDUCE, 2, MANY, SHORT, LINEAR),
          new Choice(REDUCE, 2, MANY, ANY, REDUCE_SCATTER_GATHER),
          new Choice(BROADCAST, 1, 1, ANY, SINGLE_RANK),
          new Choice(BROADCAST, 2, 2, ANY, BINOMIAL),
          new Choice(BROADCAST, 3, MANY, DOWN_A_TREE, BINOMIAL),
          new Choice(BROADCAST, 3, MANY, NOT_ALONG_A_CHAIN, SCATTER_ALL_GATHER),
          new Choice(BROADCAST, 3, MANY, ANY, CHAIN),
          new Choice(ALL_GATHER, 1, 1, ANY, SINGLE_RANK),
          new Choice(ALL_GATHER, 4, MANY, DOUBLED, RECURSIVE_DOUBLING).onPowersOfTwo(),
          new Choice(ALL_GATHER, 5, MANY, GATHERED_AT_ONCE, BRUCK),
          new Choice(ALL_GATHER, 2, MANY, ANY, RING),
          new Choice(REDUCE_SCATTER, 1, 1, ANY, SINGLE_RANK),
          new Choice(REDUCE_SCATTER, 3, MANY, SMALL, RECURSIVE_HALVING),
          new Choice(REDUCE_SCATTER, 2, MANY, ANY, RING),
          new Choice(REDUCE_SCATTER, 2, MANY, ANY, DIRECT),
          new Choice(GATHER, 1, 1, ANY, SINGLE_RANK),
          new Choice(GATHER, 32, MANY, SHORT_BLOCKS, BINOMIAL),
          new Choice(GATHER, 2, MANY, ANY, LINEAR),
          new Choice(SCATTER, 1, 1, ANY, SINGLE_RANK),
          new Choice(SCATTER, 32, MANY, SHORT_BLOCKS, BINOMIAL),
          new Choice(SCATTER, 2, MANY, ANY, LINEAR),
          new Choice(ALL_TO_ALL, 1, 1, ANY, SINGLE_RANK),
          new Choice(ALL_TO_ALL, 8, MANY, TINY_BLOCKS, BRUCK),
          new Choice(ALL_TO_ALL, 2, MANY, BLOCKS_AT_ONCE, DIRECT),
          new Choice(ALL_TO_ALL, 2, MANY, ANY, PAIRWISE),
          new Choice(BARRIER, 1, MANY, ANY, DISSEMINATION),
          new Choice(BATCH, 1, MANY, ANY, POINT_TO_POINT));

  private Choice(
      OperationKind operation, int fromSize, int toSize, UpTo upTo, Algorithm algorithm) {
    this(operation, fromSize, toSize, upTo, algorithm, false);
  }

  private Choice onPowersOfTwo() {
    return new Choice(operation, fromSize, toSize, upTo, algorithm, true);
  }

  /** Returns the planner of the first row that fits a request. */
  static Planner of(Request request) {
    for (Choice row : TABLE) {
      if (row.fits(request)) {
        Planner planner = Planner.of(row.operation, row.algorithm);
        if (planner.serves(request)) {
          return planner;
        }
      }
    }
    throw new IllegalStateException("no algorithm for " + request);
  }

  private boolean fits(Request request) {
    return operation == request.operation()
        && request.size() >= fromSize
        && request.size() <= toSize
        && (!onlyPowersOfTwo || Integer.bitCount(request.size()) == 1)
        && upTo.fits(request);
  }
}
