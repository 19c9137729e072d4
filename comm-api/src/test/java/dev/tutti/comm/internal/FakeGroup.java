package dev.tutti.comm.internal;

import dev.tutti.comm.CommConfig;
import dev.tutti.comm.Work;
import dev.tutti.comm.internal.control.InMemoryControl;
import dev.tutti.comm.internal.layers.Layers;
import dev.tutti.comm.internal.rendezvous.Membership;
import dev.tutti.comm.internal.store.InMemoryStore;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Operation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/** Rank 0 of a group over a {@link FakeCommunicator}; the other ranks are only heard of. */
public final class FakeGroup implements AutoCloseable {
  /** Long enough to be the sign of a fault. */
  public static final Duration LONG = Duration.ofSeconds(60);

  public final FakeCommunicator backend = new FakeCommunicator();
  public final InMemoryControl control;
  public final InMemoryStore store;
  public final GroupCore core;

  public FakeGroup() {
    this(LONG);
  }

  public FakeGroup(Duration timeout) {
    this(timeout, ForkJoinPool.commonPool());
  }

  public FakeGroup(Duration timeout, Executor executor) {
    this(List.of(0, 1), timeout, executor);
  }

  /** A group of some of the job's ranks, of which this is the first. */
  public FakeGroup(List<Integer> worldRanks, Duration timeout, Executor executor) {
    int size = 1 + worldRanks.stream().mapToInt(Integer::intValue).max().orElseThrow();
    int me = worldRanks.getFirst();
    this.control = new InMemoryControl(size);
    this.store = new InMemoryStore(size);
    Membership membership =
        new Membership(
            me, size, me, size, "job", "localhost", store.view(), control.line(me), "a test", null);
    CommConfig config = CommConfig.parse("fake");
    BackendProvider.Context context =
        new BackendProvider.Context(
            "world",
            1,
            0,
            worldRanks,
            config.options(config.entries().getFirst(), List.of()),
            config.order(),
            1 << 20,
            membership.store().scoped("group/world"),
            timeout,
            null,
            true);
    this.core =
        new GroupCore(
            new Job(membership, timeout, executor),
            context,
            Layers.stack(Map.of("cpu", backend), context, config.debug()),
            "fake");
  }

  /** Issues an operation. */
  public Work issue() {
    return core.submit(new Operation.Barrier());
  }

  /** Returns how many operations have not ended. */
  public int pending() {
    return core.pending();
  }

  /** Returns the group's background thread. */
  public Thread helper() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("tutti-world-0"))
        .findFirst()
        .orElseThrow();
  }

  /** Ends the group at once, whatever is pending. */
  @Override
  public void close() {
    core.abort();
    core.close();
  }
}
