package dev.tutti.comm.internal.rendezvous;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.Deadline;
import dev.tutti.comm.internal.control.TcpControl;
import dev.tutti.comm.internal.store.Dialer;
import dev.tutti.comm.internal.store.Hello;
import dev.tutti.comm.internal.store.HostName;
import dev.tutti.comm.internal.store.TcpStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Meets the other ranks at a job server, and starts it where this rank hosts it. */
final class TcpMeeting {
  /** How long rank 0 tries the address that it is known by before it takes the short way. */
  private static final Duration OWN_ADDRESS = Duration.ofSeconds(1);

  /**
   * How long one look at a job file is good for: a later job may write another. Long enough for a
   * busy host: who gives up after it was let in looks like one that died.
   */
  private static final Duration OWN_FILE = Duration.ofSeconds(3);

  private final Plan plan;
  private final Deadline deadline;

  TcpMeeting(Plan plan, Deadline deadline) {
    this.plan = plan;
    this.deadline = deadline;
  }

  /** Meets at an address that all ranks know. */
  Membership at(MeetingPoint.Address at) {
    if (at.inLauncher() || plan.place().rank() != 0) {
      return join(at.host(), at.port(), plan.job(), deadline, () -> {});
    }
    InetSocketAddress listen =
        isLoopback(at.host())
            ? new InetSocketAddress(InetAddress.getLoopbackAddress(), at.port())
            : new InetSocketAddress(at.port());
    JobServer server = JobServer.bind(listen, plan.place().size(), plan.job(), 0, deadline);
    try {
      return joinOwn(at, server);
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /**
   * Joins this rank's own server by the address that the others use, so that the connection's local
   * address is one that they can reach; by loopback where the name does not lead here yet, as with
   * a cluster's service names.
   */
  private Membership joinOwn(MeetingPoint.Address at, JobServer server) {
    Deadline first = Deadline.after(min(OWN_ADDRESS, deadline.remaining().dividedBy(2)));
    try {
      return join(at.host(), at.port(), plan.job(), first, server::release);
    } catch (CommTimeoutException e) {
      String loopback = InetAddress.getLoopbackAddress().getHostAddress();
      return join(loopback, at.port(), plan.job(), deadline, server::release);
    }
  }

  /** Meets on one host, by a file that rank 0 writes. */
  Membership byFile(JobFile file) {
    return plan.place().rank() == 0 ? hostByFile(file) : joinByFile(file);
  }

  private Membership hostByFile(JobFile file) {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    String nonce = Nonce.next();
    String job = plan.job() + "." + nonce;
    JobServer server =
        JobServer.bind(new InetSocketAddress(loopback, 0), plan.place().size(), job, 0, deadline);
    try {
      file.write(server.port(), nonce);
      Runnable afterClose =
          () -> {
            file.remove(nonce);
            server.release();
          };
      return join(loopback.getHostAddress(), server.port(), job, deadline, afterClose);
    } catch (IOException e) {
      server.close();
      throw new ConfigException(
          "The job file " + file.path() + " cannot be written: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      file.remove(nonce);
      server.close();
      throw e;
    }
  }

  private Membership joinByFile(JobFile file) {
    String loopback = InetAddress.getLoopbackAddress().getHostAddress();
    String last = "it is not there";
    while (true) {
      try {
        JobFile.Entry entry = file.read();
        if (entry != null && entry.live()) {
          Deadline look = Deadline.after(min(OWN_FILE, deadline.remaining()));
          String job = plan.job() + "." + entry.nonce();
          return join(loopback, entry.port(), job, look, () -> {});
        }
        last = entry == null ? "it is not there" : "a former job left it, which is not joined";
      } catch (IOException e) {
        last = String.valueOf(e.getMessage());
      } catch (CommTimeoutException e) {
        last = String.valueOf(e.getMessage());
      }
      pause(file, last);
    }
  }

  private void pause(JobFile file, String last) {
    long nanos = TimeUnit.MILLISECONDS.toNanos(5);
    if (deadline.remainingNanos() <= nanos) {
      throw new CommTimeoutException(
          "Rank "
              + plan.place().rank()
              + " of "
              + plan.place().size()
              + " did not find rank 0 on this host within "
              + deadline.timeout().toMillis()
              + " ms: rank 0 writes the job file "
              + file.path()
              + " (last: "
              + last
              + "). Look whether rank 0 has started, on this host and under this user",
          null);
    }
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommAbortedException("Interrupted while waiting for " + file.path(), e);
    }
  }

  private Membership join(String host, int port, String job, Deadline until, Runnable afterClose) {
    Place place = plan.place();
    String self = HostName.get();
    String where = host + ":" + port;
    Hello hello = Hello.of(Hello.STORE, place.rank(), place.size(), job, self);
    Dialer.Dialed first = Dialer.dial(host, port, hello, until);
    InetAddress local = first.link().localAddress();
    Dialer.@Nullable Dialed second = null;
    try {
      // The store has welcomed this rank: from here on, the whole deadline is good.
      Hello line = Hello.of(Hello.CONTROL, place.rank(), place.size(), job, self);
      second = Dialer.dial(host, port, line, deadline);
    } catch (CommException | ConfigException e) {
      first.link().close();
      throw e;
    }
    TcpStore store = new TcpStore(first, where, deadline.timeout(), afterClose);
    TcpControl control = new TcpControl(second, place.rank(), where);
    return new Membership(
        place.rank(),
        place.size(),
        place.localRank(),
        place.localSize(),
        first.jobId(),
        self,
        store,
        control,
        plan.how() + ", store at " + where,
        local);
  }

  /**
   * Only what can be nothing else: a host name may mean loopback here and another address there.
   */
  private static boolean isLoopback(String host) {
    return host.equals("localhost") || host.equals("::1") || host.matches("127(\\.\\d+){3}");
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }
}
