package dev.tutti.comm.internal;

import java.time.Duration;

/**
 * A moment after which waiting is over. One deadline is made where a call begins and handed through
 * every layer below, so that a timeout of three seconds is three seconds, however many waits it is
 * made of.
 *
 * @param start {@link System#nanoTime()} when it was made
 * @param end {@link System#nanoTime()} when it is over
 */
public record Deadline(long start, long end) {
  private static final Duration LONGEST = Duration.ofDays(10_000);

  /** Returns the deadline that lies {@code timeout} from now. */
  public static Deadline after(Duration timeout) {
    long now = System.nanoTime();
    Duration bounded = timeout.compareTo(LONGEST) > 0 ? LONGEST : timeout;
    return new Deadline(now, now + Math.max(0, bounded.toNanos()));
  }

  /** Returns how many nanoseconds are left, at least 0. */
  public long remainingNanos() {
    return Math.max(0, end - System.nanoTime());
  }

  /** Returns how much time is left, at least zero. */
  public Duration remaining() {
    return Duration.ofNanos(remainingNanos());
  }

  /** Returns whether no time is left. */
  public boolean expired() {
    return end - System.nanoTime() <= 0;
  }

  /** Returns how much time has passed since it was made. */
  public Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /** Returns the whole time that was given. */
  public Duration timeout() {
    return Duration.ofNanos(end - start);
  }
}
