package dev.tutti.tcp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A real transport whose sockets a test can count, and cut under a link's feet. */
final class WatchedTransport implements Transport {
  private final Transport real;
  private @Nullable InetSocketAddress listening;
  private final List<WatchedWire> connected = new ArrayList<>();
  private final List<WatchedWire> accepted = new ArrayList<>();

  WatchedTransport(Transport real) {
    this.real = real;
  }

  /** Where it listens. */
  InetSocketAddress listening() {
    if (listening == null) {
      throw new IllegalStateException("no listener");
    }
    return listening;
  }

  /** How many connections this side has made. */
  int connected() {
    return connected.size();
  }

  /** How many connections of others were taken. */
  int accepted() {
    return accepted.size();
  }

  /** How many of the taken connections are open. */
  long acceptedOpen() {
    return accepted.stream().filter(wire -> !wire.closed).count();
  }

  /** Closes the sockets of all connections; their links are not told. */
  void cut() {
    connected.forEach(wire -> wire.real.close());
    accepted.forEach(wire -> wire.real.close());
  }

  /** From now on every wire takes and gives at most so many bytes altogether, then it is cut. */
  void cutAfter(long bytes) {
    connected.forEach(wire -> wire.left = bytes);
    accepted.forEach(wire -> wire.left = bytes);
  }

  @Override
  public String name() {
    return real.name();
  }

  @Override
  public InetSocketAddress listen(InetAddress address) throws IOException {
    listening = real.listen(address);
    return listening;
  }

  @Override
  public @Nullable Wire accept() throws IOException {
    return watch(real.accept(), accepted);
  }

  @Override
  public Wire connect(InetSocketAddress peer, boolean sameHost) throws IOException {
    WatchedWire wire = new WatchedWire(real.connect(peer, sameHost));
    connected.add(wire);
    return wire;
  }

  private static @Nullable Wire watch(@Nullable Wire wire, List<WatchedWire> among) {
    if (wire == null) {
      return null;
    }
    WatchedWire watched = new WatchedWire(wire);
    among.add(watched);
    return watched;
  }

  @Override
  public void preferSameHost(Wire wire) {
    if (wire instanceof WatchedWire watched) {
      real.preferSameHost(watched.real);
    }
  }

  @Override
  public void await(long nanos) {
    real.await(nanos);
  }

  @Override
  public void wakeup() {
    real.wakeup();
  }

  @Override
  public void closeListener() {
    real.closeListener();
  }

  @Override
  public void close() {
    real.close();
  }

  private static final class WatchedWire implements Wire {
    private final Wire real;
    private long left = Long.MAX_VALUE;
    private boolean closed;

    WatchedWire(Wire real) {
      this.real = real;
    }

    @Override
    public long write(long address1, long length1, long address2, long length2) throws IOException {
      long first = Math.min(length1, left);
      return spend(real.write(address1, first, address2, Math.min(length2, left - first)));
    }

    @Override
    public int read(long address, long length) throws IOException {
      return (int) spend(real.read(address, Math.min(length, left)));
    }

    private long spend(long bytes) {
      left -= Math.max(0, bytes);
      if (left == 0) {
        left = 1;
        real.close();
      }
      return bytes;
    }

    @Override
    public void interest(boolean read, boolean write) {
      real.interest(read, write);
    }

    @Override
    public void close() {
      closed = true;
      real.close();
    }
  }
}
