package dev.tutti.comm.internal.store;

import java.net.ProtocolException;

/**
 * The server's answer to a {@link Hello}.
 *
 * @param status {@link #WELCOME}, {@link #REFUSED} or {@link #LATER}
 * @param text the job's own id if welcome, else why not
 * @param hostRank the rank whose process the server lives in, or -1 if it lives in a launcher
 */
public record HelloReply(int status, String text, int hostRank) {
  /** The connection is the rank's. */
  public static final int WELCOME = 0;

  /** It will never be. */
  public static final int REFUSED = 1;

  /** Not now: an earlier job has not ended at this address. */
  public static final int LATER = 2;

  /** Returns the reply as a frame. */
  public Frame frame() {
    BodyWriter body = new BodyWriter().int64(Hello.MAGIC).int32(Hello.VERSION);
    return new Frame(FrameType.HELLO, 0, body.int8(status).text(text).int32(hostRank).toBytes());
  }

  static HelloReply from(Frame frame) throws ProtocolException {
    BodyReader body = new BodyReader(frame.body());
    if (frame.type() != FrameType.HELLO || body.int64() != Hello.MAGIC) {
      throw new ProtocolException("The connection does not begin with a hello");
    }
    int version = body.int32();
    if (version != Hello.VERSION) {
      return new HelloReply(
          REFUSED,
          "it speaks protocol version "
              + version
              + ", this process "
              + Hello.VERSION
              + ": all ranks must run the same version of Tutti",
          0);
    }
    return new HelloReply(body.int8(), body.text(), body.int32());
  }
}
