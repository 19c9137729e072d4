package dev.tutti.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.ConfigException;
import dev.tutti.tcp.AdvertisedAddress.Nic;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The grammar of {@code iface=}, and that of the variables of NCCL and Gloo. */
class InterfaceFilterTest {
  /** Each address as it is written here; Java writes IPv6 in another way. */
  private static final Map<InetAddress, String> WRITTEN = new HashMap<>();

  private static final List<Nic> NICS =
      List.of(
          nic("lo", "127.0.0.1", "::1"),
          nic("eth10", "10.10.0.1"),
          nic("eth1", "10.1.0.1", "fd00:1::1"),
          nic("eth0", "10.0.0.1", "fd00::1", "fe80::1"),
          nic("ib0", "192.168.3.7"),
          nic("docker0", "172.17.0.1"));

  private static Nic nic(String name, String... addresses) {
    List<InetAddress> parsed = new ArrayList<>();
    for (String address : addresses) {
      parsed.add(InetAddress.ofLiteral(address));
      WRITTEN.put(parsed.getLast(), address);
    }
    return new Nic(name, parsed);
  }

  private static String selected(InterfaceFilter filter) {
    return String.join(" ", filter.select(NICS).stream().map(WRITTEN::get).toList());
  }

  private static String ofConfig(String list) {
    return selected(InterfaceFilter.of(List.of(list.split("\\+", -1)), "iface=" + list));
  }

  private static String ofVariable(String value) {
    return selected(InterfaceFilter.ofVariable(value, "NCCL_SOCKET_IFNAME=" + value));
  }

  @ParameterizedTest
  @CsvSource({
    "eth0, 10.0.0.1 fd00::1 fe80::1",
    "=eth1, 10.1.0.1 fd00:1::1",
    "eth1, 10.1.0.1 fd00:1::1 10.10.0.1",
    "ib0+eth10, 192.168.3.7 10.10.0.1",
    "eth*+^eth0, 10.1.0.1 fd00:1::1 10.10.0.1",
    "eth+^=eth1+^=eth0, 10.10.0.1",
    "10.1.0.1, 10.1.0.1",
    "10.0.0.0/8, 10.0.0.1 10.1.0.1 10.10.0.1",
    "10.0.0.0/15, 10.0.0.1 10.1.0.1",
    "0.0.0.0/0+^127.0.0.0/8+^docker+^10.0.0.0/8, 192.168.3.7",
    "fd00::/16, fd00::1 fd00:1::1",
    "::1, ::1",
    "127.0.0.1, 127.0.0.1",
    "lo, 127.0.0.1 ::1",
    "^docker*+^eth+^lo, 192.168.3.7",
    "^ib0+^docker0+^10.0.0.0/8, fd00::1 fe80::1 fd00:1::1",
    "nothing, ''",
    "10.9.9.9, ''",
  })
  void theConfigsList(String list, String expected) {
    assertThat(ofConfig(list)).isEqualTo(expected);
  }

  /** As in NCCL's documentation; a name without = is the beginning of names. */
  @ParameterizedTest
  @CsvSource({
    "'eth', 10.0.0.1 fd00::1 fe80::1 10.1.0.1 fd00:1::1 10.10.0.1",
    "'eth0', 10.0.0.1 fd00::1 fe80::1",
    "'=eth1', 10.1.0.1 fd00:1::1",
    "'=eth1,ib0', 10.1.0.1 fd00:1::1 192.168.3.7",
    "'^docker,eth', 192.168.3.7",
    "'^=eth1,eth0,docker0', 192.168.3.7 10.10.0.1",
    "'^docker,^eth', 192.168.3.7",
    "'ib0,eth1', 192.168.3.7 10.1.0.1 fd00:1::1 10.10.0.1",
    "' ib0 , eth0 ', 192.168.3.7 10.0.0.1 fd00::1 fe80::1",
  })
  void theVariablesList(String value, String expected) {
    assertThat(ofVariable(value)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "+", "eth0+", "^", "=", "^=", "*", "^*"})
  void anEmptyItemIsRefused(String list) {
    assertThatThrownBy(() -> ofConfig(list))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("iface=" + list)
        .hasMessageContaining("empty item")
        .hasMessageContaining("eth0");
  }

  @ParameterizedTest
  @ValueSource(strings = {",", "eth0,,eth1", "^", "=", "eth0,"})
  void anEmptyItemOfAVariableIsRefused(String value) {
    assertThatThrownBy(() -> ofVariable(value))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("NCCL_SOCKET_IFNAME=" + value);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/",
        "10.0.0.0/x",
        "10.0.0.256",
        "fd00::/129",
        "fd00:::1",
        "1.2.3.4.5",
        "10.0.0.1/8/8"
      })
  void whatIsNoAddressIsRefused(String text) {
    assertThatThrownBy(() -> ofConfig(text))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("\"" + text + "\" is no address or block");
  }

  @Test
  void aBlockOfTheOtherFamilyMatchesNothing() {
    assertThat(ofConfig("::/0")).isEqualTo("::1 fd00::1 fe80::1 fd00:1::1");
    assertThat(ofConfig("0.0.0.0/0")).doesNotContain(":");
  }
}
