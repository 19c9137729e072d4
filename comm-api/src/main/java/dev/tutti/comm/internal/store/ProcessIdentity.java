package dev.tutti.comm.internal.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * Which process this is, in a way that a later one with the same number is not mistaken for it: on
 * which host and boot, its number, and when it started.
 *
 * @param host the host's name and boot
 * @param process the process's number and start
 */
public record ProcessIdentity(String host, String process) {
  private static final String HOST = findHost();

  /** What is known of a process. */
  public enum State {
    /** It runs. */
    LIVE,
    /** It has ended. */
    ENDED,
    /** It belongs to another host, or to another boot of this one. */
    UNKNOWN
  }

  /** Returns this process's identity. */
  public static ProcessIdentity self() {
    return new ProcessIdentity(HOST, text(ProcessHandle.current()));
  }

  /** Returns a process's number and start: {@code 4711@1700000000000}. */
  public static String text(ProcessHandle process) {
    Optional<Instant> start = process.info().startInstant();
    return process.pid() + "@" + start.map(Instant::toEpochMilli).orElse(0L);
  }

  /** Returns whether the process still runs, as far as this one can tell. */
  public State state() {
    if (!host.equals(HOST)) {
      return State.UNKNOWN;
    }
    try {
      long pid = Long.parseLong(process.substring(0, process.indexOf('@')));
      Optional<ProcessHandle> found = ProcessHandle.of(pid);
      boolean same = found.isPresent() && text(found.get()).equals(process);
      return same ? State.LIVE : State.ENDED;
    } catch (NumberFormatException | IndexOutOfBoundsException e) {
      return State.ENDED;
    }
  }

  /** Returns "process 4711 on node1". */
  @Override
  public String toString() {
    int at = process.indexOf('@');
    int blank = host.indexOf(' ');
    return "process "
        + (at < 0 ? process : process.substring(0, at))
        + " on "
        + (blank < 0 ? host : host.substring(0, blank));
  }

  private static String findHost() {
    String boot = "";
    try {
      boot = Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    } catch (IOException | SecurityException e) {
      // Not Linux: the name alone must do.
    }
    return HostName.get() + " " + boot;
  }
}
