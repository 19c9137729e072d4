package dev.tutti.cli.bench;

import org.jspecify.annotations.Nullable;

/** A measurement could not be carried out: a rank did not come, died, failed or fell silent. */
public final class BenchFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BenchFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
