package dev.tutti.comm;

import org.jspecify.annotations.Nullable;

/**
 * The group was aborted or closed, by this rank or by another, while the operation was waiting or
 * before it was issued.
 */
public final class CommAbortedException extends CommException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what, where, why and the next step
   * @param cause what led to it, or null
   */
  public CommAbortedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
