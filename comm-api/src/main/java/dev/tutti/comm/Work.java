package dev.tutti.comm;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/**
 * One operation that was issued: a handle to wait for it. Complete means that this rank's receive
 * buffers hold the result and its send buffers may be used again; it says nothing of other ranks.
 *
 * <p>Whoever waits makes the progress: a platform thread in {@link #join()} drives the group's
 * transfers itself. While nobody waits, a background thread does, after some milliseconds; {@link
 * #completion()} and a waiting virtual thread call it at once.
 *
 * <p><b>Threading.</b> All methods may be called from any thread.
 */
public interface Work {
  /**
   * Returns whether the operation has ended, well or badly. Never blocks; makes some progress if
   * nobody else does.
   */
  boolean isDone();

  /**
   * Waits until the operation has ended.
   *
   * @throws CommException if it failed; the group is broken then
   * @throws CancellationException if the thread was interrupted; the operation goes on, and the
   *     thread's interrupt status stays set
   */
  void join();

  /**
   * Waits until the operation has ended, at most for a given time. That it runs out changes
   * nothing: the operation goes on, under the group's own timeout.
   *
   * @param timeout how long to wait; zero looks once
   * @return whether the operation has ended; false if the time ran out
   * @throws CommException if it failed; the group is broken then
   * @throws CancellationException if the thread was interrupted; the operation goes on, and the
   *     thread's interrupt status stays set
   */
  boolean join(Duration timeout);

  /**
   * Returns a future of the operation's end, completed on the group's executor, never on a thread
   * that drives the group. A failure completes it with the {@link CommException}. Cancelling or
   * completing the future by hand does nothing to the operation.
   */
  CompletableFuture<Void> completion();
}
