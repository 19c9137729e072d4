package dev.tutti.cli.bench;

import dev.tutti.comm.ConfigException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long and how often each thing is measured.
 *
 * @param iterations timed iterations of a loop; 0 for as many as fit into the time
 * @param warmup iterations before the first timed loop of a case; -1 for as many as it takes
 * @param time how long a timed loop lasts; null for what {@link Pace} allows
 * @param rounds how often each loop is repeated, backends taking turns; the median counts
 */
public record Effort(long iterations, long warmup, @Nullable Duration time, int rounds) {
  /** Checks that what is asked for makes sense. */
  public Effort {
    if (iterations < 0 || warmup < -1) {
      throw new ConfigException("--iters and --warmup are not negative");
    }
    if (time != null && time.isZero()) {
      throw new ConfigException("--time is longer than zero");
    }
    if (rounds < 1) {
      throw new ConfigException("--rounds " + rounds + ": at least one is needed");
    }
  }
}
