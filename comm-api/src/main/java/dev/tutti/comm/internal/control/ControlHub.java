package dev.tutti.comm.internal.control;

import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.internal.store.BodyWriter;
import dev.tutti.comm.internal.store.Frame;
import dev.tutti.comm.internal.store.FrameLink;
import dev.tutti.comm.internal.store.FrameType;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The control lines' side of the job's server: it relays breaks to all other ranks, and names the
 * dead. Who connects late hears what was said before.
 *
 * <p>{@link #serve} runs on the connection's own thread; relaying holds up nobody.
 */
public final class ControlHub {
  /** The largest body on a control line, in bytes: a break with the longest message. */
  static final int MAX_BODY = 64 << 10;

  /** A group that breaks makes every rank report; after these, another cause is no news. */
  private static final int MAX_BREAKS_PER_GROUP = 16;

  private int firstFailure = -1;
  private final Map<Integer, FrameLink> lines = new HashMap<>();
  private final Map<Integer, Frame> deaths = new LinkedHashMap<>();
  private final Map<String, Map<Integer, Frame>> breaks = new LinkedHashMap<>();

  /**
   * Serves a rank's control line until it ends.
   *
   * @throws EOFException if it ended without a goodbye
   * @throws ProtocolException if what came does not belong on a control line
   * @throws IOException if it broke
   */
  public void serve(FrameLink line, int rank) throws IOException {
    synchronized (this) {
      lines.put(rank, line);
      deaths.values().forEach(line::send);
      for (Map<Integer, Frame> known : breaks.values()) {
        known.values().forEach(line::send);
      }
    }
    try {
      while (true) {
        Frame frame = line.read(MAX_BODY);
        switch (frame.type()) {
          case FrameType.GOODBYE -> {
            return;
          }
          case FrameType.BREAK -> relay(BreakNotice.from(frame).from(rank));
          default ->
              throw new ProtocolException("Frame type " + frame.type() + " on a control line");
        }
      }
    } finally {
      synchronized (this) {
        lines.remove(rank);
      }
    }
  }

  /**
   * Tells all ranks that one died.
   *
   * @param rank the rank that died
   * @param reason what was seen
   */
  public synchronized void died(int rank, String reason) {
    Frame frame = new Frame(FrameType.DEAD, 0, new BodyWriter().int32(rank).text(reason).toBytes());
    if (deaths.putIfAbsent(rank, frame) == null) {
      firstFailure = firstFailure < 0 ? rank : firstFailure;
      toOthers(rank, frame);
    }
  }

  /** Returns the rank that was the first to die, or whose group was the first to break. */
  public synchronized OptionalInt firstFailure() {
    return firstFailure < 0 ? OptionalInt.empty() : OptionalInt.of(firstFailure);
  }

  private synchronized void relay(BreakNotice notice) {
    Map<Integer, Frame> known = breaks.computeIfAbsent(notice.group(), g -> new LinkedHashMap<>());
    if (known.size() < MAX_BREAKS_PER_GROUP) {
      Frame frame = notice.frame();
      if (known.putIfAbsent(notice.rank(), frame) == null) {
        if (firstFailure < 0) {
          firstFailure = notice.cause() instanceof PeerFailedException e ? e.rank() : notice.rank();
        }
        toOthers(notice.rank(), frame);
      }
    }
  }

  private void toOthers(int rank, Frame frame) {
    lines.forEach(
        (other, line) -> {
          if (other != rank) {
            line.send(frame);
          }
        });
  }
}
