package dev.tutti.comm.internal;

import dev.tutti.comm.BackendUnavailableException;
import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.config.Units;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends waits that know nothing of the group's failure, such as those on the store, when the group
 * breaks.
 */
final class FailureSignal {
  /**
   * What the call gets on top of its own deadline, so that its message is the one seen: it knows
   * what was missing.
   */
  private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private static final long LAST_CHANCE_MILLIS = 100;

  private final CompletableFuture<CommException> raised = new CompletableFuture<>();

  /** Ends every guarded wait, present and future. */
  void raise(CommException cause) {
    raised.complete(cause);
  }

  /**
   * Runs a blocking call on a thread of its own and waits for it, for the failure, or for the
   * deadline.
   *
   * @param label what is being done, for messages
   * @param call the blocking call
   * @param tooLate takes the call's result if nobody waits for it any more
   */
  <T> T guard(String label, Deadline deadline, Supplier<T> call, Consumer<T> tooLate) {
    CompletableFuture<T> result =
        CompletableFuture.supplyAsync(
            call, task -> Thread.ofPlatform().daemon().name("tutti-" + label).start(task));
    try {
      CompletableFuture.anyOf(result, raised)
          .get(deadline.remainingNanos() + GRACE_NANOS, TimeUnit.NANOSECONDS);
      if (result.isDone()) {
        return result.get();
      }
      CommException cause = raised.get();
      return lastChance(result, cause.restated(label), tooLate);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      leave(result, tooLate);
      throw new CommAbortedException(label + " was interrupted", e);
    } catch (TimeoutException e) {
      leave(result, tooLate);
      throw new CommTimeoutException(
          label + " did not finish within " + Units.formatDuration(deadline.timeout()), e);
    } catch (ExecutionException e) {
      throw unchecked(label, e.getCause());
    }
  }

  /**
   * The failure may be the others' answer to the very thing that this call is about to find out.
   */
  private static <T> T lastChance(
      CompletableFuture<T> result, CommException cause, Consumer<T> tooLate)
      throws InterruptedException, ExecutionException {
    try {
      return result.get(LAST_CHANCE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      leave(result, tooLate);
      throw cause;
    }
  }

  private static <T> void leave(CompletableFuture<T> result, Consumer<T> tooLate) {
    CompletableFuture<Void> _ = result.thenAccept(tooLate);
  }

  private static RuntimeException unchecked(String label, @Nullable Throwable cause) {
    // Fresh ones, with the caller's stack: the call ran on a thread that its user knows nothing of.
    return switch (cause) {
      case CommException e -> e.restated(label);
      case ConfigException e -> new ConfigException(String.valueOf(e.getMessage()), e.getCause());
      case BackendUnavailableException e ->
          new BackendUnavailableException(String.valueOf(e.getMessage()), e.getCause());
      case Error e -> throw e;
      case null, default -> new IllegalStateException(label + " failed: " + cause, cause);
    };
  }
}
