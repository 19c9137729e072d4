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
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What there is: an algorithm, the operation that it carries out, the requests that it can serve,
 * and the function that plans it. {@link Choice} says which of them is taken.
 *
 * @param operation what the algorithm does
 * @param algorithm the algorithm's name
 * @param fit the requests that it can serve, by what every rank knows of them
 * @param function the algorithm
 */
record Planner(
    OperationKind operation,
    Algorithm algorithm,
    Predicate<Request> fit,
    Function<Request, Schedule> function) {

  private static final List<Planner> ALL =
      List.of(
          new Planner(ALL_REDUCE, SINGLE_RANK, Planner::alone, SingleRank::plan),
          new Planner(
              ALL_REDUCE,
              RECURSIVE_DOUBLING,
              Planner::inAnyOrder,
              RecursiveDoublingAllReduce::plan),
          new Planner(ALL_REDUCE, RING, Planner::inAnyOrder, RingAllReduce::plan),
          new Planner(
              ALL_REDUCE, HALVING_DOUBLING, Planner::inAnyOrder, HalvingDoublingAllReduce::plan),
          new Planner(ALL_REDUCE, DIRECT, Planner::byFolds, DirectAllReduce::plan),
          new Planner(ALL_REDUCE, ONE_SHOT, Planner::byFolds, OneShotAllReduce::plan),
          new Planner(REDUCE, SINGLE_RANK, Planner::alone, SingleRank::plan),
          new Planner(REDUCE, BINOMIAL, Planner::inAnyOrder, BinomialTreeReduce::plan),
          new Planner(REDUCE, LINEAR, Planner::byFolds, LinearReduce::plan),
          new Planner(
              REDUCE, REDUCE_SCATTER_GATHER, Planner::byFolds, ReduceScatterGatherReduce::plan),
          new Planner(BROADCAST, SINGLE_RANK, Planner::alone, SingleRank::plan),
          new Planner(BROADCAST, BINOMIAL, Planner::severalRanks, BinomialTreeBroadcast::plan),
          new Planner(
              BROADCAST,
              SCATTER_ALL_GATHER,
              Planner::severalRanks,
              ScatterAllGatherBroadcast::plan),
          new Planner(BROADCAST, CHAIN, Planner::severalRanks, ChainBroadcast::plan),
          new Planner(ALL_GATHER, SINGLE_RANK, Planner::alone, SingleRank::plan),
          new Planner(
              ALL_GATHER,
              RECURSIVE_DOUBLING,
              Planner::severalRanks,
              RecursiveDoublingAllGather::plan),
          new Planner(ALL_GATHER, BRUCK, Planner::severalRanks, BruckAllGather::plan),
          new Planner(ALL_GATHER, RING, Planner::severalRanks, RingAllGather::plan),
          new Planner(REDUCE_SCATTER, SINGLE_RANK, Planner::alone, SingleRank::plan),
          new Planner(REDUCE_SCATTER, RING, Planner::inAnyOrder, RingReduceScatter::plan),
          new Planner(
              REDUCE_SCATTER,
              RECURSIVE_HALVING,
              Planner::byHalving,
              RecursiveHalvingReduceScatter::plan),
          new Planner(REDUCE_SCATTER, DIRECT, Planner::byFolds, DirectReduceScatter::plan),
          new Planner(GATHER, SINGLE_RANK, Planner::alone, SingleRank::plan),
          new Planner(GATHER, BINOMIAL, Planner::evenBlocks, BinomialTreeGather::plan),
          new Planner(GATHER, LINEAR, Planner::severalRanks, LinearGather::plan),
          new Planner(SCATTER, SINGLE_RANK, Planner::alone, SingleRank::plan),
          new Planner(SCATTER, BINOMIAL, Planner::evenBlocks, BinomialTreeScatter::plan),
          new Planner(SCATTER, LINEAR, Planner::severalRanks, LinearScatter::plan),
          new Planner(ALL_TO_ALL, SINGLE_RANK, Planner::alone, SingleRank::plan),
          new Planner(ALL_TO_ALL, BRUCK, Planner::evenBlocks, BruckAllToAll::plan),
          new Planner(ALL_TO_ALL, DIRECT, Planner::severalRanks, DirectAllToAll::plan),
          new Planner(ALL_TO_ALL, PAIRWISE, Planner::severalRanks, PairwiseAllToAll::plan),
          new Planner(BARRIER, DISSEMINATION, Planner::always, DisseminationBarrier::plan),
          new Planner(BATCH, POINT_TO_POINT, Planner::always, PointToPoint::plan));

  /**
   * Returns the planner of an algorithm for an operation.
   *
   * @throws IllegalArgumentException if that algorithm does not do this operation
   */
  static Planner of(OperationKind operation, Algorithm algorithm) {
    for (Planner planner : ALL) {
      if (planner.operation == operation && planner.algorithm == algorithm) {
        return planner;
      }
    }
    throw new IllegalArgumentException(
        algorithm.label()
            + " does not do "
            + operation.label()
            + "; use one of "
            + algorithms(operation).stream().map(Algorithm::label).toList());
  }

  /** Returns the algorithms that do an operation. */
  static List<Algorithm> algorithms(OperationKind operation) {
    return ALL.stream()
        .filter(planner -> planner.operation == operation)
        .map(Planner::algorithm)
        .toList();
  }

  /** Returns whether this algorithm can carry out a request; the same on all ranks. */
  boolean serves(Request request) {
    return fit.test(request);
  }

  /** Returns this rank's schedule. */
  Schedule plan(Request request) {
    return function.apply(request);
  }

  private static boolean always(Request request) {
    return true;
  }

  private static boolean alone(Request request) {
    return request.size() == 1;
  }

  private static boolean severalRanks(Request request) {
    return request.size() > 1;
  }

  /** Where ranks pass on others' blocks, every rank must know their counts. */
  private static boolean evenBlocks(Request request) {
    return severalRanks(request) && request.even();
  }

  /**
   * Reductions in any order. With two ranks any order is rank order, for ⊕ is commutative; but a
   * 16-bit average would be rounded twice, as the sum and as the quotient.
   */
  private static boolean inAnyOrder(Request request) {
    boolean isRankOrder =
        request.size() == 2 && !(request.average() && request.elementSize() == Short.BYTES);
    return severalRanks(request) && (!request.ranked() || isRankOrder);
  }

  private static boolean byHalving(Request request) {
    return inAnyOrder(request) && RecursiveHalvingReduceScatter.fits(request);
  }

  /** Reductions whose operands come together in one fold: always in rank order. */
  private static boolean byFolds(Request request) {
    return severalRanks(request) && FoldSlots.fit(request);
  }
}
