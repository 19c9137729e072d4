package dev.tutti.tcp.simulate;

/** Schedules that do not end: a step waits for what never comes. The message lists the steps. */
public final class StuckScheduleException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StuckScheduleException(String message) {
    super(message);
  }
}
