package dev.tutti.comm.internal.store;

import dev.tutti.comm.PeerFailedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The map itself: values, who waits for which key, and exchanges in progress. No method blocks; a
 * wait is a future, and whoever gives up says so. Values are shared, not copied: the callers copy
 * at the border.
 *
 * <p>Thread-safe. Futures are completed on the thread whose call completed them, after the lock is
 * released.
 */
final class StoreMap {
  private final int worldSize;
  private final Map<String, byte[]> values = new HashMap<>();
  private final Map<String, Set<CompletableFuture<byte[]>>> waiters = new HashMap<>();
  private final Map<String, Gathering> gatherings = new HashMap<>();
  private final Map<Integer, String> dead = new TreeMap<>();

  /**
   * Creates an empty map.
   *
   * @param worldSize the number of ranks of the job, or 0 if it is not known
   */
  StoreMap(int worldSize) {
    this.worldSize = worldSize;
  }

  void set(String key, byte[] value) {
    Set<CompletableFuture<byte[]>> woken;
    synchronized (this) {
      values.put(key, value);
      woken = woken(key);
    }
    complete(woken, value);
  }

  /** Returns a future of the key's value: done at once if there is one. */
  synchronized CompletableFuture<byte[]> get(String key) {
    byte[] value = values.get(key);
    if (value != null) {
      return CompletableFuture.completedFuture(value);
    }
    CompletableFuture<byte[]> waiter = new CompletableFuture<>();
    waiters.computeIfAbsent(key, k -> identitySet()).add(waiter);
    return waiter;
  }

  /** Forgets a wait that its caller gave up. */
  @SuppressWarnings("UndefinedEquals") // the set compares identities
  synchronized void abandonGet(String key, CompletableFuture<byte[]> waiter) {
    Set<CompletableFuture<byte[]>> waiting = waiters.get(key);
    if (waiting != null && waiting.remove(waiter) && waiting.isEmpty()) {
      waiters.remove(key);
    }
  }

  long add(String key, long delta) {
    long sum;
    byte[] value;
    Set<CompletableFuture<byte[]>> woken;
    synchronized (this) {
      byte[] old = values.get(key);
      sum = old == null ? delta : StoreContract.sum(key, old, delta);
      value = StoreContract.counter(sum);
      values.put(key, value);
      woken = woken(key);
    }
    complete(woken, value);
    return sum;
  }

  boolean compareAndSet(String key, byte @Nullable [] expected, byte[] value) {
    Set<CompletableFuture<byte[]>> woken;
    synchronized (this) {
      if (!Arrays.equals(values.get(key), expected)) {
        return false;
      }
      values.put(key, value);
      woken = woken(key);
    }
    complete(woken, value);
    return true;
  }

  synchronized boolean delete(String key) {
    return values.remove(key) != null;
  }

  /** Enters an exchange; the future is done when all have. */
  CompletableFuture<Gathered> exchange(String key, int rank, int size, byte[] value) {
    CompletableFuture<Gathered> caller = new CompletableFuture<>();
    Gathering whole;
    synchronized (this) {
      if (size == worldSize && !dead.isEmpty()) {
        Map.Entry<Integer, String> first = dead.entrySet().iterator().next();
        return CompletableFuture.failedFuture(deadIn(first.getKey(), first.getValue()));
      }
      Gathering gathering = gatherings.computeIfAbsent(key, k -> new Gathering(size));
      if (gathering.size != size) {
        throw StoreContract.otherSize(key, rank, size, gathering.size);
      }
      if (gathering.has(rank)) {
        throw StoreContract.rankTwice(key, rank);
      }
      gathering.arrive(rank, value, caller);
      if (!gathering.complete()) {
        return caller;
      }
      gatherings.remove(key);
      whole = gathering;
    }
    if (whole.bytes() > StoreContract.MAX_EXCHANGE_BYTES) {
      fail(whole.callers(), StoreContract.exchangeTooLarge(key, whole.bytes()));
    } else {
      complete(whole.callers(), whole.gathered());
    }
    return caller;
  }

  /**
   * Takes a call out of its exchange, so that nobody gets an answer which that caller has not seen.
   *
   * @return the text of its timeout, or null if the exchange completed before
   */
  synchronized @Nullable String abandonExchange(
      String key, int rank, CompletableFuture<Gathered> caller, Duration waited) {
    Gathering gathering = gatherings.get(key);
    if (gathering == null) {
      return null;
    }
    SortedSet<Integer> missing = gathering.missing();
    SortedSet<Integer> gaveUp = gathering.gaveUp();
    if (!gathering.leave(rank, caller)) {
      return null;
    }
    if (gathering.empty()) {
      gatherings.remove(key);
    }
    if (missing.isEmpty()) {
      // All others were here once; those who gave up are who is missing now.
      return ExchangeTimeout.text(key, rank, gathering.size, waited, gaveUp, new TreeSet<>());
    }
    return ExchangeTimeout.text(key, rank, gathering.size, waited, missing, gaveUp);
  }

  /** Records that a rank's process ended: exchanges of the whole job can no longer complete. */
  void died(int rank, String reason) {
    List<Gathering> broken = new ArrayList<>();
    synchronized (this) {
      dead.putIfAbsent(rank, reason);
      Iterator<Gathering> all = gatherings.values().iterator();
      while (all.hasNext()) {
        Gathering gathering = all.next();
        if (gathering.size == worldSize) {
          broken.add(gathering);
          all.remove();
        }
      }
    }
    broken.forEach(gathering -> fail(gathering.callers(), deadIn(rank, reason)));
  }

  /** Returns how many calls wait. */
  synchronized int waiterCount() {
    int count = 0;
    for (Set<?> waiting : waiters.values()) {
      count += waiting.size();
    }
    for (Gathering gathering : gatherings.values()) {
      count += gathering.callers().size();
    }
    return count;
  }

  private static PeerFailedException deadIn(int rank, String reason) {
    return new PeerFailedException(
        rank,
        "rank "
            + rank
            + " died ("
            + reason
            + "), so that not all ranks can arrive. Look at its output, then start the job again",
        null);
  }

  private static Set<CompletableFuture<byte[]>> identitySet() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }

  private Set<CompletableFuture<byte[]>> woken(String key) {
    Set<CompletableFuture<byte[]>> waiting = waiters.remove(key);
    return waiting == null ? Set.of() : waiting;
  }

  private static <T> void complete(Iterable<CompletableFuture<T>> futures, T value) {
    for (CompletableFuture<T> future : futures) {
      future.complete(value);
    }
  }

  private static <T> void fail(List<CompletableFuture<T>> futures, RuntimeException cause) {
    for (CompletableFuture<T> future : new ArrayList<>(futures)) {
      future.completeExceptionally(cause);
    }
  }
}
