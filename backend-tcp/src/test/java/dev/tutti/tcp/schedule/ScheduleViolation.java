package dev.tutti.tcp.schedule;

/** A schedule that does not keep what {@link Schedule} promises to an engine, or is wrong. */
final class ScheduleViolation extends AssertionError {
  private static final long serialVersionUID = 1;

  ScheduleViolation(String message) {
    super(message);
  }
}
