package dev.tutti.comm.internal.store;

/**
 * One message on a connection to the job's server: a length, then this.
 *
 * @param type one of {@link FrameType}'s
 * @param id the request that it makes or answers, or 0
 * @param body what its type says, not to be written
 */
@SuppressWarnings("ArrayRecordComponent") // moved, never compared
public record Frame(byte type, long id, byte[] body) {
  /** Bytes before the body: length, type, id. */
  static final int HEADER_BYTES = Integer.BYTES + 1 + Long.BYTES;

  private static final byte[] EMPTY = {};

  /** Creates a frame that says nothing but its type. */
  public Frame(byte type) {
    this(type, 0, EMPTY);
  }
}
