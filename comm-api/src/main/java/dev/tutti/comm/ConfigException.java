package dev.tutti.comm;

import org.jspecify.annotations.Nullable;

/**
 * A config string, rendezvous address or environment variable is wrong. The message names the
 * nearest known word and lists the rest. Nothing was started.
 */
public final class ConfigException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what is wrong, where it was found, and what would be right
   */
  public ConfigException(String message) {
    super(message);
  }

  /**
   * Creates the exception.
   *
   * @param message what is wrong, where it was found, and what would be right
   * @param cause what led to it, or null
   */
  public ConfigException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
