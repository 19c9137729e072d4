package dev.tutti.tcp;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.NativeCommException;
import dev.tutti.comm.spi.BackendProvider;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the address on which a rank listens and which it tells the others: the one that is routed
 * to the rendezvous, unless {@code iface=}, or a variable that NCCL or Gloo know, says otherwise.
 */
final class AdvertisedAddress {
  /** The variables whose lists are read where the config names no interface, in this order. */
  private static final List<String> VARIABLES = List.of("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME");

  /**
   * An interface that is up.
   *
   * @param name its name
   * @param addresses its addresses
   */
  record Nic(String name, List<InetAddress> addresses) {}

  private AdvertisedAddress() {}

  static InetAddress choose(BackendProvider.Context context) {
    return choose(
        context.options().list("iface"), System.getenv(), context.localAddress(), interfaces());
  }

  /**
   * Chooses among given interfaces.
   *
   * @param iface the config's list, empty if it has none
   * @param environment the environment's variables
   * @param routed the address that is routed to the rendezvous, or null if there is no such route
   */
  static InetAddress choose(
      List<String> iface,
      Map<String, String> environment,
      @Nullable InetAddress routed,
      List<Nic> interfaces) {
    InetAddress byDefault = routed == null ? InetAddress.getLoopbackAddress() : routed;
    String origin = "iface=" + String.join("+", iface);
    InterfaceFilter filter = iface.isEmpty() ? null : InterfaceFilter.of(iface, origin);
    for (String variable : VARIABLES) {
      String value = environment.get(variable);
      if (filter == null && value != null && !value.isBlank()) {
        origin = variable + "=" + value;
        filter = InterfaceFilter.ofVariable(value, origin);
      }
    }
    if (filter == null) {
      return byDefault;
    }
    List<InetAddress> allowed = filter.select(interfaces);
    if (allowed.isEmpty()) {
      throw new ConfigException(
          "%s leaves no interface; there are %s".formatted(origin, describe(interfaces)));
    }
    if (allowed.contains(byDefault)) {
      return byDefault;
    }
    // Stable: among equals the order of the list decides.
    return allowed.stream()
        .min(
            Comparator.comparing(InetAddress::isLoopbackAddress)
                .thenComparing(InetAddress::isLinkLocalAddress)
                .thenComparing(address -> !(address instanceof Inet4Address)))
        .orElseThrow();
  }

  private static String describe(List<Nic> interfaces) {
    List<String> each = new ArrayList<>();
    for (Nic nic : interfaces) {
      each.add(
          nic.name() + " " + nic.addresses().stream().map(InetAddress::getHostAddress).toList());
    }
    return String.join(", ", each);
  }

  private static List<Nic> interfaces() {
    try {
      List<Nic> up = new ArrayList<>();
      for (NetworkInterface nic : NetworkInterface.networkInterfaces().toList()) {
        if (nic.isUp()) {
          up.add(new Nic(nic.getName(), nic.inetAddresses().toList()));
        }
      }
      return up;
    } catch (SocketException e) {
      throw new NativeCommException(0, "cannot list the network interfaces: " + e.getMessage(), e);
    }
  }
}
