package dev.tutti.tcp;

import dev.tutti.comm.NativeCommException;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.SlotPool;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The links of one rank in one group. Each rank listens on a port of its own for each group; where
 * the ranks find each other is exchanged through the store once. A pair connects on first use, and
 * always from the higher rank to the lower, so two never meet halfway. Who connects shows the
 * secret that the listener published for this group.
 *
 * <p><b>Threading.</b> Used under the group's lock only.
 */
final class Connections {
  private static final Logger LOG = System.getLogger(Connections.class.getName());
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final Duration HELLO_TIMEOUT = Duration.ofSeconds(10);

  /**
   * Where more wait to say who they are, the one that has been silent longest has to go: the peers
   * speak at once.
   */
  private static final int MOST_STRANGERS = 64;

  /** So often is a look at the listener left out while nobody is waited for. */
  private static final int LOOKS_LEFT_OUT = 64;

  private static final long WARNING_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final BackendProvider.Context group;
  private final Transport transport;
  private final Duration helloTimeout;
  private final Arena arena = Arena.ofShared();
  private final long secret = RANDOM.nextLong();
  private final List<Stranger> strangers = new ArrayList<>();
  private final Link[] links;
  private final boolean[] wanted;
  private int wantedCount;
  private int leftOut;
  private List<Endpoint> endpoints = List.of();
  private int missing;
  private long lastWarning = System.nanoTime() - WARNING_INTERVAL_NANOS;

  Connections(BackendProvider.Context group, Transport transport, SlotPool pool) {
    this(group, transport, pool, HELLO_TIMEOUT);
  }

  Connections(
      BackendProvider.Context group, Transport transport, SlotPool pool, Duration helloTimeout) {
    this.group = group;
    this.transport = transport;
    this.helloTimeout = helloTimeout;
    this.links = new Link[group.size()];
    for (int peer = 0; peer < links.length; peer++) {
      links[peer] = new Link(peer, group.epoch(), pool, arena);
    }
    this.wanted = new boolean[group.size()];
    this.missing = group.size() - 1 - group.rank();
  }

  /** Opens the listener and learns where the others listen; blocks until all ranks have called. */
  void open(InetAddress address) {
    Endpoint mine;
    try {
      InetSocketAddress bound = transport.listen(address);
      mine = new Endpoint(bound.getAddress(), bound.getPort(), secret, HostIdentity.get());
    } catch (IOException e) {
      throw new NativeCommException(
          0,
          "rank %d/%d of group %s cannot listen on %s: %s; choose another interface with iface="
              .formatted(
                  group.rank(),
                  group.size(),
                  group.group(),
                  address.getHostAddress(),
                  e.getMessage()),
          e);
    }
    List<Endpoint> all = new ArrayList<>();
    for (byte[] encoded :
        group.store().exchange("tcp", group.rank(), group.size(), mine.encode(), group.timeout())) {
      all.add(Endpoint.decode(encoded));
    }
    Endpoint.checkReachable(all);
    endpoints = all;
    if (missing == 0) {
      transport.closeListener();
    }
  }

  /** Returns what a peer must show to be let in. */
  long secret() {
    return secret;
  }

  Link link(int peer) {
    return links[peer];
  }

  /** Begins to connect to a peer that is to be used, or waits for it to do so. */
  void use(int peer) throws IOException {
    Link link = links[peer];
    if (link.isConnected()) {
      return;
    }
    if (peer > group.rank()) {
      wantedCount += wanted[peer] ? 0 : 1;
      wanted[peer] = true;
    } else {
      Endpoint to = endpoints.get(peer);
      boolean sameHost = to.isOnHostOf(endpoints.get(group.rank()));
      Wire wire = transport.connect(new InetSocketAddress(to.address(), to.port()), sameHost);
      link.attach(wire, to.secret(), group.rank(), group.size());
    }
  }

