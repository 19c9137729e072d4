package dev.tutti.comm.internal.rendezvous;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * A log in which what a stranger can cause without end is one line, and then one line each ten
 * seconds with a count.
 */
final class ThrottledLog {
  private static final long PAUSE_NANOS = Duration.ofSeconds(10).toNanos();

  private static final class Kind {
    private long until;
    private long swallowed;
  }

  private final System.Logger log;
  private final Map<String, Kind> kinds = new HashMap<>();

  ThrottledLog(System.Logger log) {
    this.log = log;
  }

  /**
   * Logs a warning, unless one of the same kind was logged just before.
   *
   * @param kind what happened; there are few of them
   * @param detail with what
   */
  void warn(String kind, String detail) {
    long swallowed;
    synchronized (this) {
      Kind state = kinds.get(kind);
      long now = System.nanoTime();
      if (state == null) {
        state = new Kind();
        kinds.put(kind, state);
      } else if (now - state.until < 0) {
        state.swallowed++;
        return;
      }
      state.until = now + PAUSE_NANOS;
      swallowed = state.swallowed;
      state.swallowed = 0;
    }
    String more = swallowed == 0 ? "" : " (and " + swallowed + " more like it)";
    log.log(System.Logger.Level.WARNING, kind + ": " + detail + more);
  }
}
