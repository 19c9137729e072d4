package dev.tutti.tcp.schedule;

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
   * Returns the schedule of a given algorithm, whatever the choice table says; must be the same on
   * all ranks.
   *
   * @throws IllegalArgumentException if that algorithm does not do this operation
   */
  public static Schedule plan(Request request, Algorithm algorithm) {
    return Choice.of(request, algorithm).plan(request);
  }
}
