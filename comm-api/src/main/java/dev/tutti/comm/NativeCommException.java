package dev.tutti.comm;

import org.jspecify.annotations.Nullable;

/** A native library (MPI, NCCL, CUDA, the operating system) reported an error. */
public final class NativeCommException extends CommException {
  private static final long serialVersionUID = 1L;

  private final int code;

  /**
   * Creates the exception.
   *
   * @param code the library's error code
   * @param message what, where, why and the next step; it names the library
   * @param cause what led to it, or null
   */
  public NativeCommException(int code, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  /** Returns the library's error code. */
  public int code() {
    return code;
  }
}
