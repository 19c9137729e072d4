package dev.tutti.comm;

import dev.tutti.comm.internal.RankThread;
import dev.tutti.comm.internal.control.InMemoryControl;
import dev.tutti.comm.internal.rendezvous.Membership;
import dev.tutti.comm.internal.store.InMemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Several ranks in one process, a thread each: for tests, notebooks and first steps, without a
 * cluster or a launcher. Any backend whose placement allows many ranks in a process will do.
 *
 * {@snippet :
 * LocalRanks.run(4, "tcp", group -> {
 *   float[] x = {group.rank()};
 *   group.allReduce(CommBuffer.of(x), ReduceOp.SUM).join();
 *   System.out.println(x[0]); // 6.0 on every rank
 * });
 * }
 */
public final class LocalRanks {
  /** How long ranks may take to end once their groups are aborted. */
  private static final Duration ABORT_GRACE = Duration.ofSeconds(1);

  private LocalRanks() {}

  /** What each rank does. */
  @FunctionalInterface
  public interface Body {
    /**
     * Runs on one rank.
     *
     * @param group the group of all ranks, closed by the caller
     * @throws Exception to fail the run
     */
    void run(ProcessGroup group) throws Exception;
  }

  /** What each rank computes. */
  @FunctionalInterface
  public interface Task<T extends @Nullable Object> {
    /**
     * Runs on one rank.
     *
     * @param group the group of all ranks, closed by the caller
     * @throws Exception to fail the run
     */
    T call(ProcessGroup group) throws Exception;
  }

  /**
   * Says which rank failed; the cause is what its body threw, the other ranks' failures are
   * suppressed in it.
   */
  private static final class RankFailure extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    RankFailure(int rank, int size, Throwable cause) {
      super("rank %d/%d failed: %s".formatted(rank, size, text(cause)), cause);
    }

    private static String text(Throwable cause) {
      try {
        return cause.toString();
      } catch (RuntimeException | Error e) {
        // Or what cannot be told would keep the others waiting.
        return "%s, whose toString threw %s"
            .formatted(cause.getClass().getName(), e.getClass().getName());
      }
    }
  }

  /**
   * Runs a body on every rank and waits for all.
   *
   * @param size how many ranks
   * @param config the config string, such as {@code tcp} or {@code local}
   * @param body what each rank does, on a platform thread of its own
   * @throws IllegalStateException if a rank's body threw: names the first one that did; its cause
   *     is what was thrown. All groups that the rank had open are aborted then, subgroups too,
   *     which ends the others' waiting there.
   * @throws CancellationException if interrupted; the ranks' groups are aborted then, and their
   *     threads interrupted
   */
  public static void run(int size, String config, Body body) {
    call(
        size,
        config,
        group -> {
          body.run(group);
          return true;
        });
  }

  /**
   * Runs a task on every rank and returns the results in rank order.
   *
   * @param size how many ranks
   * @param config the config string, such as {@code tcp} or {@code local}
   * @param task what each rank computes, on a platform thread of its own
   * @throws IllegalStateException if a rank's task threw: names the first one that did; its cause
   *     is what was thrown. All groups that the rank had open are aborted then, subgroups too,
   *     which ends the others' waiting there.
   * @throws CancellationException if interrupted; the ranks' groups are aborted then, and their
   *     threads interrupted
   */
  public static <T extends @Nullable Object> List<T> call(int size, String config, Task<T> task) {
    Objects.requireNonNull(config, "config");
    Objects.requireNonNull(task, "task");
    if (size <= 0) {
      throw new IllegalArgumentException("size is " + size + "; at least one rank is needed");
    }
    return new Run<>(size, config, task).result();
  }

  private static final class Run<T extends @Nullable Object> {
    private final int size;
    private final String config;
    private final Task<T> task;
    private final InMemoryStore store;
    private final InMemoryControl control;
    private final String job = "local-" + UUID.randomUUID();
    private final List<RankThread> threads = new ArrayList<>();
    private final Queue<ProcessGroup> worlds = new ConcurrentLinkedQueue<>();
    private final List<@Nullable T> results = new ArrayList<>();
    // Guarded by this; in the order in which they happened.
    private final List<RankFailure> failures = new ArrayList<>();

    Run(int size, String config, Task<T> task) {
      this.size = size;
      this.config = config;
      this.task = task;
      this.store = new InMemoryStore(size);
      this.control = new InMemoryControl(size);
      for (int rank = 0; rank < size; rank++) {
        int mine = rank;
        results.add(null);
        threads.add(new RankThread(rank, () -> rank(mine)));
      }
    }

    private void rank(int rank) {
      Membership place =
          new Membership(
              rank,
              size,
              rank,
              size,
              job,
              "localhost",
              store.view(),
              control.line(rank),
              "rank " + rank + " of " + size + " threads in one process",
              null);
      try (ProcessGroup group = ProcessGroup.builder().config(config).membership(place).build()) {
        worlds.add(group);
        try {
          T result = task.call(group);
          synchronized (results) {
            results.set(rank, result);
          }
        } catch (Throwable e) {
          failed(rank, e);
          // Nobody is left to close what the task left open, and others may wait there.
          group.endJob();
        }
      } catch (Throwable e) {
        failed(rank, e);
      }
    }

    private synchronized void failed(int rank, Throwable cause) {
      failures.add(new RankFailure(rank, size, cause));
    }

    /**
     * A rank that was only told of another's failure is not to be blamed for having been quicker.
     */
    private synchronized @Nullable RankFailure failure() {
      RankFailure first = null;
      for (RankFailure failure : failures) {
        if (first == null
            || (first.getCause() instanceof CommAbortedException
                && !(failure.getCause() instanceof CommAbortedException))) {
          first = failure;
        }
      }
      for (RankFailure failure : failures) {
        if (first != null && failure != first) {
          first.addSuppressed(failure);
        }
      }
      return first;
    }

    /** Ends the ranks by abort, since that tells what they waited for; if need be by interrupt. */
    private void end() {
      worlds.forEach(ProcessGroup::abortJob);
      long start = System.nanoTime();
      try {
        for (Thread thread : threads) {
          thread.join(ABORT_GRACE.minusNanos(System.nanoTime() - start));
        }
      } catch (InterruptedException e) {
        // Then at once; the caller keeps the interrupt.
      }
      threads.forEach(Thread::interrupt);
    }

    @SuppressWarnings("NullAway") // every rank has set its result, which may be null if T allows it
    List<T> result() {
      threads.forEach(Thread::start);
      try {
        for (Thread thread : threads) {
          thread.join();
        }
      } catch (InterruptedException e) {
        end();
        Thread.currentThread().interrupt();
        throw new CancellationException("interrupted while " + size + " ranks were running");
      }
      RankFailure failure = failure();
      if (failure != null) {
        throw failure;
      }
      synchronized (results) {
        return new ArrayList<>(results);
      }
    }
  }
}
