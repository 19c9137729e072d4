package dev.tutti.junit;

import dev.tutti.comm.LocalRanks;
import dev.tutti.comm.internal.config.Units;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;

/**
 * One run of a test method on all ranks.
 *
 * @param size how many ranks
 * @param config the groups' config string
 * @param limit how long the run may take
 */
record RankRun(int size, String config, Duration limit) {
  /** How long ranks may take to end once they are told to. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  /**
   * Calls the body on every rank, and returns when all are done.
   *
   * @throws Throwable what was thrown by the rank that failed first, with its number; or that the
   *     ranks did not end
   */
  void execute(LocalRanks.Body body) throws Throwable {
    RankFailures failures = new RankFailures(this);
    FutureTask<@Nullable Void> run =
        new FutureTask<>(
            () -> {
              LocalRanks.run(
                  size,
                  config,
                  group -> {
                    try {
                      body.run(group);
                    } catch (Throwable e) {
                      failures.add(group.rank(), e);
                      throw e;
                    }
                  });
              return null;
            });
    RankThreads threads = RankThreads.start(run);
    try {
      run.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      // A group that could not be set up or closed: that is no rank's body.
      throw failures.isEmpty() ? e.getCause() : failures.merged();
    } catch (TimeoutException e) {
      throw endedBy(Units.formatDuration(limit) + " had passed", threads, failures);
    } catch (InterruptedException e) {
      throw endedBy("an interrupt came", threads, failures);
    }
    List<String> left = threads.left(GRACE);
    if (!left.isEmpty()) {
      throw new AssertionFailedError(
          "%s left groups open, as these threads tell: %s; close what split returned, by try (ProcessGroup half = group.split(…).orElseThrow())"
              .formatted(this, left));
    }
  }

  /** Ends all ranks, and returns what they were doing. */
  private Throwable endedBy(String why, RankThreads threads, RankFailures failures) {
    Map<Integer, String> stacks = threads.stacks();
    RankFailures before = failures.copy();
    threads.interrupt();
    threads.awaitEnd(GRACE);
    StringBuilder text = new StringBuilder();
    text.append(
        "%d of %d ranks over %s had not ended when %s".formatted(stacks.size(), size, config, why));
    for (int rank = 0; rank < size; rank++) {
      String stack = stacks.get(rank);
      text.append("\n  rank ").append(rank).append(": ");
      text.append(stack == null ? "had ended" : failures.of(rank) + stack);
    }
    Map<Integer, String> stuck = threads.stacks();
    if (!stuck.isEmpty()) {
      text.append("\n  In spite of abort and interrupt still there: ranks ").append(stuck.keySet());
    }
    AssertionFailedError hang = new AssertionFailedError(text.toString());
    if (before.isEmpty()) {
      return hang;
    }
    Throwable first = before.merged();
    first.addSuppressed(hang);
    return first;
  }

  /** What an invocation is called. */
  @Override
  public String toString() {
    return "%d %s, %s".formatted(size, size == 1 ? "rank" : "ranks", config);
  }
}
