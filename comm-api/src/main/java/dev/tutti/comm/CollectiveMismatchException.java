package dev.tutti.comm;

import org.jspecify.annotations.Nullable;

/**
 * The ranks of a group did not make the same call: another operation, type, count, operator or
 * root. The calls are in the message. It is an error in the program, seen where a frame of another
 * call arrived, or with {@code debug=detail} before any data moves.
 */
public final class CollectiveMismatchException extends CommException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what, where, why and the next step
   * @param cause what led to it, or null
   */
  public CollectiveMismatchException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
