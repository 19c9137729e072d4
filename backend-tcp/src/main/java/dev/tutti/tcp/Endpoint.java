package dev.tutti.tcp;

import dev.tutti.comm.ConfigException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Where one rank listens for a group.
 *
 * @param address its address
 * @param port its port
 * @param secret what a connecting rank must show
 * @param host its host's identity
 */
record Endpoint(InetAddress address, int port, long secret, String host) {
  byte[] encode() {
    byte[] ip = address.getAddress();
    byte[] name = host.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(13 + ip.length + name.length)
        .put((byte) ip.length)
        .put(ip)
        .putInt(port)
        .putLong(secret)
        .put(name)
        .array();
  }

  static Endpoint decode(byte[] encoded) {
    ByteBuffer from = ByteBuffer.wrap(encoded);
    byte[] ip = new byte[from.get()];
    from.get(ip);
    int port = from.getInt();
    long secret = from.getLong();
    byte[] name = new byte[from.remaining()];
    from.get(name);
    try {
      return new Endpoint(
          InetAddress.getByAddress(ip), port, secret, new String(name, StandardCharsets.UTF_8));
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("no address of " + ip.length + " bytes", e);
    }
  }

  boolean isOnHostOf(Endpoint other) {
    return host.equals(other.host);
  }

  /**
   * Refuses loopback addresses between hosts: they would be reached by nobody, or by the wrong
   * process.
   */
  static void checkReachable(List<Endpoint> all) {
    long hosts = all.stream().map(Endpoint::host).distinct().count();
    for (int rank = 0; rank < all.size(); rank++) {
      if (hosts > 1 && all.get(rank).address().isLoopbackAddress()) {
        throw new ConfigException(
            "rank %d advertises the loopback address %s, but the ranks are on %d hosts; name the interface that the hosts share with tcp?iface= (or correct that host's name resolution)"
                .formatted(rank, all.get(rank).address().getHostAddress(), hosts));
      }
    }
  }
}
