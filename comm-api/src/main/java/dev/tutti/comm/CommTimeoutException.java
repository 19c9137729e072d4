package dev.tutti.comm;

import org.jspecify.annotations.Nullable;

/**
 * An operation, or a step of setting a group up, did not finish within its timeout. The message
 * names what was awaited, and of whom.
 */
public final class CommTimeoutException extends CommException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what, where, why and the next step
   * @param cause what led to it, or null
   */
  public CommTimeoutException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
