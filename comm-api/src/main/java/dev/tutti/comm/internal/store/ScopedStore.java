package dev.tutti.comm.internal.store;

import dev.tutti.comm.Store;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A view of a store whose keys all start with a prefix. Closing it does nothing. */
record ScopedStore(Store whole, String prefix) implements Store {
  static Store of(Store whole, String prefix) {
    StoreContract.checkPrefix(prefix);
    return new ScopedStore(whole, prefix + "/");
  }

  @Override
  public void set(String key, byte[] value) {
    whole.set(full(key), value);
  }

  @Override
  public byte[] get(String key, Duration timeout) {
    return whole.get(full(key), timeout);
  }

  @Override
  public long add(String key, long delta) {
    return whole.add(full(key), delta);
  }

  @Override
  public boolean compareAndSet(String key, byte @Nullable [] expected, byte[] value) {
    return whole.compareAndSet(full(key), expected, value);
  }

  @Override
  public boolean delete(String key) {
    return whole.delete(full(key));
  }

  @Override
  public List<byte[]> exchange(String key, int rank, int size, byte[] value, Duration timeout) {
    return whole.exchange(full(key), rank, size, value, timeout);
  }

  @Override
  public Store scoped(String inner) {
    StoreContract.checkPrefix(inner);
    return new ScopedStore(whole, prefix + inner + "/");
  }

  @Override
  public void close() {
    // The whole store is closed by whoever opened it.
  }

  private String full(String key) {
    StoreContract.checkKey(key);
    return prefix + key;
  }
}
