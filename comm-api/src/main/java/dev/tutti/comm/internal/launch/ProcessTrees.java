package dev.tutti.comm.internal.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The processes of a job and all that they have started. Children that outlive their parent are
 * found by the job's variable in their environment, where the system shows it.
 */
final class ProcessTrees {
  private static final Path PROC = Path.of("/proc");

  private final byte[] mark;
  private final Set<ProcessHandle> roots = new LinkedHashSet<>();
  private final Set<ProcessHandle> seen = new LinkedHashSet<>();

  /**
   * Creates the set.
   *
   * @param variable what stands in the environment of the job's processes only, {@code NAME=value}
   */
  ProcessTrees(String variable, List<Process> processes) {
    this.mark = ("\0" + variable + "\0").getBytes(StandardCharsets.UTF_8);
    processes.forEach(process -> roots.add(process.toHandle()));
  }

  /** Asks all to end (SIGTERM). */
  void terminate() {
    alive().forEach(ProcessHandle::destroy);
  }

  /** Ends all that still run (SIGKILL). */
  void kill() {
    alive().forEach(ProcessHandle::destroyForcibly);
  }

  /**
   * Asks all to end, and ends those that have not in time. Returns when none runs, or two further
   * seconds have passed.
   *
   * @param patience how long to wait between the two
   */
  void end(Duration patience) {
    if (alive().isEmpty()) {
      return;
    }
    terminate();
    if (!awaitNone(patience)) {
      kill();
      awaitNone(Duration.ofSeconds(2));
    }
  }

  private boolean awaitNone(Duration patience) {
    long end = System.nanoTime() + patience.toNanos();
    while (true) {
      // The whole search is dear: only when those that are known have ended.
      if (known().isEmpty() && alive().isEmpty()) {
        return true;
      }
      if (System.nanoTime() - end > 0) {
        return false;
      }
      try {
        TimeUnit.MILLISECONDS.sleep(10);
      } catch (InterruptedException e) {
        // What is left must be ended all the same.
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }

  /** Returns all that run; a process once seen is remembered when its parent is gone. */
  synchronized Set<ProcessHandle> alive() {
    seen.addAll(roots);
    for (ProcessHandle process : Set.copyOf(seen)) {
      process.descendants().forEach(seen::add);
    }
    addMarked();
    return known();
  }

  private synchronized Set<ProcessHandle> known() {
    seen.removeIf(process -> !runs(process));
    return new LinkedHashSet<>(seen);
  }

  /** A process that has ended and that nobody has asked for its result is not running. */
  private static boolean runs(ProcessHandle process) {
    if (!process.isAlive()) {
      return false;
    }
    try {
      String stat = Files.readString(PROC.resolve(process.pid() + "/stat"));
      // The name, in parentheses, may hold anything; the state is the letter behind it.
      int behindName = stat.lastIndexOf(')') + 2;
      return behindName >= stat.length() || "ZX".indexOf(stat.charAt(behindName)) < 0;
    } catch (IOException e) {
      return process.isAlive();
    }
  }

  private void addMarked() {
    if (!Files.isDirectory(PROC)) {
      return;
    }
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        if (isMarked(process.resolve("environ"))) {
          ProcessHandle.of(Long.parseLong(String.valueOf(process.getFileName())))
              .ifPresent(seen::add);
        }
      }
    } catch (IOException | DirectoryIteratorException | NumberFormatException e) {
      // The parents' lists must do.
    }
  }

  private boolean isMarked(Path environ) {
    try {
      byte[] variables = Files.readAllBytes(environ);
      for (int i = -1; i <= variables.length - mark.length + 1; i++) {
        if (matches(variables, i)) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      // Another user's, or just gone.
      return false;
    }
  }

  /** Compares from {@code at}; before the first and behind the last byte there is a NUL. */
  private boolean matches(byte[] variables, int at) {
    int from = at < 0 ? 1 : 0;
    int to = at + mark.length > variables.length ? mark.length - 1 : mark.length;
    return Arrays.equals(variables, at + from, at + to, mark, from, to);
  }
}
