package dev.tutti.comm.internal;

import dev.tutti.comm.CommException;
import dev.tutti.comm.Work;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One issued operation: what its caller waits on. Its end is written under the group's lock and read by any thread. */
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

  @Override
  public void join() {
    group.driver().await(this, null);
    throwFailure();
  }

  @Override
  public boolean join(Duration timeout) {
    if (!group.driver().await(this, timeout)) {
      return false;
    }
    throwFailure();
    return true;
  }

  private void throwFailure() {
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public CompletableFuture<Void> completion() {
    CompletableFuture<Void> mine;
    synchronized (this) {
      if (future == null) {
        future = new CompletableFuture<>();
        if (done) {
          notifyFuture(future);
        } else {
          group.driver().backgroundWanted(true);
        }
      }
      mine = future;
    }
    return mine.copy();
  }

  @Override
  public void ended(OpContext context) {
    CommException cause = context.failure();
    CompletableFuture<Void> waiting;
    synchronized (this) {
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
    return operation.describe() + " #" + sequence + (done ? failure == null ? " done" : " failed" : " pending");
  }
}
