package dev.tutti.comm;

import org.jspecify.annotations.Nullable;

/**
 * A failure of communication that is nobody's bad argument: it breaks the group. Every operation of
 * the group that has not completed fails with it, every later call fails with an exception of the
 * same type whose cause it is, and only {@link ProcessGroup#abort()} and {@link
 * ProcessGroup#close()} are left. A caller's mistake is an {@link IllegalArgumentException} or
 * {@link IllegalStateException} instead, and leaves the group usable.
 */
public abstract sealed class CommException extends RuntimeException
    permits CommTimeoutException,
        PeerFailedException,
        CollectiveMismatchException,
        CommAbortedException,
        NativeCommException {
  private static final long serialVersionUID = 1L;

  CommException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** Returns the message; never null. */
  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }

  /**
   * Returns an exception of the same type, with this one as its cause and the stack of the caller.
   *
   * @param context what could not be done because of this failure, put in front of the message
   */
  public final CommException restated(String context) {
    return copy(context + ": " + getMessage(), this);
  }

  /**
   * Returns the same failure with the stack of the caller: what a thread throws that learns of it
   * from another thread.
   */
  public final CommException rethrown() {
    return copy(getMessage(), getCause());
  }

  private CommException copy(String message, @Nullable Throwable cause) {
    return switch (this) {
      case CommTimeoutException e -> new CommTimeoutException(message, cause);
      case PeerFailedException e -> new PeerFailedException(e.rank(), message, cause);
      case CollectiveMismatchException e -> new CollectiveMismatchException(message, cause);
      case CommAbortedException e -> new CommAbortedException(message, cause);
      case NativeCommException e -> new NativeCommException(e.code(), message, cause);
    };
  }
}
