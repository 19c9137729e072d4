package dev.tutti.conformance;

import dev.tutti.comm.CommConfig;
import dev.tutti.comm.internal.Backends;
import dev.tutti.comm.internal.launch.LaunchResult;
import dev.tutti.comm.internal.launch.LaunchedJob;
import dev.tutti.comm.internal.launch.Launcher;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Ranks that are Java processes on this host, with the class path of this one. */
final class ProcessLauncher implements RankLauncher {
  /** How long the survivors of a planned death may take. */
  private static final Duration GRACE = Duration.ofSeconds(20);

  @Override
  public Launched launch(
      String config, int ranks, Assignment assignment, Duration limit, Progress progress) {
    try {
      Path folder = Files.createTempDirectory("tutti-conformance-");
      try {
        Files.createDirectory(temporary(folder));
        return launchIn(folder, config, ranks, assignment, limit, progress);
      } finally {
        delete(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Launched(List.of(), List.of("interrupted while the ranks were running"));
    }
  }

  private static Launched launchIn(
      Path folder,
      String config,
      int ranks,
      Assignment assignment,
      Duration limit,
      Progress progress)
      throws IOException, InterruptedException {
    Tail output = new Tail();
    Launcher launcher =
        Launcher.of(ranks, command(folder, config, assignment))
            .through(Backends.load().starter(CommConfig.parse(config), ranks))
            .timeout(limit)
            .grace(assignment.victim() >= 0 ? GRACE : Duration.ofSeconds(5))
            .output(output, output);
    LaunchResult result;
    try (LaunchedJob job = launcher.start()) {
      Thread watcher = Thread.ofVirtual().start(() -> watch(folder, progress));
      try {
        result = job.await();
      } finally {
        watcher.interrupt();
        watcher.join();
      }
    }
    List<RankReport> reports = new ArrayList<>();
    List<String> troubles = new ArrayList<>();
    List<String> left = filesIn(temporary(folder));
    if (!left.isEmpty() && assignment.victim() < 0) {
      troubles.add("the ranks left files behind: " + left);
    }
    for (int rank = 0; rank < ranks; rank++) {
      Path file = folder.resolve(RankMain.reportName(rank));
      if (Files.exists(file)) {
        reports.add(RankReport.parse(Files.readAllLines(file)));
      } else if (rank != assignment.victim()) {
        troubles.add("rank %d wrote no report".formatted(rank));
      }
    }
    if (result.timedOut()) {
      troubles.add("the ranks did not end within %d s".formatted(limit.toSeconds()));
    } else if (result.exitCode() != 0 && result.failedRank() != assignment.victim()) {
      troubles.add(
          "rank %d ended with exit code %d".formatted(result.failedRank(), result.exitCode()));
    }
    if (!troubles.isEmpty()) {
      troubles.add("the ranks' last output: " + output.text());
    }
    return new Launched(reports, troubles);
  }

  private static List<String> command(Path folder, String config, Assignment assignment) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.add("-XX:+UseSerialGC");
    command.add("-Djava.io.tmpdir=" + temporary(folder));
    if (assignment instanceof Assignment.Play) {
      // Short: not worth the second compiler's time.
      command.add("-XX:TieredStopAtLevel=1");
    }
    String modules = System.getProperty("jdk.module.path");
    if (modules != null) {
      command.addAll(List.of("-p", modules, "--add-modules", "ALL-MODULE-PATH"));
    }
    String classes = System.getProperty("java.class.path");
    if (classes != null && !classes.isEmpty()) {
      command.addAll(List.of("-cp", classes));
    }
    String main = RankMain.class.getName();
    String module = RankMain.class.getModule().getName();
    command.addAll(module == null ? List.of(main) : List.of("-m", module + "/" + main));
    command.add(folder.toString());
    command.add(config);
    command.addAll(assignment.words());
    return command;
  }

  private static void watch(Path folder, Progress progress) {
    Path file = folder.resolve("progress");
    @Nullable String last = null;
    while (true) {
      try {
        Thread.sleep(Duration.ofMillis(200));
        if (Files.exists(file)) {
          List<String> lines = Files.readAllLines(file);
          if (!lines.getFirst().equals(last)) {
            last = lines.getFirst();
            progress.at(Integer.parseInt(last), Integer.parseInt(lines.get(1)), lines.get(2));
          }
        }
      } catch (IOException e) {
        // The next look will tell.
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Where ranks put files that they need for a while. */
  private static Path temporary(Path folder) {
    return folder.resolve("temporary");
  }

  private static List<String> filesIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** Keeps the last of what was written. */
  private static final class Tail extends OutputStream {
    private static final int KEPT = 8192;

    private final byte[] ring = new byte[KEPT];
    private long written;

    @Override
    public synchronized void write(int b) {
      ring[(int) (written++ % KEPT)] = (byte) b;
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) {
      for (int i = 0; i < length; i++) {
        write(bytes[offset + i]);
      }
    }

    synchronized String text() {
      int length = (int) Math.min(written, KEPT);
      byte[] bytes = new byte[length];
      for (int i = 0; i < length; i++) {
        bytes[i] = ring[(int) ((written - length + i) % KEPT)];
      }
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }
}
