package dev.tutti.cli.bench;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long the next loop is timed, so that the whole run ends in time: each gets its part of the
 * time that is left, of which some goes into warming up and checking.
 */
final class Pace {
  /** A run whose loops have no time of their own ends after about so long, if that is enough. */
  static final Duration WHOLE_RUN = Duration.ofSeconds(45);

  private static final Duration LEAST = Duration.ofMillis(10);
  private static final Duration MOST = Duration.ofMillis(200);
  private static final double TIMED_PART = 0.6;

  private final @Nullable Duration fixed;
  private final long startNanos;
  private int loops;

  /**
   * @param fixed the time of every loop, or null
   * @param loops how many there will be
   * @param startNanos when the run began, as {@link System#nanoTime()} says it
   */
  Pace(@Nullable Duration fixed, int loops, long startNanos) {
    this.fixed = fixed;
    this.loops = loops;
    this.startNanos = startNanos;
  }

  /**
   * Returns how long the next loop is to be timed, in nanoseconds.
   *
   * @param nowNanos what {@link System#nanoTime()} says
   */
  long next(long nowNanos) {
    if (fixed != null) {
      return fixed.toNanos();
    }
    long left = WHOLE_RUN.toNanos() - (nowNanos - startNanos);
    double share = TIMED_PART * left / Math.max(1, loops);
    loops--;
    return Math.clamp((long) share, LEAST.toNanos(), MOST.toNanos());
  }
}
