package dev.tutti.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.CommConfig;
import dev.tutti.comm.CommException;
import dev.tutti.comm.internal.store.InMemoryStore;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.SlotPool;
import dev.tutti.tcp.schedule.Overrides;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The engines of all ranks of a group without the group around them: one thread drives them, step
 * by step, so that a test decides who moves when.
 */
final class EngineRanks implements AutoCloseable {
  /** One rank. */
  static final class Rank {
    final BackendProvider.Context context;
    final WatchedTransport transport;
    final SlotPool pool;
    final Scratch scratch;
    final Connections connections;
    final Engine engine;
    private long issued;
    private @Nullable CommException thrown;

    private Rank(BackendProvider.Context context, WatchedTransport transport, Duration hello) {
      this.context = context;
      this.transport = transport;
      TcpMemory memory = TcpMemory.of(context);
      pool = new SlotPool(memory.slots(), memory.slotBytes());
      scratch = new Scratch(memory.scratchBytes());
      connections = new Connections(context, transport, pool, hello);
      Overrides overrides = Overrides.parse(context.options().list("algo"));
      Plans plans = Plans.of(context, memory.limits(context), overrides);
      engine = new Engine(context, connections, plans, scratch);
    }

    /** Issues an operation; the result's {@link OpContext#isDone} is to be waited for. */
    OpContext issue(Operation operation) {
      OpContext op = new OpContext(operation, issued++, Duration.ofMinutes(1), ended -> {});
      try {
        engine.enqueue(operation, op);
      } catch (CommException e) {
        thrown = e;
      }
      return op;
    }

    private void advance() {
      try {
        engine.advance();
      } catch (CommException e) {
        thrown = e;
      }
    }

    private void close() {
      connections.close();
      scratch.close();
      pool.close();
    }
  }

  private final List<Rank> ranks = new ArrayList<>();

  private EngineRanks() {}

  static EngineRanks open(int size, String config, boolean detectsDeath) throws IOException {
    return open(size, config, detectsDeath, Duration.ofSeconds(10));
  }

  static EngineRanks open(int size, String config, boolean detectsDeath, Duration hello)
      throws IOException {
    EngineRanks made = new EngineRanks();
    List<BackendProvider.Context> contexts = contexts(size, config, detectsDeath);
    List<CompletableFuture<Void>> opened = new ArrayList<>();
    for (BackendProvider.Context context : contexts) {
      boolean nio = context.options().text("transport").equals("nio") || !Epoll.isAvailable();
      Transport transport = nio ? new NioTransport() : new EpollTransport();
      Rank rank = new Rank(context, new WatchedTransport(transport), hello);
      made.ranks.add(rank);
      opened.add(
          CompletableFuture.runAsync(
              () -> rank.connections.open(AdvertisedAddress.choose(context)),
              task -> Thread.ofPlatform().name("open-" + context.rank()).start(task)));
    }
    CompletableFuture.allOf(opened.toArray(CompletableFuture[]::new)).join();
    return made;
  }

  /** The group as each of its ranks sees it. */
  static List<BackendProvider.Context> contexts(int size, String config, boolean detectsDeath) {
    TcpBackend backend = new TcpBackend();
    CommConfig parsed = CommConfig.parse(config).check(List.of(backend));
    InMemoryStore store = new InMemoryStore(size);
    List<Integer> all = IntStream.range(0, size).boxed().toList();
    return all.stream()
        .map(
            rank ->
                new BackendProvider.Context(
                    "world",
                    4711,
                    rank,
                    all,
                    parsed.options(parsed.entries().getFirst(), backend.keys()),
                    parsed.order(),
                    parsed.scratchBytes(),
                    store.view(),
                    Duration.ofSeconds(20),
                    InetAddress.getLoopbackAddress(),
                    detectsDeath))
        .toList();
  }

  Rank rank(int rank) {
    return ranks.get(rank);
  }

  /** Moves some ranks' engines once each. */
  void step(int... who) {
    for (int rank : who) {
      ranks.get(rank).advance();
    }
  }

  /** Moves all ranks until the operations are done. */
  void finish(Collection<OpContext> operations) {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!operations.stream().allMatch(OpContext::isDone)) {
      assertThat(System.nanoTime()).as("the operations do not end").isLessThan(end);
      for (Rank rank : ranks) {
        rank.advance();
        assertThat(rank.thrown).isNull();
      }
    }
    for (OpContext operation : operations) {
      assertThat(operation.failure()).isNull();
    }
  }

  /** Moves one rank until its engine has thrown; null if it does not for so long. */
  @Nullable CommException failure(int rank, Duration within) {
    long end = System.nanoTime() + within.toNanos();
    while (System.nanoTime() < end && ranks.get(rank).thrown == null) {
      ranks.get(rank).advance();
    }
    return ranks.get(rank).thrown;
  }

  @Override
  public void close() {
    ranks.forEach(Rank::close);
  }
}
