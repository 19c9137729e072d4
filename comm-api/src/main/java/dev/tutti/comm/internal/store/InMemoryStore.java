package dev.tutti.comm.internal.store;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.Store;
import dev.tutti.comm.internal.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A store in this JVM's memory: one object for the job, one {@link #view()} for each of its ranks.
 * For jobs whose ranks are threads, and for jobs of one rank.
 */
public final class InMemoryStore {
  private final StoreMap map;

  /**
   * Creates an empty store.
   *
   * @param size the number of ranks of the job
   */
  public InMemoryStore(int size) {
    this.map = new StoreMap(size);
  }

  /** Returns a rank's own view; closing it fails only the waits that were begun on it. */
  public Store view() {
    return new View(map);
  }

  /**
   * Tells the store that a rank is dead, as a server does that lost a rank's connection: exchanges
   * of the whole job fail at once.
   *
   * @param rank the rank that died
   * @param reason what was seen
   */
  public void died(int rank, String reason) {
    map.died(rank, reason);
  }

  /** Returns how many calls of all ranks wait. */
  public int waiterCount() {
    return map.waiterCount();
  }

  private static final class View implements Store {
    private final StoreMap map;
    private final Set<CompletableFuture<?>> waits = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    View(StoreMap map) {
      this.map = map;
    }

    @Override
    public void set(String key, byte[] value) {
      check("set", key);
      StoreContract.checkValue(key, value);
      map.set(key, value.clone());
    }

    @Override
    public byte[] get(String key, Duration timeout) {
      check("get", key);
      CompletableFuture<byte[]> waiter = map.get(key);
      try {
        return await("get", key, waiter, timeout).clone();
      } catch (TimeoutException e) {
        throw StoreContract.getTimeout(key, timeout);
      } finally {
        map.abandonGet(key, waiter);
      }
    }

    @Override
    public long add(String key, long delta) {
      check("add", key);
      return map.add(key, delta);
    }

    @Override
    public boolean compareAndSet(String key, byte @Nullable [] expected, byte[] value) {
      check("compareAndSet", key);
      StoreContract.checkValue(key, value);
      return map.compareAndSet(key, expected, value.clone());
    }

    @Override
    public boolean delete(String key) {
      check("delete", key);
      return map.delete(key);
    }

    @Override
    public List<byte[]> exchange(String key, int rank, int size, byte[] value, Duration timeout) {
      check("exchange", key);
      StoreContract.checkExchange(key, rank, size, value);
      CompletableFuture<Gathered> caller = map.exchange(key, rank, size, value.clone());
      try {
        return copy(await("exchange", key, caller, timeout));
      } catch (TimeoutException e) {
        String text = map.abandonExchange(key, rank, caller, timeout);
        if (text == null) {
          // It completed before it was taken back: the others have their answer.
          return copy(caller.join());
        }
        throw new CommTimeoutException(text, null);
      } catch (CommAbortedException e) {
        map.abandonExchange(key, rank, caller, timeout);
        throw e;
      }
    }

    @Override
    public Store scoped(String prefix) {
      return ScopedStore.of(this, prefix);
    }

    @Override
    public void close() {
      closed = true;
      for (CompletableFuture<?> wait : waits) {
        wait.completeExceptionally(StoreContract.closed());
      }
    }

    private void check(String operation, String key) {
      StoreContract.checkKey(key);
      if (closed) {
        throw StoreContract.closed().restated(StoreContract.call(operation, key));
      }
    }

    @SuppressWarnings("UndefinedEquals") // a future equals itself only
    private <T> T await(String operation, String key, CompletableFuture<T> future, Duration timeout)
        throws TimeoutException {
      if (future.isDone() && !future.isCompletedExceptionally()) {
        return future.join();
      }
      waits.add(future);
      try {
        if (closed) {
          throw StoreContract.closed().restated(StoreContract.call(operation, key));
        }
        return future.get(Deadline.after(timeout).remainingNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        throw StoreContract.interrupted(StoreContract.call(operation, key));
      } catch (ExecutionException e) {
        throw StoreContract.rethrown(StoreContract.call(operation, key), e.getCause());
      } finally {
        waits.remove(future);
      }
    }

    private static List<byte[]> copy(Gathered gathered) {
      return gathered.values().stream().map(byte[]::clone).toList();
    }
  }
}