  /**
   * Lets in peers that have connected; returns whether any was. Looks only now and then where no
   * operation waits for one.
   */
  boolean acceptPending() {
    if (missing == 0 || (wantedCount == 0 && ++leftOut % LOOKS_LEFT_OUT != 0)) {
      return false;
    }
    int before = missing;
    for (Iterator<Stranger> each = strangers.iterator(); each.hasNext(); ) {
      if (!staysStrange(each.next())) {
        each.remove();
      }
    }
    try {
      Wire wire;
      for (int i = 0; i < MOST_STRANGERS && (wire = transport.accept()) != null; i++) {
        wire.interest(true, false);
        Stranger stranger = new Stranger(wire);
        if (staysStrange(stranger)) {
          strangers.add(stranger);
        }
        if (strangers.size() > MOST_STRANGERS) {
          turnAway(strangers.removeFirst().wire, "too many connections wait to say who they are");
        }
      }
    } catch (IOException e) {
      warn("the listener failed: " + e.getMessage());
    }
    if (missing == 0) {
      transport.closeListener();
      strangers.forEach(stranger -> turnAway(stranger.wire, "all ranks are connected"));
      strangers.clear();
    }
    return missing < before;
  }

  /** Lets a stranger in or turns it away, if it has said enough for that; else returns true. */
  private boolean staysStrange(Stranger stranger) {
    String refusal = stranger.greet();
    if (refusal != null && !refusal.isEmpty()) {
      turnAway(stranger.wire, refusal);
    }
    return refusal == null;
  }

  private void turnAway(Wire wire, String why) {
    wire.close();
    warn("a connection was refused: " + why);
  }

  private void warn(String what) {
    long now = System.nanoTime();
    if (now - lastWarning >= WARNING_INTERVAL_NANOS) {
      lastWarning = now;
      LOG.log(
          Logger.Level.WARNING,
          "group {0}, rank {1}/{2}: {3}",
          group.group(),
          group.rank(),
          group.size(),
          what);
    }
  }

  void close() {
    for (Link link : links) {
      link.close();
    }
    strangers.forEach(stranger -> stranger.wire.close());
    strangers.clear();
    transport.close();
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }

  /** A connection that has not said who it is. */
  private final class Stranger {
    private final Wire wire;
    private final MemorySegment hello = Arena.ofAuto().allocate(Frame.BYTES, 8);
    private final long since = System.nanoTime();
    private int read;

    Stranger(Wire wire) {
      this.wire = wire;
    }

    /**
     * Returns null while it has not said enough, the empty text once it is let in, or why it is
     * refused.
     */
    @Nullable String greet() {
      try {
        while (read < Frame.BYTES) {
          int n = wire.read(hello.address() + read, Frame.BYTES - read);
          if (n < 0) {
            return "it closed before it said who it is";
          }
          if (n == 0) {
            return System.nanoTime() - since > helloTimeout.toNanos()
                ? "it did not say who it is within " + helloTimeout.toSeconds() + " s"
                : null;
          }
          read += n;
        }
      } catch (IOException e) {
        return "it broke before it said who it is: " + e.getMessage();
      }
      return check();
    }

    private String check() {
      if (Frame.magic(hello, 0) != Frame.MAGIC || Frame.kind(hello, 0) != Frame.HELLO) {
        return "it does not speak Tutti's protocol";
      }
      if (Frame.version(hello, 0) != Frame.VERSION) {
        return "it speaks version "
            + Frame.version(hello, 0)
            + " of the protocol, this rank "
            + Frame.VERSION;
      }
      int from = Frame.from(hello, 0);
      if (Frame.epoch(hello, 0) != group.epoch()
          || Frame.secret(hello, 0) != secret
          || Frame.size(hello, 0) != group.size()) {
        return "it is of another group";
      }
      if (from <= group.rank() || from >= group.size() || links[from].isConnected()) {
        return "it says it is rank " + from + ", which is not expected";
      }
      links[from].attach(wire);
      if (endpoints.get(from).isOnHostOf(endpoints.get(group.rank()))) {
        transport.preferSameHost(wire);
      }
      missing--;
      wantedCount -= wanted[from] ? 1 : 0;
      return "";
    }
  }
}
