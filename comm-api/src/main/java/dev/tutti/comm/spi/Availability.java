package dev.tutti.comm.spi;

import org.jspecify.annotations.Nullable;

/**
 * Whether something can be had, and if not, why, as an object that travels from the probe to the
 * message.
 *
 * @param reason why not, in one line; null if it can be had
 * @param nextStep what the user can do about it, in one line; null if nothing, or if it can be had
 */
public record Availability(@Nullable String reason, @Nullable String nextStep) {
  private static final Availability YES = new Availability(null, null);

  /** Returns "it can be had". */
  public static Availability yes() {
    return YES;
  }

  /**
   * Returns "it cannot be had".
   *
   * @param reason why, in one line
   * @param nextStep what the user can do about it, in one line, or null
   */
  public static Availability no(String reason, @Nullable String nextStep) {
    return new Availability(reason, nextStep);
  }

  /** Returns whether it can be had. */
  public boolean isAvailable() {
    return reason == null;
  }

  /** Returns the reason and the next step as one line, or "available". */
  public String describe() {
    if (reason == null) {
      return "available";
    }
    return nextStep == null ? reason : reason + "; " + nextStep;
  }
}
