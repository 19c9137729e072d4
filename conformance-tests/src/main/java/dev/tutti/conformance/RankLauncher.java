package dev.tutti.conformance;

import java.time.Duration;

/**
 * Starts ranks, has them do their assignment, and gathers their reports; leaves nothing running.
 */
interface RankLauncher {
  /**
   * Runs an assignment on all ranks and waits for them, but not forever.
   *
   * @param config the config string
   * @param ranks how many
   * @param limit after which all are stopped, and trouble is reported
   * @param progress told of rank 0's
   */
  Launched launch(
      String config, int ranks, Assignment assignment, Duration limit, Progress progress);
}
