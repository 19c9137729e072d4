package dev.tutti.comm.internal;

/** The thread of one rank of {@link dev.tutti.comm.LocalRanks}. */
public final class RankThread extends Thread {
  private final int rank;
  private final Thread runner = Thread.currentThread();

  /**
   * Makes a thread, on the one that runs the ranks; it is yet to be started.
   *
   * @param rank the rank's number
   * @param body what the rank does
   */
  public RankThread(int rank, Runnable body) {
    super(body, "rank-" + rank);
    this.rank = rank;
  }

  /** Returns the rank's number. */
  public int rank() {
    return rank;
  }

  /** Returns the thread that runs the ranks, which tells them from those of another run. */
  public Thread runner() {
    return runner;
  }
}
