package dev.tutti.cli.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was found for one case on one backend in one place: the rounds so far, of which the median
 * counts.
 */
final class Measured {
  private final List<Double> p50Micros = new ArrayList<>();
  private final List<Double> p99Micros = new ArrayList<>();
  private long iterations;
  private long wrong;
  private @Nullable String unsupported;

  /**
   * Adds a round: the reported rank's median and 99th percentile in µs, and the iterations timed.
   */
  void addRound(double p50, double p99, long timed) {
    p50Micros.add(p50);
    p99Micros.add(p99);
    iterations += timed;
  }

  /** Adds elements that were wrong, on all ranks together. */
  void addWrong(long elements) {
    wrong += elements;
  }

  /** Says that the backend does not have this, and why. */
  void unsupported(String reason) {
    unsupported = reason;
  }

  /** Returns why the backend does not have this, or null if it has. */
  @Nullable String unsupported() {
    return unsupported;
  }

  /** Returns whether there is a time. */
  boolean isTimed() {
    return !p50Micros.isEmpty();
  }

  /** Returns the time in µs: the median over the rounds of the median over the iterations. */
  double micros() {
    return median(p50Micros);
  }

  /** Returns the 99th percentile in µs: the median over the rounds. */
  double p99Micros() {
    return median(p99Micros);
  }

  /** Returns how many iterations were timed in all rounds. */
  long iterations() {
    return iterations;
  }

  /** Returns how many elements were wrong, on all ranks and in all checks together. */
  long wrong() {
    return wrong;
  }

  /** Returns size / time in GB/s (1 GB is 10^9 bytes). */
  double algorithmBandwidth(long bytes) {
    return bytes / micros() / 1000;
  }

  private static double median(List<Double> values) {
    List<Double> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
