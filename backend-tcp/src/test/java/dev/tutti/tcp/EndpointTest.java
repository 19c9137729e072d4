package dev.tutti.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.ConfigException;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What ranks tell each other of where they listen. */
class EndpointTest {
  private static Endpoint endpoint(String address, String host) {
    return new Endpoint(InetAddress.ofLiteral(address), 65_535, 0x8000000000000001L, host);
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "255.1.2.3", "::1", "fd00::7"})
  void survivesTheStore(String address) {
    Endpoint endpoint = endpoint(address, "b0071d/net:[4026531840] ü");
    assertThat(Endpoint.decode(endpoint.encode())).isEqualTo(endpoint);
  }

  @Test
  void loopbackIsForOneHostOnly() {
    Endpoint here = endpoint("127.0.0.1", "a");
    assertThat(here.isOnHostOf(endpoint("10.0.0.2", "a"))).isTrue();
    assertThat(here.isOnHostOf(endpoint("127.0.0.1", "b"))).isFalse();
    assertThatCode(() -> Endpoint.checkReachable(List.of(here, endpoint("::1", "a"))))
        .doesNotThrowAnyException();
    assertThatCode(
            () ->
                Endpoint.checkReachable(
                    List.of(endpoint("10.0.0.1", "a"), endpoint("10.0.0.2", "b"))))
        .doesNotThrowAnyException();
    for (String loopback : List.of("127.0.0.1", "127.3.2.1", "::1")) {
      assertThatThrownBy(
              () ->
                  Endpoint.checkReachable(
                      List.of(endpoint("10.0.0.1", "a"), endpoint(loopback, "b"))))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("rank 1 advertises the loopback address")
          .hasMessageContaining("2 hosts")
          .hasMessageContaining("iface=");
    }
  }

  @Test
  void theHostsIdentityIsTheSameForAllOfItsProcesses() {
    assertThat(HostIdentity.get()).isNotBlank().isEqualTo(HostIdentity.get());
  }
}
