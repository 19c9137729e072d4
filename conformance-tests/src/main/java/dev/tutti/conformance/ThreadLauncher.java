package dev.tutti.conformance;

import dev.tutti.comm.LocalRanks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Ranks that are threads of this process. */
final class ThreadLauncher implements RankLauncher {
  private static final Duration GRACE = Duration.ofSeconds(10);

  @Override
  public Launched launch(
      String config, int ranks, Assignment assignment, Duration limit, Progress progress) {
    AtomicReferenceArray<@Nullable RankReport> reports = new AtomicReferenceArray<>(ranks);
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Thread runner =
        Thread.ofPlatform()
            .name("conformance")
            .start(
                () -> {
                  try {
                    LocalRanks.run(
                        ranks,
                        config,
                        group -> {
                          threads.add(Thread.currentThread());
                          reports.set(
                              group.rank(),
                              assignment.perform(
                                  group, group.rank() == 0 ? progress : Progress.SILENT));
                        });
                  } catch (Throwable e) {
                    failure.set(e);
                  }
                });
    List<String> troubles = new ArrayList<>();
    if (!ended(runner, limit)) {
      troubles.add(
          "the ranks did not end within %d s and were interrupted; they were at:%s"
              .formatted(limit.toSeconds(), stacks()));
      // Interrupts the ranks in its turn, and does not wait for them.
      runner.interrupt();
      for (Thread rank : threads) {
        if (!ended(rank, GRACE)) {
          troubles.add("%s goes on in spite of the interrupt:%s".formatted(rank, stacks()));
        }
      }
    } else {
      Throwable thrown = failure.get();
      if (thrown != null) {
        troubles.add(describe(thrown));
      }
    }
    List<RankReport> ended = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      RankReport report = reports.get(rank);
      if (report != null) {
        ended.add(report);
      }
    }
    return new Launched(ended, troubles);
  }

  private static boolean ended(Thread thread, Duration limit) {
    try {
      return thread.join(limit);
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static String describe(Throwable failure) {
    StringBuilder text = new StringBuilder(String.valueOf(failure.getMessage()));
    for (Throwable other : failure.getSuppressed()) {
      text.append("; ").append(other.getMessage());
    }
    return text.toString();
  }

  private static String stacks() {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<Thread, StackTraceElement[]> entry : Thread.getAllStackTraces().entrySet()) {
      if (Objects.requireNonNull(entry.getKey()).getName().startsWith("rank-")) {
        text.append("\n  ").append(entry.getKey().getName());
        for (StackTraceElement frame : entry.getValue()) {
          text.append("\n    at ").append(frame);
        }
      }
    }
    return text.toString();
  }
}
