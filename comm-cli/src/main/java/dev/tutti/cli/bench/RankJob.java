package dev.tutti.cli.bench;

import dev.tutti.cli.runtime.OwnRuntime;
import dev.tutti.comm.internal.launch.LaunchResult;
import dev.tutti.comm.internal.launch.LaunchedJob;
import dev.tutti.comm.internal.launch.Launcher;
import dev.tutti.comm.spi.BackendProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The processes of one backend's ranks. What they print goes to standard error. */
final class RankJob implements AutoCloseable {
  /** How long the others may go on when one has failed: time to say why. */
  private static final Duration GRACE = Duration.ofSeconds(2);

  private final LaunchedJob job;
  private final boolean oneProcess;

  private RankJob(LaunchedJob job, boolean oneProcess) {
    this.job = job;
    this.oneProcess = oneProcess;
  }

  /**
   * Starts the processes.
   *
   * @param ranks how many ranks
   * @param settings what they are told
   * @param starter what has to start them, or null
   * @param token the word by which the conductor knows them
   */
  static RankJob start(
      int ranks, RankSettings settings, BackendProvider.@Nullable Starter starter, String token) {
    boolean oneProcess = settings.threads() > 0;
    List<String> command = new ArrayList<>(OwnRuntime.command(RankMain.class));
    command.addAll(settings.arguments());
    LaunchedJob job =
        Launcher.of(oneProcess ? 1 : ranks, command)
            .through(starter)
            .env(RankSettings.TOKEN, token)
            .grace(GRACE)
            .output(System.err, System.err)
            .start();
    return new RankJob(job, oneProcess);
  }

  /** Returns whether the ranks are threads of one process. */
  boolean isOneProcess() {
    return oneProcess;
  }

  /** Returns whether a process has ended. */
  boolean hasEnded() {
    return IntStream.range(0, job.size()).anyMatch(rank -> !job.process(rank).isAlive());
  }

  /** Ends what still runs, and returns how it ended as the end of a sentence. */
  String obituary() {
    job.close();
    try {
      LaunchResult result = job.await();
      return result.failedRank() < 0
          ? ""
          : String.format(
              Locale.ROOT,
              "; process %d ended with exit code %d after %.1f s, see its output above",
              result.failedRank(),
              result.exitCode(),
              result.elapsed().toMillis() / 1000.0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }

  /** Waits a moment for the processes to end by themselves, then ends them. */
  @Override
  public void close() {
    job.close();
  }
}
