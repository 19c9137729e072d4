package dev.tutti.comm.internal;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A thread of a test, and what becomes of it. */
public final class Running<T extends @Nullable Object> {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final FutureTask<T> task;
  private final Thread thread;

  private Running(Thread.Builder builder, Callable<T> body) {
    this.task = new FutureTask<>(body);
    this.thread = builder.start(task);
  }

  /** Starts a platform thread. */
  public static <T extends @Nullable Object> Running<T> platform(Callable<T> body) {
    return new Running<>(Thread.ofPlatform().daemon().name("test-thread"), body);
  }

  /** Starts a virtual thread. */
  public static <T extends @Nullable Object> Running<T> virtual(Callable<T> body) {
    return new Running<>(Thread.ofVirtual().name("test-virtual"), body);
  }

  /** Returns the thread. */
  public Thread thread() {
    return thread;
  }

  /** Returns whether it has not ended. */
  public boolean isRunning() {
    return !task.isDone();
  }

  /** Waits for its result, not for ever. */
  public T result() {
    try {
      return get();
    } catch (ExecutionException e) {
      throw new AssertionError("the thread failed: " + e.getCause(), e.getCause());
    }
  }

  /** Waits for what it throws, not for ever. */
  public Throwable failure() {
    try {
      throw new AssertionError("nothing was thrown, but returned: " + get());
    } catch (ExecutionException e) {
      return e.getCause() == null ? e : e.getCause();
    }
  }

  private T get() throws ExecutionException {
    try {
      return task.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      AssertionError hung = new AssertionError("the thread has not ended after " + LIMIT, e);
      hung.setStackTrace(thread.getStackTrace());
      throw hung;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
