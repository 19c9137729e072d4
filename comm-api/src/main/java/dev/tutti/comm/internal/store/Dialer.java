package dev.tutti.comm.internal.store;

import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.Deadline;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Connects a rank to its job's server, which may not be up yet. */
public final class Dialer {
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int ATTEMPT_MILLIS = 3000;

  private Dialer() {}

  /**
   * A connection that the server has accepted.
   *
   * @param link the connection, past its hello
   * @param jobId the job's own id
   * @param hostRank the rank whose process the server lives in, or -1 if it lives in a launcher
   */
  public record Dialed(FrameLink link, String jobId, int hostRank) {}

  /**
   * Connects and says hello, again and again with growing pauses, until the server welcomes or
   * refuses this rank.
   *
   * @param host the server's host name or address; every address that the name has is tried
   * @param port the server's port
   * @param hello what to say
   * @param deadline when to give up
   * @throws ConfigException if the server refuses this rank, or is no server of Tutti's
   * @throws CommTimeoutException if there was no answer in time
   */
  public static Dialed dial(String host, int port, Hello hello, Deadline deadline) {
    String where = host + ":" + port;
    long pause = FIRST_PAUSE_NANOS;
    String last = "not tried";
    // What a server said counts for more than that the time was over before it could say it again.
    String word = null;
    while (true) {
      try {
        for (InetAddress address : resolve(host, deadline)) {
          try {
            Dialed dialed = attempt(new InetSocketAddress(address, port), where, hello, deadline);
            if (dialed != null) {
              return dialed;
            }
          } catch (Postponed e) {
            word = e.getMessage();
          } catch (ProtocolException e) {
            throw new ConfigException(
                "What listens at "
                    + where
                    + " is not the store of a Tutti job ("
                    + e.getMessage()
                    + "). Give the address of the rank that hosts it, or another port",
                e);
          } catch (ConnectException e) {
            word = null;
            last = address.getHostAddress() + ": " + e.getMessage();
          } catch (IOException e) {
            last = address.getHostAddress() + ": " + e.getMessage();
          }
        }
      } catch (IOException e) {
        last = "the name cannot be resolved: " + e.getMessage();
      }
      // Jitter, so that a thousand ranks do not knock at the same moment.
      long wait = pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1);
      if (deadline.remainingNanos() <= wait) {
        throw timeout(hello, where, deadline, word == null ? last : word);
      }
      try {
        TimeUnit.NANOSECONDS.sleep(wait);
      } catch (InterruptedException e) {
        throw StoreContract.interrupted("Connecting to the job's store at " + where);
      }
      pause = Math.min(LONGEST_PAUSE_NANOS, pause * 2);
    }
  }

  /**
   * Looks a name up; a name server that does not answer holds up the caller no longer than the
   * deadline.
   */
  private static InetAddress[] resolve(String host, Deadline deadline) throws IOException {
    FutureTask<InetAddress[]> lookup = new FutureTask<>(() -> InetAddress.getAllByName(host));
    Thread.ofPlatform().daemon().name("tutti-lookup-" + host).start(lookup);
    try {
      return lookup.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new IOException("the name server does not answer", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
    } catch (InterruptedException e) {
      throw StoreContract.interrupted("Looking up " + host);
    }
  }

  /** Makes the system notice a peer whose host is gone, within about 20 seconds. */
  public static void keepAlive(Socket socket) throws IOException {
    socket.setKeepAlive(true);
    for (SocketOption<?> option : socket.supportedOptions()) {
      // By name: the constants live in a module that not every runtime image has.
      switch (option.name()) {
        case "TCP_KEEPIDLE", "TCP_KEEPINTERVAL" -> setInt(socket, option, 5);
        case "TCP_KEEPCOUNT" -> setInt(socket, option, 3);
        default -> {}
      }
    }
    socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  @SuppressWarnings("unchecked")
  private static void setInt(Socket socket, SocketOption<?> option, int value) throws IOException {
    if (option.type() == Integer.class) {
      try {
        socket.setOption((SocketOption<Integer>) option, value);
      } catch (SocketException | UnsupportedOperationException e) {
        // The system's own figure stays.
      }
    }
  }

  /** Connects once; returns null if there is no time left for it. */
  private static @Nullable Dialed attempt(
      InetSocketAddress address, String where, Hello hello, Deadline deadline) throws IOException {
    int millis = millisLeft(deadline);
    if (millis == 0) {
      return null;
    }
    Socket socket = new Socket();
    boolean welcome = false;
    try {
      socket.connect(address, Math.min(millis, ATTEMPT_MILLIS));
      keepAlive(socket);
      FrameLink link =
          new FrameLink(
              socket, Thread.ofPlatform().daemon().name("tutti-line-" + where, 0).factory());
      socket.setSoTimeout(Math.max(1, millisLeft(deadline)));
      link.send(hello.frame());
      HelloReply reply = HelloReply.from(read(link));
      switch (reply.status()) {
        case HelloReply.WELCOME -> {}
        case HelloReply.LATER -> throw new Postponed(reply.text());
        default ->
            throw new ConfigException(
                "The job's store at " + where + " refuses " + hello.sender() + ": " + reply.text());
      }
      socket.setSoTimeout(0);
      welcome = true;
      return new Dialed(link, reply.text(), reply.hostRank());
    } finally {
      if (!welcome) {
        socket.close();
      }
    }
  }

  private static Frame read(FrameLink link) throws IOException {
    try {
      return link.read(Hello.MAX_BODY);
    } catch (SocketTimeoutException e) {
      throw new IOException(
          "connected, but what listens there does not answer (another program's port?)", e);
    } catch (EOFException e) {
      throw new IOException("the connection was closed before an answer", e);
    }
  }

  private static int millisLeft(Deadline deadline) {
    return (int) Math.min(Integer.MAX_VALUE, deadline.remaining().plusNanos(999_999).toMillis());
  }

  private static CommTimeoutException timeout(
      Hello hello, String where, Deadline deadline, String last) {
    return new CommTimeoutException(
        "Rank "
            + hello.rank()
            + " of "
            + hello.size()
            + " did not reach the job's store at "
            + where
            + " within "
            + StoreContract.seconds(deadline.timeout())
            + " (last: "
            + last
            + "). Look whether the rank that hosts it has started, and whether this host can"
            + " connect to that address and port",
        null);
  }

  /** The server asks to come again. */
  private static final class Postponed extends IOException {
    private static final long serialVersionUID = 1L;

    Postponed(String message) {
      super(message);
    }

    @Override
    public String getMessage() {
      return String.valueOf(super.getMessage());
    }
  }
}
