package dev.tutti.comm.spi;

import dev.tutti.comm.CommException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One rank's membership in a group, on one backend; layers decorate it. It carries out operations
 * first in, first out.
 *
 * <p><b>Threading.</b> All methods are called under the group's one lock, but these: {@link #await}
 * is called by one thread at a time without the lock, while others may hold it and call the other
 * methods; {@link #wakeup} by any thread; {@link #split} without the lock, with nothing in flight,
 * while another thread may call {@link #abort}. Nothing here may block, but await, split and close.
 */
public interface Communicator {
  /**
   * Returns whether an operation can be carried out here, before any communication and with the
   * same answer on all ranks.
   *
   * @param operation a checked operation
   */
  Availability supports(Operation operation);

  /**
   * Returns whether, in a group with {@code order=ranked}, this communicator itself folds
   * floating-point reductions in rank order, with 16-bit types accumulated in FLOAT32 and rounded
   * once. Where it does not, a layer does it, by exchanging blocks and folding them on the host.
   */
  default boolean foldsByRank() {
    return false;
  }

  /**
   * Returns what an operation is expected to take.
   *
   * @param operation a checked operation
   */
  Cost cost(Operation operation);

  /**
   * Takes an operation into the queue, and may begin it.
   *
   * @param operation a checked operation that {@link #supports} accepts
   * @param context told of its end, during this call or during a later {@link #advance}
   */
  void enqueue(Operation operation, OpContext context);

  /**
   * Does what can be done without waiting.
   *
   * @return whether anything was done; false lets the caller wait
   */
  boolean advance();

  /**
   * Waits, without the group's lock, until {@link #advance} may find something to do, {@link
   * #wakeup} was called, or the time is over. It may return early.
   *
   * @param nanos the longest time to wait, in nanoseconds
   */
  default void await(long nanos) {
    LockSupport.parkNanos(this, Math.min(nanos, 50_000));
  }

  /** Ends an {@link #await} in progress, or the next one. */
  default void wakeup() {}

  /**
   * Returns what the operation at the queue's head waits for, for messages, such as "12 of 64 bytes
   * from rank 3"; empty if unknown.
   */
  default String awaited() {
    return "";
  }

  /**
   * Makes the communicator of a subgroup. Called on every rank of this group at the same place in
   * its order, with nothing in flight.
   *
   * @param child the subgroup as this rank sees it; null on ranks that are not to be members
   * @param color the color this rank passed, negative if it is not to be a member
   * @param key the key this rank passed
   * @return the subgroup's communicator, or null on ranks that are not members
   */
  @Nullable Communicator split(BackendProvider.@Nullable Context child, int color, int key);

  /** Returns the memory that this communicator holds for its own use. */
  SlotPool.Usage memory();

  /**
   * Ends everything at once: what is queued fails with the cause, connections close. Never throws,
   * never waits. Idempotent.
   *
   * @param cause why
   */
  void abort(CommException cause);

  /**
   * Frees everything. The queue is empty. Idempotent.
   *
   * @param timeout how long it may take to say goodbye to the peers
   */
  void close(Duration timeout);
}
