package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Algorithm.BINOMIAL_TREE;
import static dev.tutti.tcp.schedule.Algorithm.DISSEMINATION;
import static dev.tutti.tcp.schedule.Algorithm.LINEAR;
import static dev.tutti.tcp.schedule.Algorithm.PAIRWISE;
import static dev.tutti.tcp.schedule.Algorithm.POINT_TO_POINT;
import static dev.tutti.tcp.schedule.Algorithm.RECURSIVE_DOUBLING;
import static dev.tutti.tcp.schedule.Algorithm.RING;
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
import java.util.function.Function;

/**
 * One row of the choice table: an algorithm, what it is for, and the function that plans it.
 *
 * <p>The first row that fits a request wins. A new algorithm is one file and one row here.
 *
 * @param operation what the algorithm does
 * @param maxSize most ranks for which the row fits
 * @param upTo how long vectors may be, see {@link Request#bytes()}
 * @param algorithm the algorithm's name
 * @param planner the algorithm
 */
record Choice(
    OperationKind operation,
    int maxSize,
    UpTo upTo,
    Algorithm algorithm,
    Function<Request, Schedule> planner) {

  private static final int ANY_SIZE = Integer.MAX_VALUE;

  /** How long vectors may be for a row to fit. */
  enum UpTo {
    /** Up to {@link Limits#smallBytes()}. */
    SMALL,
    /** Any length. */
    ANY;

    private boolean fits(Request request) {
      return this == ANY || request.bytes() <= request.limits().smallBytes();
    }
  }

  private static final List<Choice> TABLE =
      List.of(
          row(ALL_REDUCE, 1, UpTo.ANY, SINGLE_RANK, SingleRank::plan),
          row(
              ALL_REDUCE,
              ANY_SIZE,
              UpTo.SMALL,
              RECURSIVE_DOUBLING,
              RecursiveDoublingAllReduce::plan),
          row(ALL_REDUCE, ANY_SIZE, UpTo.ANY, RING, RingAllReduce::plan),
          row(REDUCE, 1, UpTo.ANY, SINGLE_RANK, SingleRank::plan),
          row(REDUCE, ANY_SIZE, UpTo.ANY, BINOMIAL_TREE, BinomialTreeReduce::plan),
          row(BROADCAST, 1, UpTo.ANY, SINGLE_RANK, SingleRank::plan),
          row(BROADCAST, ANY_SIZE, UpTo.ANY, BINOMIAL_TREE, BinomialTreeBroadcast::plan),
          row(ALL_GATHER, 1, UpTo.ANY, SINGLE_RANK, SingleRank::plan),
          row(ALL_GATHER, ANY_SIZE, UpTo.ANY, RING, RingAllGather::plan),
          row(REDUCE_SCATTER, 1, UpTo.ANY, SINGLE_RANK, SingleRank::plan),
          row(REDUCE_SCATTER, ANY_SIZE, UpTo.ANY, RING, RingReduceScatter::plan),
          row(GATHER, 1, UpTo.ANY, SINGLE_RANK, SingleRank::plan),
          row(GATHER, ANY_SIZE, UpTo.ANY, LINEAR, LinearGather::plan),
          row(SCATTER, 1, UpTo.ANY, SINGLE_RANK, SingleRank::plan),
          row(SCATTER, ANY_SIZE, UpTo.ANY, LINEAR, LinearScatter::plan),
          row(ALL_TO_ALL, 1, UpTo.ANY, SINGLE_RANK, SingleRank::plan),
          row(ALL_TO_ALL, ANY_SIZE, UpTo.ANY, PAIRWISE, PairwiseAllToAll::plan),
          row(BARRIER, ANY_SIZE, UpTo.ANY, DISSEMINATION, DisseminationBarrier::plan),
          row(BATCH, ANY_SIZE, UpTo.ANY, POINT_TO_POINT, PointToPoint::plan));

  private static Choice row(
      OperationKind operation,
      int maxSize,
      UpTo upTo,
      Algorithm algorithm,
      Function<Request, Schedule> planner) {
    return new Choice(operation, maxSize, upTo, algorithm, planner);
  }

  /** Returns the first row that fits. */
  static Choice of(Request request) {
    for (Choice row : TABLE) {
      if (row.operation == request.operation()
          && request.size() <= row.maxSize
          && row.upTo.fits(request)) {
        return row;
      }
    }
    throw new IllegalStateException("no algorithm for " + request);
  }

  /** Returns the row of an algorithm, whatever the bytes. */
  static Choice of(Request request, Algorithm algorithm) {
    for (Choice row : TABLE) {
      if (row.operation == request.operation()
          && row.algorithm == algorithm
          && request.size() <= row.maxSize) {
        return row;
      }
    }
    throw new IllegalArgumentException(
        algorithm.label()
            + " does not do "
            + request.operation().label()
            + " with "
            + request.size()
            + " ranks; use one of "
            + algorithms(request.operation()).stream().map(Algorithm::label).toList());
  }

  /** Returns the algorithms that do an operation, in the table's order. */
  static List<Algorithm> algorithms(OperationKind operation) {
    return TABLE.stream().filter(row -> row.operation == operation).map(Choice::algorithm).toList();
  }

  /** Returns this rank's schedule of this row's algorithm. */
  Schedule plan(Request request) {
    return planner.apply(request);
  }
}
