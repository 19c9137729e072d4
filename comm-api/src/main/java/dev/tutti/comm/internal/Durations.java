package dev.tutti.comm.internal;

import java.time.Duration;
import java.util.Locale;

/** How long something took, for people. */
public final class Durations {
  private Durations() {}

  /**
   * Returns a duration in its natural unit with three digits, such as {@code 1.50 s} or {@code 3.20
   * ms}.
   */
  public static String text(Duration duration) {
    double seconds = duration.toNanos() / 1e9;
    if (seconds >= 1) {
      return String.format(Locale.ROOT, "%.2f s", seconds);
    }
    return seconds >= 1e-3
        ? String.format(Locale.ROOT, "%.2f ms", seconds * 1e3)
        : String.format(Locale.ROOT, "%.1f µs", seconds * 1e6);
  }
}
