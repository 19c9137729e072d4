package dev.tutti.tcp.simulate;

import java.time.Duration;

/**
 * What an operation takes, and how that was found out.
 *
 * @param time from the common start to the end of the last rank
 * @param method how the time was found
 */
public record Price(Duration time, Method method) {

  /** How a time was found. */
  public enum Method {
    /** Every step of every rank was carried out. */
    SIMULATED("simulated"),
    /** All ranks do the same, so that every step of one rank was carried out. */
    SYMMETRY("by symmetry"),
    /** The steps are too many; the times of half and a quarter of the ranks were continued. */
    EXTRAPOLATED("extrapolated");

    private final String label;

    Method(String label) {
      this.label = label;
    }

    /** Returns the words for reports. */
    public String label() {
      return label;
    }
  }
}
