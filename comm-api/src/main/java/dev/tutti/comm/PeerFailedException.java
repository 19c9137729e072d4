package dev.tutti.comm;

import org.jspecify.annotations.Nullable;

/** Another rank of the group died, left, or broke its connection. */
public final class PeerFailedException extends CommException {
  private static final long serialVersionUID = 1L;

  private final int rank;

  /**
   * Creates the exception.
   *
   * @param rank the rank that failed, in the group whose operation reports it
   * @param message what, where, why and the next step
   * @param cause what led to it, or null
   */
  public PeerFailedException(int rank, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.rank = rank;
  }

  /** Returns the rank that failed, in the group whose operation reports it. */
  public int rank() {
    return rank;
  }
}
