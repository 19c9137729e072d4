package dev.tutti.comm.internal.launch;

import java.time.Duration;
import java.util.List;

/**
 * How a job ended.
 *
 * @param exitCode 0 if all ranks ended with 0; else that of the rank that failed first (128 and the
 *     signal's number if one ended it); 124 if the time was over
 * @param failedRank the rank that failed first, or -1 if none did by itself
 * @param lastLines that rank's last lines of output, at most 40, oldest first
 * @param elapsed from the first process's start to the last one's end
 * @param timedOut whether the job was ended because its time was over
 */
public record LaunchResult(
    int exitCode, int failedRank, List<String> lastLines, Duration elapsed, boolean timedOut) {
  /** The exit code of a job whose time was over, as with the command {@code timeout}. */
  public static final int TIMED_OUT = 124;

  /** Creates a result. */
  public LaunchResult {
    lastLines = List.copyOf(lastLines);
  }
}
