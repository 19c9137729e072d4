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
import java.util.function.ToLongFunction;

/**
 * One row of the choice table: an algorithm, what it is for, and the function that plans it.
 *
 * <p>The first row that fits a request wins. A new algorithm is one file and one row here.
 *
 * @param operation what the algorithm does
 * @param maxSize most ranks for which the row fits
 * @param maxBytes most bytes ({@link Request#bytes()}) for which the row fits
 * @param algorithm the algorithm's name
 * @param planner the algorithm
 */
record Choice(
    OperationKind operation,
    int maxSize,
    ToLongFunction<Limits> maxBytes,
    Algorithm algorithm,
    Function<Request, Schedule> planner) {

  private static final ToLongFunction<Limits> SMALL = Limits::smallBytes;
  private static final ToLongFunction<Limits> ANY_BYTES = limits -> Long.MAX_VALUE;
  private static final int ANY_SIZE = Integer.MAX_VALUE;

  private static final List<Choice> TABLE =
      List.of(
          row(ALL_REDUCE, 1, ANY_BYTES, SINGLE_RANK, SingleRank::plan),
          row(ALL_REDUCE, ANY_SIZE, SMALL, RECURSIVE_DOUBLING, RecursiveDoublingAllReduce::plan),
          row(ALL_REDUCE, ANY_SIZE, ANY_BYTES, RING, RingAllReduce::plan),
          row(REDUCE, 1, ANY_BYTES, SINGLE_RANK, SingleRank::plan),
          row(REDUCE, ANY_SIZE, ANY_BYTES, BINOMIAL_TREE, BinomialTreeReduce::plan),
          row(BROADCAST, 1, ANY_BYTES, SINGLE_RANK, SingleRank::plan),
          row(BROADCAST, ANY_SIZE, ANY_BYTES, BINOMIAL_TREE, BinomialTreeBroadcast::plan),
          row(ALL_GATHER, 1, ANY_BYTES, SINGLE_RANK, SingleRank::plan),
          row(ALL_GATHER, ANY_SIZE, ANY_BYTES, RING, RingAllGather::plan),
          row(REDUCE_SCATTER, 1, ANY_BYTES, SINGLE_RANK, SingleRank::plan),
          row(REDUCE_SCATTER, ANY_SIZE, ANY_BYTES, RING, RingReduceScatter::plan),
          row(GATHER, 1, ANY_BYTES, SINGLE_RANK, SingleRank::plan),
          row(GATHER, ANY_SIZE, ANY_BYTES, LINEAR, LinearGather::plan),
          row(SCATTER, 1, ANY_BYTES, SINGLE_RANK, SingleRank::plan),
          row(SCATTER, ANY_SIZE, ANY_BYTES, LINEAR, LinearScatter::plan),
          row(ALL_TO_ALL, 1, ANY_BYTES, SINGLE_RANK, SingleRank::plan),
          row(ALL_TO_ALL, ANY_SIZE, ANY_BYTES, PAIRWISE, PairwiseAllToAll::plan),
          row(BARRIER, ANY_SIZE, ANY_BYTES, DISSEMINATION, DisseminationBarrier::plan),
          row(BATCH, ANY_SIZE, ANY_BYTES, POINT_TO_POINT, PointToPoint::plan));

  private static Choice row(
      OperationKind operation,
      int maxSize,
      ToLongFunction<Limits> maxBytes,
      Algorithm algorithm,
      Function<Request, Schedule> planner) {
    return new Choice(operation, maxSize, maxBytes, algorithm, planner);
  }

  /** Returns the first row that fits. */
  static Choice of(Request request) {
    for (Choice row : TABLE) {
      if (row.operation == request.operation()
          && request.size() <= row.maxSize
          && request.bytes() <= row.maxBytes.applyAsLong(request.limits())) {
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
    return TABLE.stream()
        .filter(row -> row.operation == operation)
        .map(Choice::algorithm)
        .toList();
  }

  /** Returns this rank's schedule of this row's algorithm. */
  Schedule plan(Request request) {
    return planner.apply(request);
  }
}
