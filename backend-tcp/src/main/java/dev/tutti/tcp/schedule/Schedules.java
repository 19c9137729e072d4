package dev.tutti.tcp.schedule;

import java.util.List;

/** The door to this package: from a {@link Request} to the {@link Schedule} that carries it out. */
public final class Schedules {
  private Schedules() {}

  /**
   * Returns the schedule of the algorithm that {@link Choice} picks.
   *
   * <p>A pure function, cheap enough to be called per operation. Nothing to move (count 0) gives a
   * schedule without steps.
   *
   * @throws IllegalArgumentException if a batch's transfers to this rank itself do not match
   */
  public static Schedule plan(Request request) {
    return Choice.of(request).plan(request);
  }

  /**
   * Returns the schedule of the algorithm that the user wants, or where there is none, or it cannot
   * serve this request (see docs/ALGORITHMS.md), of the one that {@link Choice} picks.
   *
   * @param overrides the user's wishes, the same on all ranks
   * @throws IllegalArgumentException if a batch's transfers to this rank itself do not match
   */
  public static Schedule plan(Request request, Overrides overrides) {
    Algorithm wanted = overrides.algorithms().get(request.operation());
    if (wanted != null) {
      Planner planner = Planner.of(request.operation(), wanted);
      if (planner.serves(request)) {
        return planner.plan(request);
      }
    }
    return plan(request);
  }

  /**
   * Returns the schedule of a given algorithm, whatever the choice table says; must be the same on
   * all ranks.
   *
   * @throws IllegalArgumentException if that algorithm does not do this operation, or cannot serve
   *     this request
   */
  public static Schedule plan(Request request, Algorithm algorithm) {
    Planner planner = Planner.of(request.operation(), algorithm);
    if (!planner.serves(request)) {
      throw new IllegalArgumentException(algorithm.label() + " does not serve " + request);
    }
    return planner.plan(request);
  }

  /** Returns the algorithms that can serve a request, whatever the choice table says of it. */
  public static List<Algorithm> algorithms(Request request) {
    return Planner.algorithms(request.operation()).stream()
        .filter(algorithm -> Planner.of(request.operation(), algorithm).serves(request))
        .toList();
  }
}
