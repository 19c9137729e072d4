package dev.tutti.comm.internal.layers;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommConfig;
import dev.tutti.comm.CommException;
import dev.tutti.comm.Store;
import dev.tutti.comm.internal.Eventually;
import dev.tutti.comm.internal.FakeCommunicator;
import dev.tutti.comm.internal.Running;
import dev.tutti.comm.internal.store.InMemoryStore;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * All ranks' {@link Checked} layers over fakes and one store, driven by the test's thread: it is
 * the group's lock of every rank.
 */
final class CheckedRanks {
  private final List<FakeCommunicator> backends = new ArrayList<>();
  private final List<Checked> layers = new ArrayList<>();
  final InMemoryStore store;

  /** The keys that have a value. */
  final Set<String> keys = ConcurrentHashMap.newKeySet();

  /** What went down on each rank. */
  final List<List<Operation>> below = new ArrayList<>();

  /** What was called on each rank. */
  final List<List<OpContext>> calls = new ArrayList<>();

  /** Of what is called next. */
  Duration timeout = Duration.ofSeconds(60);

  CheckedRanks(int size) {
    store = new InMemoryStore(size);
    CommConfig config = CommConfig.parse("fake");
    for (int rank = 0; rank < size; rank++) {
      BackendProvider.Context context =
          new BackendProvider.Context(
              "world",
              1,
              rank,
              IntStream.range(0, size).boxed().toList(),
              config.options(config.entries().getFirst(), List.of()),
              config.order(),
              1 << 20,
              new Watched(store.view(), keys, ""),
              timeout,
              null,
              true);
      List<Operation> issued = new ArrayList<>();
      FakeCommunicator backend = new FakeCommunicator();
      backend.onEnqueue = op -> issued.add(op.operation());
      backends.add(backend);
      layers.add(new Checked(backend, context));
      below.add(issued);
      calls.add(new ArrayList<>());
    }
  }

  Communicator layer(int rank) {
    return layers.get(rank);
  }

  FakeCommunicator backend(int rank) {
    return backends.get(rank);
  }

  void call(int rank, Operation operation) {
    List<OpContext> mine = calls.get(rank);
    OpContext context = new OpContext(operation, mine.size(), timeout, ended -> {});
    mine.add(context);
    layers.get(rank).enqueue(operation, context);
  }

  void advance() {
    layers.forEach(Communicator::advance);
  }

  void advanceFor(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      advance();
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** Advances all ranks until something is true. */
  void until(String what, BooleanSupplier condition) {
    Eventually.until(
        what,
        () -> {
          advance();
          return condition.getAsBoolean();
        });
  }

  /** Advances all ranks until a rank's first call has failed. */
  CommException failureOf(int rank) {
    OpContext call = calls.get(rank).getFirst();
    until("rank " + rank + "'s call fails", () -> call.failure() != null);
    return Objects.requireNonNull(call.failure());
  }

  Running<Boolean> closing(int rank) {
    return Running.platform(
        () -> {
          layers.get(rank).close(Duration.ofSeconds(10));
          return true;
        });
  }

  void abort() {
    layers.forEach(layer -> layer.abort(new CommAbortedException("the test is over", null)));
  }

  void close() {
    layers.forEach(layer -> layer.close(Duration.ofSeconds(5)));
  }

  /** A store that says which keys have a value. */
  private record Watched(Store store, Set<String> keys, String prefix) implements Store {
    @Override
    public void set(String key, byte[] value) {
      keys.add(prefix + key);
      store.set(prefix + key, value);
    }

    @Override
    public byte[] get(String key, Duration timeout) {
      return store.get(prefix + key, timeout);
    }

    @Override
    public long add(String key, long delta) {
      throw new AssertionError("a check does not count");
    }

    @Override
    public boolean compareAndSet(String key, byte @Nullable [] expected, byte[] value) {
      throw new AssertionError("a check replaces nothing");
    }

    @Override
    public boolean delete(String key) {
      boolean deleted = store.delete(prefix + key);
      keys.remove(prefix + key);
      return deleted;
    }

    @Override
    public List<byte[]> exchange(String key, int rank, int size, byte[] value, Duration limit) {
      return store.exchange(prefix + key, rank, size, value, limit);
    }

    @Override
    public Store scoped(String inner) {
      return new Watched(store, keys, prefix + inner + "/");
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
