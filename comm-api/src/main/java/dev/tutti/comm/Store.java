package dev.tutti.comm;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The small shared map through which the ranks of a job find each other: keys are text, values are
 * bytes. It carries addresses and settings, never payload.
 *
 * <p><b>Threading.</b> All methods may be called from any thread. <b>Errors.</b> A wait that runs
 * out is a {@link CommTimeoutException} that names the key and who had not arrived; a lost store is
 * a {@link PeerFailedException} or a {@link CommAbortedException} after {@link #close()}.
 *
 * @see <a
 *     href="https://pytorch.org/docs/stable/distributed.html#distributed-key-value-store">c10d's
 *     Store, whose words these are</a>
 */
public interface Store extends AutoCloseable {
  /**
   * Sets a value, whether or not there was one.
   *
   * @param key the key, not empty
   * @param value its bytes, copied
   */
  void set(String key, byte[] value);

  /**
   * Returns a value, waiting until some rank has set it.
   *
   * @param key the key, not empty
   * @param timeout how long to wait; zero looks once
   * @throws CommTimeoutException if the key was not set in time
   */
  byte[] get(String key, Duration timeout);

  /**
   * Adds to a counter, which starts at 0, and returns the new value. A counter is a value of its
   * decimal text, so {@link #get} reads it.
   *
   * @param key the key, not empty
   * @param delta what to add
   * @throws IllegalStateException if the key holds something else than a counter
   */
  long add(String key, long delta);

  /**
   * Replaces a value if it is what the caller believes.
   *
   * @param key the key, not empty
   * @param expected the value believed to be there, or null for "no value yet"
   * @param value the new value
   * @return whether it was replaced
   */
  boolean compareAndSet(String key, byte @Nullable [] expected, byte[] value);

  /**
   * Removes a value.
   *
   * @param key the key, not empty
   * @return whether there was one
   */
  boolean delete(String key);

  /**
   * Gives every caller the values of all: each of {@code size} ranks calls once with the same key,
   * and gets all ranks' values in rank order. One round trip on a TCP store. The key is free again
   * once all have their answer.
   *
   * @param key the key, not empty, the same on all ranks
   * @param rank the caller's number, in {@code [0, size)}
   * @param size how many ranks call
   * @param value this rank's bytes
   * @param timeout how long to wait for the others
   * @return {@code size} values in rank order
   * @throws CommTimeoutException if some rank did not call in time; the message names the missing
   *     ranks
   */
  List<byte[]> exchange(String key, int rank, int size, byte[] value, Duration timeout);

  /**
   * Returns a view of this store whose keys all start with a prefix. Closing the view does nothing.
   *
   * @param prefix the prefix, not empty; a {@code /} is put behind it
   */
  Store scoped(String prefix);

  /**
   * Ends this rank's use of the store; waits in progress fail with {@link CommAbortedException}.
   * Idempotent.
   */
  @Override
  void close();
}
