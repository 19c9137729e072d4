package dev.tutti.comm.spi;

import java.time.Duration;

/**
 * What an operation is expected to take, in the alpha-beta model.
 *
 * @param latency the time of an empty operation (alpha)
 * @param bytesPerSecond the rate at which its bytes pass (1 / beta)
 * @see <a href="https://doi.org/10.1016/0167-8191(94)90110-4">Hockney, The communication challenge
 *     for MPP (1994)</a>
 */
public record Cost(Duration latency, double bytesPerSecond) {
  /**
   * Checks its arguments.
   *
   * @throws IllegalArgumentException if the latency is negative or the rate not positive
   */
  public Cost {
    if (latency.isNegative() || !(bytesPerSecond > 0)) {
      throw new IllegalArgumentException(
          "no cost: latency " + latency + ", " + bytesPerSecond + " bytes per second");
    }
  }

  /**
   * Returns the expected time for a number of bytes.
   *
   * @param bytes how many bytes the operation moves per rank
   */
  public Duration time(long bytes) {
    return latency.plusNanos((long) (bytes / bytesPerSecond * 1e9));
  }
}
