package dev.tutti.tcp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * One group's sockets on this rank: a listener, wires, and a way to wait for any of them.
 *
 * <p><b>Threading.</b> {@link #await} is called by one thread at a time without the group's lock;
 * {@link #wakeup} by any; the rest under the group's lock.
 */
interface Transport {
  /** Returns its name in traces: {@code epoll} or {@code nio}. */
  String name();

  /**
   * Opens the listener on a free port.
   *
   * @param address where to listen, and nowhere else
   * @return the address with the port
   */
  InetSocketAddress listen(InetAddress address) throws IOException;

  /** Returns the next connection that a peer made, or null if there is none now. */
  @Nullable Wire accept() throws IOException;

  /**
   * Begins to connect; the wire takes no bytes until it is connected, and throws if that fails.
   *
   * @param peer the peer's listener
   * @param sameHost whether the peer is on this host, where other settings are faster
   */
  Wire connect(InetSocketAddress peer, boolean sameHost) throws IOException;

  /** Gives a connection that a peer on this host made the settings that are faster there. */
  void preferSameHost(Wire wire);

  /**
   * Waits until a wire or the listener is ready, {@link #wakeup} was called, or the time is over.
   */
  void await(long nanos);

  /** Ends an {@link #await} in progress, or the next one. */
  void wakeup();

  /** Closes the listener, since nobody else is to connect; idempotent, never throws. */
  void closeListener();

  /** Closes the listener and what else is not a wire; idempotent, never throws. */
  void close();
}
