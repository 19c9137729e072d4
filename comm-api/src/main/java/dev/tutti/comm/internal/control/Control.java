package dev.tutti.comm.internal.control;

import dev.tutti.comm.CommException;

/**
 * Each rank's line to the rest of the job, whatever the backend. Its end names a dead rank to all
 * others; a rank whose group breaks says so on it before it closes anything, so that the messenger
 * is never blamed.
 *
 * <p>Ranks here are the job's (world ranks). All methods may be called from any thread.
 */
public interface Control extends AutoCloseable {
  /**
   * What a group wants to hear. Called on a thread of the control line, which it must not hold up.
   */
  interface Listener {
    /**
     * A rank's membership in the group broke.
     *
     * @param worldRank the rank that reports it
     * @param cause what broke it there; a {@link dev.tutti.comm.PeerFailedException}'s rank is a
     *     world rank
     */
    void broken(int worldRank, CommException cause);

    /**
     * A rank's process ended, or its line did, without a goodbye.
     *
     * @param worldRank the rank that died
     * @param reason what was seen, for the message
     */
    void died(int worldRank, String reason);
  }

  /**
   * Registers a group's listener. Deaths of any rank, and breaks of this group, that were reported
   * before are delivered at once.
   *
   * @param group the group's name, the same on all of its ranks, unique in the job
   */
  void subscribe(String group, Listener listener);

  /** Removes a group's listener. */
  void unsubscribe(String group);

  /**
   * Tells all other ranks of the job that this rank's membership in a group broke. Returns once the
   * message is handed to the line, or after a second; never throws.
   *
   * @param group the group's name
   * @param cause what broke it; a {@link dev.tutti.comm.PeerFailedException}'s rank must be a world
   *     rank
   */
  void sendBreak(String group, CommException cause);

  /**
   * Returns whether deaths are seen at all; false with a file store, where only timeouts are
   * promised.
   */
  boolean detectsDeath();

  /**
   * Says goodbye and ends the line: no death is reported to the others. Idempotent, bounded by a
   * second.
   */
  @Override
  void close();
}
