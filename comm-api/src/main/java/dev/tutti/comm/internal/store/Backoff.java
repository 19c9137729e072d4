package dev.tutti.comm.internal.store;

import dev.tutti.comm.internal.Deadline;
import java.util.concurrent.TimeUnit;

/** Pauses between two looks at a folder: short at first, then longer, never past the deadline. */
final class Backoff {
  private static final long FIRST_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
  private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Deadline deadline;
  private final String call;
  private long next = FIRST_NANOS;

  /**
   * Creates a series of pauses.
   *
   * @param deadline when they are over
   * @param call what is waiting, for the message of an interrupt
   */
  Backoff(Deadline deadline, String call) {
    this.deadline = deadline;
    this.call = call;
  }

  /** Pauses; returns false, at once, if no time is left. */
  boolean pause() {
    long left = deadline.remainingNanos();
    if (left <= 0) {
      return false;
    }
    try {
      TimeUnit.NANOSECONDS.sleep(Math.min(left, next));
    } catch (InterruptedException e) {
      throw StoreContract.interrupted(call);
    }
    next = Math.min(LONGEST_NANOS, next + next / 2);
    return true;
  }
}
