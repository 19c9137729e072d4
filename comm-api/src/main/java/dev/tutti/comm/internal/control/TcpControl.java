package dev.tutti.comm.internal.control;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommException;
import dev.tutti.comm.internal.Deadline;
import dev.tutti.comm.internal.store.BodyReader;
import dev.tutti.comm.internal.store.Dialer;
import dev.tutti.comm.internal.store.Frame;
import dev.tutti.comm.internal.store.FrameLink;
import dev.tutti.comm.internal.store.FrameType;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.time.Duration;
import java.util.Objects;

/**
 * A rank's control line to the job's server. The server names the dead; the end of the line itself,
 * without the server's goodbye, is the death of the rank that hosts it.
 *
 * <p>A daemon thread reads; another, which lives only while there is something to tell, calls the
 * listeners.
 */
public final class TcpControl implements Control {
  private static final System.Logger LOG = System.getLogger(TcpControl.class.getName());
  private static final Duration BOUND = Duration.ofSeconds(1);

  private final FrameLink line;
  private final int rank;
  private final int hostRank;
  private final String where;
  private final Announcements announcements;
  private final Thread reader;
  private volatile boolean closed;
  private volatile boolean hostLeft;

  /**
   * Takes over a connection to the job's server.
   *
   * @param dialed the connection, past its hello
   * @param rank this rank
   * @param where the server's address, for messages
   */
  public TcpControl(Dialer.Dialed dialed, int rank, String where) {
    this.line = dialed.link();
    this.hostRank = dialed.hostRank();
    this.rank = rank;
    this.where = where;
    // Platform threads: a program that computes on virtual threads must not delay a death.
    this.announcements =
        new Announcements(
            Thread.ofPlatform().daemon().name("tutti-control-news-" + rank).factory());
    this.reader = Thread.ofPlatform().daemon().name("tutti-control-" + rank).unstarted(this::read);
    reader.start();
  }

  @Override
  public void subscribe(String group, Listener listener) {
    Objects.requireNonNull(group, "group");
    announcements.subscribe(group, Objects.requireNonNull(listener, "listener"));
  }

  @Override
  public void unsubscribe(String group) {
    announcements.unsubscribe(group);
  }

  @Override
  public void sendBreak(String group, CommException cause) {
    try {
      if (!closed && line.send(new BreakNotice(group, rank, cause).frame())) {
        line.flush(Deadline.after(BOUND));
      }
    } catch (InterruptedException e) {
      // The frame is on its way; the caller sees the interrupt at its next wait.
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "A break of group " + group + " was not sent", e);
    }
  }

  @Override
  public boolean detectsDeath() {
    return !hostLeft;
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    line.send(new Frame(FrameType.GOODBYE));
    try {
      // Until the server has understood: a connection that is cut with unread bytes in it looks
      // like a death on the other side.
      reader.join(BOUND);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      line.close();
    }
  }

  private void read() {
    try {
      while (true) {
        Frame frame = line.read(ControlHub.MAX_BODY);
        switch (frame.type()) {
          case FrameType.DEAD -> dead(frame);
          case FrameType.BREAK -> {
            BreakNotice notice = BreakNotice.from(frame);
            announcements.broken(notice.group(), notice.rank(), notice.cause());
          }
          case FrameType.HOST_LEFT -> {
            hostLeft = true;
            LOG.log(
                System.Logger.Level.DEBUG,
                "The host of the job''s store at {0} left before rank {1}: from now on, only"
                    + " timeouts tell who is gone",
                where,
                rank);
            return;
          }
          case FrameType.GOODBYE -> {
            return;
          }
          default ->
              throw new ProtocolException("Frame type " + frame.type() + " on a control line");
        }
      }
    } catch (EOFException e) {
      lost("the control line ended without a goodbye");
    } catch (IOException e) {
      lost("the control line broke: " + e.getMessage());
    } finally {
      line.close();
    }
  }

  private void dead(Frame frame) throws ProtocolException {
    BodyReader body = new BodyReader(frame.body());
    announcements.died(body.int32(), body.text());
  }

  private void lost(String what) {
    if (closed) {
      return;
    }
    if (hostRank >= 0 && hostRank != rank) {
      announcements.died(hostRank, "it hosts the job's store at " + where + ", and " + what);
    } else {
      announcements.lost(
          rank,
          new CommAbortedException(
              "This rank lost the job's "
                  + (hostRank < 0 ? "launcher" : "store")
                  + " at "
                  + where
                  + ": "
                  + what
                  + ". Whoever started the job is gone; start it again",
              null));
    }
  }
}
