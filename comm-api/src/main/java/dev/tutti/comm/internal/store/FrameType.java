package dev.tutti.comm.internal.store;

/**
 * What frames there are between a rank and the job's server. A value keeps its meaning within a
 * protocol version.
 */
public final class FrameType {
  /** The first frame of either side: see {@link Hello} and {@link HelloReply}. */
  public static final byte HELLO = 1;

  /** The sender leaves in good order, or (the server) has understood that. */
  public static final byte GOODBYE = 2;

  /** From the server: the process that hosts it leaves in good order before the others. */
  public static final byte HOST_LEFT = 3;

  static final byte SET = 16;
  static final byte GET = 17;
  static final byte ADD = 18;
  static final byte COMPARE_AND_SET = 19;
  static final byte DELETE = 20;
  static final byte EXCHANGE = 21;

  /** The waiting request of this id was given up by its caller. */
  static final byte CANCEL = 22;

  static final byte DONE = 32;
  static final byte TIMED_OUT = 33;
  static final byte FAILED = 34;

  /** A group broke on some rank. */
  public static final byte BREAK = 48;

  /** A rank died. */
  public static final byte DEAD = 49;

  private FrameType() {}
}
