package dev.tutti.comm.internal.rendezvous;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.Deadline;
import dev.tutti.comm.internal.control.ControlHub;
import dev.tutti.comm.internal.store.Dialer;
import dev.tutti.comm.internal.store.Frame;
import dev.tutti.comm.internal.store.FrameLink;
import dev.tutti.comm.internal.store.FrameType;
import dev.tutti.comm.internal.store.Hello;
import dev.tutti.comm.internal.store.HelloReply;
import dev.tutti.comm.internal.store.StoreService;
import java.io.EOFException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The one server of a job: its store and its control lines, on one port. It lives in rank 0's
 * process or in the launcher's, on virtual threads, and ends by itself when its host has released
 * it and no rank is connected.
 *
 * <p>A connection that does not speak the protocol is closed and is one line in the log; nothing
 * else is lost. All methods are thread-safe.
 */
public final class JobServer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(JobServer.class.getName());

  /** How many connections may wait to be accepted: all ranks may come at once. */
  private static final int BACKLOG = 1024;

  /** How many connections may not have said hello yet. */
  private static final int MAX_STRANGERS = 4096;

  private static final Duration HELLO_TIME = Duration.ofSeconds(10);
  private static final Duration FLUSH = Duration.ofSeconds(1);

  /** How long a process that ends stays for the ranks that still use its store. */
  private static final Duration LINGER = Duration.ofSeconds(2);

  /** The servers of this process that have not ended: a new one may want the port of an old one. */
  private static final Set<JobServer> ALIVE = ConcurrentHashMap.newKeySet();

  private final ServerSocketChannel listener;
  private final int port;
  private final String jobId;
  private final int hostRank;
  private final Duration helloTime;
  private final Roster roster;
  private final StoreService store;
  private final ControlHub control = new ControlHub();
  private final ScheduledThreadPoolExecutor timer;
  private final ThreadFactory threads;
  private final ThrottledLog log = new ThrottledLog(LOG);
  private final Set<SocketChannel> strangers = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final Thread acceptor;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread exitHook = new Thread(this::processEnds, "tutti-store-exit");

  private JobServer(
      ServerSocketChannel listener, int size, String job, int hostRank, Duration helloTime)
      throws IOException {
    this.listener = listener;
    this.port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
    this.jobId = job + "." + Nonce.next();
    this.hostRank = hostRank;
    this.helloTime = helloTime;
    this.roster = new Roster(size, job, jobId, hostRank);
    this.threads = Thread.ofVirtual().name("tutti-server-" + port + "-", 0).factory();
    this.acceptor = threads.newThread(this::accept);
    this.timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("tutti-server-timer-" + port).factory());
    timer.setRemoveOnCancelPolicy(true);
    // After the end, whatever it was to watch is closed already.
    timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    this.store = new StoreService(size, timer);
  }

  /**
   * Starts a server on an address. A server of this process that was released and still serves an
   * earlier job there is waited for.
   *
   * @param address where to listen; port 0 lets the system choose
   * @param size the number of ranks
   * @param job the job that ranks must name
   * @param hostRank the rank that this process is, or -1 if it is none of the job's
   * @param deadline when to stop waiting for a former server
   * @throws ConfigException if the port cannot be had
   */
  public static JobServer bind(
      InetSocketAddress address, int size, String job, int hostRank, Deadline deadline) {
    while (true) {
      // Looked for first: it may end while the port is tried.
      JobServer former = formerAt(address.getPort());
      try {
        ServerSocketChannel listener = ServerSocketChannel.open();
        try {
          listener.bind(address, BACKLOG);
        } catch (IOException | RuntimeException e) {
          listener.close();
          throw e;
        }
        return adopt(listener, size, job, hostRank);
      } catch (BindException e) {
        if (former == null || !former.awaitEnd(deadline.remaining())) {
          throw portTaken(address, former, e);
        }
      } catch (IOException e) {
        throw new ConfigException(
            "The job's store cannot listen on " + text(address) + ": " + e.getMessage(), e);
      }
    }
  }

  /**
   * Starts a server on a channel that is bound already: whoever chose the port has it.
   *
   * @param listener the bound channel, in blocking mode; the server closes it
   * @param size the number of ranks
   * @param job the job that ranks must name
   * @param hostRank the rank that this process is, or -1 if it is none of the job's
   */
  public static JobServer adopt(ServerSocketChannel listener, int size, String job, int hostRank)
      throws IOException {
    return start(listener, size, job, hostRank, HELLO_TIME);
  }

  static JobServer start(
      ServerSocketChannel listener, int size, String job, int hostRank, Duration helloTime)
      throws IOException {
    JobServer server = new JobServer(listener, size, job, hostRank, helloTime);
    ALIVE.add(server);
    if (hostRank >= 0) {
      Runtime.getRuntime().addShutdownHook(server.exitHook);
    }
    server.acceptor.start();
    server.threads.newThread(server::closeWhenUnused).start();
    return server;
  }

  /** Returns the port that it listens on. */
  public int port() {
    return port;
  }

  /** Returns the job's own id: the job's name and a nonce. */
  public String jobId() {
    return jobId;
  }

  /** Returns the rank that was the first to die, or whose group was the first to break. */
  public OptionalInt firstFailure() {
    return control.firstFailure();
  }

  /** Returns how many calls of all ranks wait in the store. */
  public int waiterCount() {
    return store.waiterCount();
  }

  /** Lets the server end by itself, as soon as no rank is connected. Returns at once. */
  public void release() {
    roster.release();
  }

  /** Waits until the server has ended and its port is free; returns whether it has. */
  public boolean awaitEnd(Duration timeout) {
    try {
      return ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Ends the server now: ranks that are still connected hear that its host leaves in good order.
   */
  @Override
  public void close() {
    end(true);
  }

  private void end(boolean inGoodOrder) {
    if (!closing.compareAndSet(false, true)) {
      awaitEnd(FLUSH.multipliedBy(2));
      return;
    }
    try {
      roster.release();
      closeListener();
      List<FrameLink> links = roster.links();
      Deadline deadline = Deadline.after(FLUSH);
      if (inGoodOrder) {
        links.forEach(link -> link.sendLast(new Frame(FrameType.HOST_LEFT)));
        // Until they hang up: a connection that is cut with unread bytes in it loses what was
        // sent last, and they would take it for a death.
        awaitEmpty(deadline);
      } else {
        flush(links, deadline);
      }
      links.forEach(FrameLink::close);
      strangers.forEach(stranger -> closeQuietly(null, stranger));
      timer.shutdownNow();
    } finally {
      ALIVE.remove(this);
      ended.countDown();
      forgetExitHook();
    }
  }

  /** Where a virtual thread accepts, the port is free only once that thread has seen the end. */
  private void closeListener() {
    try {
      listener.close();
      acceptor.join(FLUSH);
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "Closing the store's port", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void awaitEmpty(Deadline deadline) {
    try {
      roster.awaitEmpty(deadline);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void flush(List<FrameLink> links, Deadline deadline) {
    try {
      for (FrameLink link : links) {
        link.flush(deadline);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void forgetExitHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(exitHook);
    } catch (IllegalStateException e) {
      // The process is ending: the hook is what runs, or has run.
    }
  }

  /** Runs when the JVM ends: in good order if this rank has left its job, as a death if not. */
  private void processEnds() {
    if (roster.released()) {
      awaitEnd(LINGER);
      end(true);
    } else {
      died(hostRank, "its process ended without closing its group");
      end(false);
    }
  }

  private void closeWhenUnused() {
    try {
      roster.awaitEnd();
      end(true);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void accept() {
    while (listener.isOpen()) {
      try {
        SocketChannel channel = listener.accept();
        if (strangers.size() >= MAX_STRANGERS) {
          channel.close();
          log.warn("Store port " + port, "too many connections that have not said hello");
        } else {
          strangers.add(channel);
          threads.newThread(() -> greet(channel)).start();
        }
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException e) {
        log.warn("Store port " + port + " cannot accept a connection", String.valueOf(e));
        pause();
      }
    }
  }

  private static void pause() {
    try {
      // Most often out of file descriptors: trying at once again would only burn a core.
      Thread.sleep(50);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void greet(SocketChannel channel) {
    String peer = "unknown";
    FrameLink link = null;
    Hello hello = null;
    try {
      // Whoever ends the server either sees this stranger, or is seen here.
      if (!closing.get()) {
        peer = String.valueOf(channel.getRemoteAddress());
        Dialer.keepAlive(channel.socket());
        link = new FrameLink(channel.socket(), threads);
        hello = admitted(link, peer);
      }
    } catch (IOException e) {
      if (!closing.get()) {
        log.warn("Store port " + port + " dropped a connection", peer + ": " + e.getMessage());
      }
    } finally {
      strangers.remove(channel);
      if (hello == null) {
        closeQuietly(link, channel);
      }
    }
    if (link != null && hello != null) {
      serve(hello, link);
    }
  }

  /** Reads the hello and answers it; returns null if the connection was refused. */
  private @Nullable Hello admitted(FrameLink link, String peer) throws IOException {
    AtomicBoolean late = new AtomicBoolean();
    var watchdog =
        timer.schedule(
            () -> {
              late.set(true);
              link.close();
            },
            helloTime.toNanos(),
            TimeUnit.NANOSECONDS);
    try {
      Hello hello = Hello.from(link.read(Hello.MAX_BODY));
      HelloReply reply = roster.admit(hello, link);
      if (reply.status() == HelloReply.WELCOME) {
        return hello;
      }
      if (reply.status() == HelloReply.REFUSED) {
        log.warn(
            "Store port " + port + " refused a connection",
            peer + ", " + hello.sender() + ": " + reply.text());
      }
      link.sendLast(reply.frame());
      flush(List.of(link), Deadline.after(FLUSH));
      return null;
    } catch (EOFException e) {
      throw new IOException("it ended before a hello", e);
    } catch (IOException e) {
      throw late.get() ? new IOException("no hello within " + helloTime.toSeconds() + " s", e) : e;
    } finally {
      watchdog.cancel(false);
    }
  }

  private void serve(Hello hello, FrameLink link) {
    String end = null;
    try {
      if (hello.role() == Hello.CONTROL) {
        control.serve(link, hello.rank());
      } else {
        store.serve(link);
      }
      link.sendLast(new Frame(FrameType.GOODBYE));
      flush(List.of(link), Deadline.after(FLUSH));
    } catch (EOFException e) {
      end = "its process ended, or left without closing its group";
    } catch (ProtocolException e) {
      end = "it sent what is not the protocol: " + e.getMessage();
      log.warn("Store port " + port + " dropped a connection", hello.sender() + ": " + end);
    } catch (IOException e) {
      end = "its connection broke: " + e.getMessage();
    } catch (RuntimeException | Error e) {
      end = "the server failed: " + e;
      LOG.log(System.Logger.Level.ERROR, "Serving " + hello.sender(), e);
    } finally {
      if (roster.leave(hello, end == null) && !closing.get()) {
        died(hello.rank(), end + ", process " + hello.pid() + " on " + hello.host());
      }
      link.close();
    }
  }

  private void died(int rank, String reason) {
    control.died(rank, reason);
    store.died(rank, reason);
  }

  private static void closeQuietly(@Nullable FrameLink link, SocketChannel channel) {
    if (link != null) {
      link.close();
    }
    try {
      channel.close();
    } catch (IOException e) {
      // It is closed as far as it can be.
    }
  }

  private static @Nullable JobServer formerAt(int port) {
    for (JobServer server : ALIVE) {
      if (server.port == port && server.roster.released()) {
        return server;
      }
    }
    return null;
  }

  private static ConfigException portTaken(
      InetSocketAddress address, @Nullable JobServer former, IOException cause) {
    return new ConfigException(
        "The job's store cannot listen on "
            + text(address)
            + ": "
            + cause.getMessage()
            + (former == null
                ? ". Another job or program has that port: give this job another one (MASTER_PORT,"
                    + " or the port in the rendezvous address)"
                : ". An earlier job of this process has that port: "
                    + former.roster.stillHere()
                    + " still in it. Close its groups first"),
        cause);
  }

  private static String text(InetSocketAddress address) {
    return address.getAddress().isAnyLocalAddress()
        ? "port " + address.getPort()
        : address.getAddress().getHostAddress() + ":" + address.getPort();
  }
}
