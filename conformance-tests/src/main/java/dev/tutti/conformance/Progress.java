package dev.tutti.conformance;

/** Told how far a run has come. */
@FunctionalInterface
public interface Progress {
  /** Tells nobody. */
  Progress SILENT = (done, total, current) -> {};

  /**
   * Some of the work is done. Called by one thread at a time, now and then.
   *
   * @param done how many cases and scenarios have ended
   * @param total how many there are
   * @param current what comes next
   */
  void at(int done, int total, String current);
}
