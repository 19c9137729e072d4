package dev.tutti.comm.internal.control;

import dev.tutti.comm.CollectiveMismatchException;
import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.NativeCommException;
import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.internal.store.BodyReader;
import dev.tutti.comm.internal.store.BodyWriter;
import dev.tutti.comm.internal.store.Frame;
import dev.tutti.comm.internal.store.FrameType;
import java.net.ProtocolException;

/**
 * "Rank r's membership in group g broke, because of c", as it travels: the cause's kind, its rank
 * or code, and its message. Its stack stays behind, and no class is named that the other side would
 * have to load.
 *
 * @param group the group's name
 * @param rank the rank that reports it; on the way to the server not looked at
 * @param cause what broke the group there
 */
record BreakNotice(String group, int rank, CommException cause) {
  private static final int MAX_MESSAGE_CHARS = 8 << 10;

  private static final int TIMEOUT = 0;
  private static final int PEER_FAILED = 1;
  private static final int MISMATCH = 2;
  private static final int ABORTED = 3;
  private static final int NATIVE = 4;

  Frame frame() {
    int kind =
        switch (cause) {
          case CommTimeoutException e -> TIMEOUT;
          case PeerFailedException e -> PEER_FAILED;
          case CollectiveMismatchException e -> MISMATCH;
          case CommAbortedException e -> ABORTED;
          case NativeCommException e -> NATIVE;
        };
    int number =
        switch (cause) {
          case PeerFailedException e -> e.rank();
          case NativeCommException e -> e.code();
          default -> 0;
        };
    String message = String.valueOf(cause.getMessage());
    if (message.length() > MAX_MESSAGE_CHARS) {
      message = message.substring(0, MAX_MESSAGE_CHARS) + "...";
    }
    BodyWriter body = new BodyWriter().text(group).int32(rank).int8(kind).int32(number);
    return new Frame(FrameType.BREAK, 0, body.text(message).toBytes());
  }

  static BreakNotice from(Frame frame) throws ProtocolException {
    BodyReader body = new BodyReader(frame.body());
    String group = body.text();
    int rank = body.int32();
    int kind = body.int8();
    int number = body.int32();
    String message = body.text();
    body.end();
    CommException cause =
        switch (kind) {
          case TIMEOUT -> new CommTimeoutException(message, null);
          case PEER_FAILED -> new PeerFailedException(number, message, null);
          case MISMATCH -> new CollectiveMismatchException(message, null);
          case ABORTED -> new CommAbortedException(message, null);
          case NATIVE -> new NativeCommException(number, message, null);
          default -> throw new ProtocolException("A break of unknown kind " + kind);
        };
    return new BreakNotice(group, rank, cause);
  }

  BreakNotice from(int sender) {
    return new BreakNotice(group, sender, cause);
  }
}
