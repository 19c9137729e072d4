package dev.tutti.cli.doctor;

import org.jspecify.annotations.Nullable;

/**
 * One thing that was looked at.
 *
 * @param name what it is
 * @param state how it is
 * @param text what was found, in one line
 * @param nextStep what to do about it, in one line; null if nothing
 */
public record Finding(String name, State state, String text, @Nullable String nextStep) {
  /** How something is. */
  public enum State {
    /** As it should be. */
    OK,
    /** Good to know; nothing is wrong. */
    NOTE,
    /** There is none, and something that was asked for will not work. */
    MISSING
  }

  static Finding ok(String name, String text) {
    return new Finding(name, State.OK, text, null);
  }

  static Finding note(String name, String text, @Nullable String nextStep) {
    return new Finding(name, State.NOTE, text, nextStep);
  }

  static Finding missing(String name, String text, @Nullable String nextStep) {
    return new Finding(name, State.MISSING, text, nextStep);
  }
}
