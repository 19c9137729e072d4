package dev.tutti.comm;

import org.jspecify.annotations.Nullable;

/**
 * The backend that was asked for cannot be had here, or none can. The message lists each candidate
 * with its reason and the next step; a forced choice never falls through to another backend.
 */
public final class BackendUnavailableException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message each candidate with its reason
   * @param cause what led to it, or null
   */
  public BackendUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
