package dev.tutti.comm.internal;

import dev.tutti.comm.CommException;
import dev.tutti.comm.CommTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Ends waits that know nothing of the group's failure, such as those on the store, when the group breaks. */
final class FailureSignal {
  private final CompletableFuture<CommException> raised = new CompletableFuture<>();

  /** Ends every guarded wait, present and future. */
  void raise(CommException cause) {
    raised.complete(cause);
  }

  /**
   * Runs a blocking call on a thread of its own and waits for it, for the failure, or for the deadline.
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
          .get(deadline.remainingNanos() + TimeUnit.SECONDS.toNanos(1), TimeUnit.NANOSECONDS);
      if (result.isDone()) {
        return result.get();
      }
      CommException cause = raised.get();
      leave(result, tooLate);
      throw cause.restated(label);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      leave(result, tooLate);
      throw new CommTimeoutException(label + " was interrupted", e);
    } catch (TimeoutException e) {
      leave(result, tooLate);
      throw new CommTimeoutException(
          label + " did not finish within " + Durations.text(deadline.timeout()), e);
    } catch (ExecutionException e) {
      throw unchecked(e.getCause());
    }
  }

  private static <T> void leave(CompletableFuture<T> result, Consumer<T> tooLate) {
    result.whenComplete(
        (value, failure) -> {
          if (failure == null) {
            tooLate.accept(value);
          }
        });
  }

  private static RuntimeException unchecked(@Nullable Throwable cause) {
    if (cause instanceof RuntimeException e) {
      return e;
    }
    if (cause instanceof Error e) {
      throw e;
    }
    return new IllegalStateException(cause);
  }
}
