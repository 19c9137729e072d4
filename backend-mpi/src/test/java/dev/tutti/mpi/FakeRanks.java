package dev.tutti.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.CommConfig;
import dev.tutti.comm.CommException;
import dev.tutti.comm.internal.store.InMemoryStore;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * All ranks of a group on {@link FakeMpi}, driven by the test's own thread, in an order that the
 * seed decides.
 */
final class FakeRanks {
  /** One rank. */
  static final class Rank {
    final BackendProvider.Context context;
    final MpiProcess process;
    final FakeMpi.FakeComm comm;
    final MpiCommunicator communicator;
    @Nullable CommException thrown;
    private long issued;

    private Rank(FakeMpi mpi, BackendProvider.Context context) {
      this.context = context;
      this.process = new MpiProcess(mpi);
      this.comm = mpi.world();
      this.communicator = new MpiCommunicator(process, context, context.store(), comm);
    }

    OpContext issue(Operation operation) {
      assertThat(communicator.supports(operation).describe()).isEqualTo("available");
      OpContext op = new OpContext(operation, issued++, Duration.ofMinutes(1), ended -> {});
      guarded(() -> communicator.enqueue(operation, op));
      return op;
    }

    void advance() {
      guarded(communicator::advance);
    }

    /** What the group does with a failure. */
    private void guarded(Runnable step) {
      try {
        step.run();
      } catch (CommException e) {
        thrown = e;
        communicator.abort(e);
      }
    }
  }

  private final List<Rank> ranks = new ArrayList<>();
  private final Random random;

  FakeRanks(int size, String config, long seed) {
    this.random = new Random(seed);
    List<BackendProvider.Context> contexts = contexts(size, config);
    List<FakeMpi> mpi = FakeMpi.ranks(size);
    for (int rank = 0; rank < size; rank++) {
      ranks.add(new Rank(mpi.get(rank), contexts.get(rank)));
    }
  }

  /** The group as each of its ranks sees it. */
  static List<BackendProvider.Context> contexts(int size, String config) {
    MpiBackend backend = new MpiBackend();
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
                    null,
                    true))
        .toList();
  }

  Rank rank(int rank) {
    return ranks.get(rank);
  }

  List<Rank> all() {
    return ranks;
  }

  /** Moves ranks at random, so often that what can be done is done. */
  void move() {
    for (int i = 0; i < 200 * ranks.size(); i++) {
      ranks.get(random.nextInt(ranks.size())).advance();
    }
  }

  /** Moves ranks at random until the operations have ended well. */
  void finish(List<OpContext> operations) {
    for (int i = 0; i < 1_000_000 && !operations.stream().allMatch(OpContext::isDone); i++) {
      ranks.get(random.nextInt(ranks.size())).advance();
    }
    for (Rank rank : ranks) {
      assertThat(rank.thrown).isNull();
    }
    for (OpContext operation : operations) {
      assertThat(operation.isDone()).as(operation.operation().describe()).isTrue();
      assertThat(operation.failure()).isNull();
    }
  }
}
