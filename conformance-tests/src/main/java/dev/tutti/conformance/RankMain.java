package dev.tutti.conformance;

import dev.tutti.comm.ProcessGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * What a rank that is a process of its own runs: joins the job that the environment names, does its
 * assignment, writes its report into a folder.
 */
public final class RankMain {
  private static final long PROGRESS_INTERVAL_NANOS = 200_000_000;

  private RankMain() {}

  /**
   * Runs one rank.
   *
   * @param args the folder, the config string, and the assignment's words
   * @throws IOException if the report cannot be written
   */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    // Before the group is there, and if it never is.
    int rank = Integer.parseInt(System.getenv().getOrDefault("RANK", "0"));
    Assignment assignment = Assignment.parse(List.of(args).subList(2, args.length));
    RankReport report = new RankReport(rank, 0, "", List.of(), List.of(), "it did not begin");
    try (ProcessGroup group = ProcessGroup.init(args[1])) {
      report = assignment.perform(group, rank == 0 ? progressFile(folder) : Progress.SILENT);
    } catch (Throwable e) {
      // There was no group, or it could not be closed.
      report = report.failedWith(e.toString());
    }
    write(folder, reportName(rank), report.lines());
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
