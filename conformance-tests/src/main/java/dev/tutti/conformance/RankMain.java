package dev.tutti.conformance;

import dev.tutti.comm.CommConfig;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.internal.Backends;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;

/**
 * What a rank that is a process of its own runs: joins the job that the environment names, does its
 * assignment, writes its report into a folder.
 */
public final class RankMain {
  private static final long PROGRESS_INTERVAL_NANOS = 200_000_000;
  private static final Duration ENDS_WITHIN = Duration.ofSeconds(5);
  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  private static final String READY = "ready-";

  private RankMain() {}

  /**
   * Runs one rank.
   *
   * @param args the folder, the config string, and the assignment's words
   * @throws IOException if the report cannot be written
   */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    // Needed before the group is there, and if it never is.
    int rank = Integer.parseInt(System.getenv().getOrDefault("RANK", "0"));
    boolean ofTheProcess = belongsToTheProcess(args[1]);
    Leftovers before = ofTheProcess ? Leftovers.now().butSockets() : Leftovers.now();
    Assignment assignment = Assignment.parse(List.of(args).subList(2, args.length), before);
    awaitAll(folder, rank);
    RankReport report =
        perform(assignment, args[1], rank, rank == 0 ? progressFile(folder) : Progress.SILENT);
    if (report.failure() == null && !ofTheProcess) {
      List<String> left = before.awaitNone(ENDS_WITHIN);
      report = left.isEmpty() ? report : report.failedWith("left after close: " + left);
    }
    write(folder, reportName(rank), report.lines());
  }

  /**
   * Returns whether a backend stands on a library that is started once in a process and keeps what
   * it opened until the process ends: MPI, which a program of its own starts.
   */
  private static boolean belongsToTheProcess(String config) {
    return Backends.load().starter(CommConfig.parse(config), 1) != null;
  }

  private static RankReport perform(
      Assignment assignment, String config, int rank, Progress progress) {
    RankReport report = new RankReport(rank, 0, "", List.of(), List.of(), "it did not begin");
    try (ProcessGroup group = ProcessGroup.init(config)) {
      report = assignment.perform(group, progress);
    } catch (Throwable e) {
      // There was no group, or it could not be closed.
      report = report.failedWith(e.toString());
    }
    return report;
  }

  /**
   * Waits until all ranks' processes run: the time that a group has to be made, which may be as
   * short as a scenario wants, is not for starting Java.
   */
  private static void awaitAll(Path folder, int rank) throws IOException {
    int size = Integer.parseInt(System.getenv().getOrDefault("WORLD_SIZE", "1"));
    Files.createFile(folder.resolve(READY + rank));
    long end = System.nanoTime() + START_LIMIT.toNanos();
    for (int other = 0; other < size; other++) {
      while (!Files.exists(folder.resolve(READY + other)) && System.nanoTime() < end) {
        Stage.pause(Duration.ofMillis(5));
      }
    }
  }

  static String reportName(int rank) {
    return "rank-" + rank;
  }

  private static Progress progressFile(Path folder) {
    long[] last = {System.nanoTime()};
    return (done, total, current) -> {
      long now = System.nanoTime();
      if (now - last[0] < PROGRESS_INTERVAL_NANOS) {
        return;
      }
      last[0] = now;
      try {
        write(folder, "progress", List.of("" + done, "" + total, current));
      } catch (IOException e) {
        // Nobody depends on it.
      }
    };
  }

  /** Whole or not at all. */
  private static void write(Path folder, String name, List<String> lines) throws IOException {
    Path unfinished = folder.resolve(name + ".new");
    Files.write(unfinished, lines);
    Files.move(unfinished, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
  }
}
