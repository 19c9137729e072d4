package dev.tutti.mpi;

import org.jspecify.annotations.Nullable;

/** A call of MPI returned an error. */
final class MpiFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int code;
  private final boolean truncated;

  /**
   * Creates the failure.
   *
   * @param call MPI's name of the call
   * @param code MPI's error code
   * @param truncated whether the error is that a message was longer than the memory for it
   * @param text MPI's own words
   */
  MpiFailure(String call, int code, boolean truncated, String text, @Nullable Throwable cause) {
    super("%s returned error %d (%s)".formatted(call, code, text), cause);
    this.code = code;
    this.truncated = truncated;
  }

  /** Returns MPI's error code. */
  int code() {
    return code;
  }

  /** Returns whether a message was longer than the memory for it. */
  boolean truncated() {
    return truncated;
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
