package dev.tutti.comm;

import dev.tutti.comm.internal.Running;
import dev.tutti.comm.internal.control.InMemoryControl;
import dev.tutti.comm.internal.rendezvous.Membership;
import dev.tutti.comm.internal.store.InMemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A job of threads, as {@link LocalRanks} makes it, whose ranks can differ in their config and die.
 */
final class LocalJob {
  /** What one rank does. */
  interface Body<T extends @Nullable Object> {
    T run(ProcessGroup group) throws Exception;
  }

  final InMemoryControl control;
  private final InMemoryStore store;
  private final int size;

  LocalJob(int size) {
    this.size = size;
    this.control = new InMemoryControl(size);
    this.store = new InMemoryStore(size);
  }

  /** Kills a rank, as far as the others can see. */
  void kill(int rank) {
    control.simulateDeath(rank, "killed by the test");
    store.died(rank, "killed by the test");
  }

  /** Joins as one rank. */
  ProcessGroup join(int rank, String config) {
    return builder(rank).config(config).build();
  }

  ProcessGroup.Builder builder(int rank) {
    return ProcessGroup.builder()
        .membership(
            new Membership(
                rank,
                size,
                rank,
                size,
                "job",
                "localhost",
                store.view(),
                control.line(rank),
                "a test",
                null));
  }

  /** Starts all ranks. A group is closed when its rank's body ends. */
  <T extends @Nullable Object> List<Running<T>> start(IntFunction<String> config, Body<T> body) {
    List<Running<T>> ranks = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      int mine = rank;
      ranks.add(
          Running.platform(
              () -> {
                try (ProcessGroup group = join(mine, config.apply(mine))) {
                  return body.run(group);
                }
              }));
    }
    return ranks;
  }

  /** Runs all ranks, and returns their results. */
  <T extends @Nullable Object> List<T> run(String config, Body<T> body) {
    List<T> results = new ArrayList<>();
    for (Running<T> rank : start(rank -> config, body)) {
      results.add(rank.result());
    }
    return results;
  }

  /** Returns how long something takes. */
  static Duration time(Runnable body) {
    long begin = System.nanoTime();
    body.run();
    return Duration.ofNanos(System.nanoTime() - begin);
  }
}
