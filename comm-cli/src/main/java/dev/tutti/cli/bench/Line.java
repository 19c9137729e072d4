package dev.tutti.cli.bench;

import java.util.List;

/**
 * A straight line through measured times, by least squares of the relative errors: a message of 8
 * bytes counts as much as one of megabytes.
 *
 * @param fixed the time of 0 bytes, in µs
 * @param perByte the time of each byte, in µs
 */
record Line(double fixed, double perByte) {

  /**
   * A measured time.
   *
   * @param bytes the size of the message
   * @param micros the time
   */
  record Sample(long bytes, double micros) {}

  /**
   * Returns the line through two samples or more.
   *
   * @throws BenchFailedException if larger messages took no longer
   */
  static Line through(List<Sample> samples) {
    double weights = 0;
    double x = 0;
    double xx = 0;
    double y = 0;
    double xy = 0;
    for (Sample sample : samples) {
      double weight = 1 / (sample.micros() * sample.micros());
      weights += weight;
      x += weight * sample.bytes();
      xx += weight * sample.bytes() * sample.bytes();
      y += weight * sample.micros();
      xy += weight * sample.bytes() * sample.micros();
    }
    double perByte = (weights * xy - x * y) / (weights * xx - x * x);
    double fixed = (y - perByte * x) / weights;
    if (!(perByte > 0) || !(fixed > 0)) {
      throw new BenchFailedException(
          "the times grow with the size in no way that alpha + n / beta describes: "
              + samples
              + "; the machine is too busy, try again",
          null);
    }
    return new Line(fixed, perByte);
  }

  /** Returns the time of a message, in µs. */
  double micros(long bytes) {
    return fixed + perByte * bytes;
  }

  /** Returns the root mean square of the samples' relative distances from the line. */
  double residual(List<Sample> samples) {
    double sum = 0;
    for (Sample sample : samples) {
      double error = micros(sample.bytes()) / sample.micros() - 1;
      sum += error * error;
    }
    return Math.sqrt(sum / samples.size());
  }
}
