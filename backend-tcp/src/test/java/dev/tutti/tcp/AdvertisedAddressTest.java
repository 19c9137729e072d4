package dev.tutti.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.ConfigException;
import dev.tutti.tcp.AdvertisedAddress.Nic;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which address a rank tells the others. */
class AdvertisedAddressTest {
  private static final InetAddress ETH0 = InetAddress.ofLiteral("10.0.0.1");
  private static final InetAddress ETH0_6 = InetAddress.ofLiteral("fd00::1");
  private static final InetAddress LINK_LOCAL = InetAddress.ofLiteral("fe80::1");
  private static final InetAddress IB0 = InetAddress.ofLiteral("192.168.3.7");
  private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");
  private static final InetAddress LOOPBACK_6 = InetAddress.ofLiteral("::1");

  private static final List<Nic> NICS =
      List.of(
          new Nic("lo", List.of(LOOPBACK_6, LOOPBACK)),
          new Nic("eth0", List.of(LINK_LOCAL, ETH0_6, ETH0)),
          new Nic("ib0", List.of(IB0)));

  private static InetAddress choose(@Nullable InetAddress routed, String... iface) {
    return AdvertisedAddress.choose(List.of(iface), Map.of(), routed, NICS);
  }

  private static InetAddress choose(Map<String, String> environment, String... iface) {
    return AdvertisedAddress.choose(List.of(iface), environment, ETH0, NICS);
  }

  @Test
  void theOneRoutedToTheRendezvousByDefault() {
    assertThat(choose(IB0)).isEqualTo(IB0);
    assertThat(choose((InetAddress) null).isLoopbackAddress()).isTrue();
  }

  @Test
  void theRoutedOneIfItIsAllowed() {
    assertThat(choose(ETH0, "^ib")).isEqualTo(ETH0);
    assertThat(choose(ETH0_6, "eth0")).isEqualTo(ETH0_6);
    assertThat(choose(LOOPBACK, "lo")).isEqualTo(LOOPBACK);
  }

  @Test
  void elseTheListsFirstThatOthersCanReach() {
    assertThat(choose(ETH0, "ib0")).isEqualTo(IB0);
    assertThat(choose(LOOPBACK, "ib0", "eth0")).isEqualTo(IB0);
    assertThat(choose(LOOPBACK_6, "eth0", "ib0")).as("IPv4 before IPv6").isEqualTo(ETH0);
    assertThat(choose(IB0, "fd00::/16", "fe80::/10")).isEqualTo(ETH0_6);
    assertThat(choose(IB0, "fe80::/10", "::1", "127.0.0.1")).isEqualTo(LINK_LOCAL);
    assertThat(choose(IB0, "::1")).isEqualTo(LOOPBACK_6);
  }

  @Test
  void theVariablesWhereTheConfigSaysNothing() {
    assertThat(choose(Map.of("NCCL_SOCKET_IFNAME", "ib"))).isEqualTo(IB0);
    assertThat(choose(Map.of("GLOO_SOCKET_IFNAME", "ib0"))).isEqualTo(IB0);
    assertThat(choose(Map.of("GLOO_SOCKET_IFNAME", "ib0", "NCCL_SOCKET_IFNAME", "eth0")))
        .as("Gloo's is the one for sockets on hosts")
        .isEqualTo(IB0);
    assertThat(choose(Map.of("NCCL_SOCKET_IFNAME", " "))).isEqualTo(ETH0);
    assertThat(choose(Map.of("NCCL_SOCKET_IFNAME", "^ib"))).isEqualTo(ETH0);
    assertThat(choose(Map.of("NCCL_SOCKET_IFNAME", "^eth,lo"))).isEqualTo(IB0);
    assertThat(choose(Map.of("NCCL_SOCKET_IFNAME", "ib0"), "lo")).isEqualTo(LOOPBACK);
  }

  @Test
  void aListThatLeavesNothingNamesWhatThereIs() {
    assertThatThrownBy(() -> choose(ETH0, "eth7"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("iface=eth7 leaves no interface")
        .hasMessageContaining("ib0 [192.168.3.7]");
    assertThatThrownBy(() -> choose(Map.of("GLOO_SOCKET_IFNAME", "wlan0")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("GLOO_SOCKET_IFNAME=wlan0 leaves no interface");
  }
}
