package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Algorithm.BINOMIAL;
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
 */
record Choice(OperationKind operation, int fromSize, int toSize, UpTo upTo, Algorithm algorithm) {

  private static final int MANY = Integer.MAX_VALUE;
  private static final UpTo ANY = new UpTo(Long.MAX_VALUE);

  /** Up to {@link Limits#smallBytes()}. */
  private static final UpTo SMALL = new UpTo(-1);

  /**
   * The most bytes for a row to fit.
   *
   * @param bytes the bytes, or -1 for the limit that the request brings along
   */
  record UpTo(long bytes) {
    private boolean fits(Request request) {
      return request.bytes() <= (bytes < 0 ? request.limits().smallBytes() : bytes);
    }
  }

  private static final List<Choice> TABLE =
      List.of(
          new Choice(ALL_REDUCE, 1, 1, ANY, SINGLE_RANK),
          new Choice(ALL_REDUCE, 2, MANY, SMALL, RECURSIVE_DOUBLING),
          new Choice(ALL_REDUCE, 2, MANY, ANY, RING),
          new Choice(REDUCE, 1, 1, ANY, SINGLE_RANK),
          new Choice(REDUCE, 2, MANY, ANY, BINOMIAL),
          new Choice(BROADCAST, 1, 1, ANY, SINGLE_RANK),
          new Choice(BROADCAST, 2, MANY, ANY, BINOMIAL),
          new Choice(ALL_GATHER, 1, 1, ANY, SINGLE_RANK),
          new Choice(ALL_GATHER, 2, MANY, ANY, RING),
          new Choice(REDUCE_SCATTER, 1, 1, ANY, SINGLE_RANK),
          new Choice(REDUCE_SCATTER, 2, MANY, ANY, RING),
          new Choice(GATHER, 1, 1, ANY, SINGLE_RANK),
          new Choice(GATHER, 2, MANY, ANY, LINEAR),
          new Choice(SCATTER, 1, 1, ANY, SINGLE_RANK),
          new Choice(SCATTER, 2, MANY, ANY, LINEAR),
          new Choice(ALL_TO_ALL, 1, 1, ANY, SINGLE_RANK),
          new Choice(ALL_TO_ALL, 2, MANY, ANY, PAIRWISE),
          new Choice(BARRIER, 1, MANY, ANY, DISSEMINATION),
          new Choice(BATCH, 1, MANY, ANY, POINT_TO_POINT));

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
        && upTo.fits(request);
  }
}
