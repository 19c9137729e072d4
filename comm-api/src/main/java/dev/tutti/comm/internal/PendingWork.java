package dev.tutti.comm.internal;

import dev.tutti.comm.CommException;
import dev.tutti.comm.Work;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One issued operation: what its caller waits on. Its end is written under the group's lock and
 * read by any thread.
 */
final class PendingWork implements Work, OpContext.Listener {
  private final GroupCore group;
  private final Operation operation;
  private final long sequence;
  private @Nullable CommException failure;
  private volatile boolean done;
  // Guarded by this; made when somebody asks for it.
  private @Nullable CompletableFuture<Void> future;

  PendingWork(GroupCore group, Operation operation, long sequence) {
    this.group = group;
    this.operation = operation;
    this.sequence = sequence;
  }

  @Override
  public boolean isDone() {
    if (!done) {
      group.driver().poll();
    }
    return done;
  }

  boolean ended() {
    return done;
  }

  boolean failed() {
    return done && failure != null;
  }

  @Override
  public void join() {
    group.driver().await(this, null);
    throwFailure();
  }

  @Override
  public boolean join(Duration timeout) {
    if (!group.driver().await(this, Objects.requireNonNull(timeout, "timeout"))) {
      return false;
    }
    throwFailure();
    return true;
  }

  private void throwFailure() {
    if (failure != null) {
      throw failure.rethrown();
    }
  }

  @Override
  public CompletableFuture<Void> completion() {
    CompletableFuture<Void> mine = new CompletableFuture<>();
    boolean over;
    synchronized (this) {
      if (future != null) {
        return future.copy();
      }
      future = mine;
      over = done;
    }
    if (over) {
      notifyFuture(mine);
    } else {
      group.driver().backgroundWanted(true);
    }
    return mine.copy();
  }

  @Override
  public void ended(OpContext context) {
    end(context.failure());
  }

  /**
   * Notes the end, well or with a failure; under the group's lock. Without effect if it has ended.
   */
  void end(@Nullable CommException cause) {
    CompletableFuture<Void> waiting;
    synchronized (this) {
      if (done) {
        return;
      }
      failure = cause;
      done = true;
      waiting = future;
    }
    if (waiting != null) {
      group.driver().backgroundWanted(false);
      notifyFuture(waiting);
    }
    group.ended(this, cause);
  }

  /** Queued, not run: this may be under the group's lock. */
  private void notifyFuture(CompletableFuture<Void> waiting) {
    CommException cause = failure;
    group
        .driver()
        .afterUnlock(
            () -> {
              if (cause == null) {
                waiting.complete(null);
              } else {
                waiting.completeExceptionally(cause);
              }
            });
  }

  /** Returns the operation with its number, for messages. */
  String label() {
    return operation.name() + " #" + sequence;
  }

  @Override
  public String toString() {
    return operation.describe()
        + " #"
        + sequence
        + (done ? failure == null ? " done" : " failed" : " pending");
  }
}
