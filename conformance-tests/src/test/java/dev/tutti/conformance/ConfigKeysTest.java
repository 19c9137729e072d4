package dev.tutti.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConfigKeysTest {
  @Test
  void setsAKey() {
    assertThat(ConfigKeys.with("tcp", "timeout", "1s")).isEqualTo("tcp?timeout=1s");
    assertThat(ConfigKeys.with("tcp?iface=lo", "timeout", "1s"))
        .isEqualTo("tcp?iface=lo&timeout=1s");
  }

  @Test
  void replacesAKey() {
    assertThat(ConfigKeys.with("tcp?timeout=5s&iface=lo", "timeout", "1s"))
        .isEqualTo("tcp?iface=lo&timeout=1s");
    assertThat(ConfigKeys.with("cpu:tcp,cuda:nccl?timeout=5s", "timeout", "1s"))
        .isEqualTo("cpu:tcp?timeout=1s,cuda:nccl");
  }

  @Test
  void leavesWhatTheUserSaid() {
    assertThat(ConfigKeys.withDefault("tcp?timeout=5s", "timeout", "1s"))
        .isEqualTo("tcp?timeout=5s");
    assertThat(ConfigKeys.withDefault("tcp", "timeout", "1s")).isEqualTo("tcp?timeout=1s");
  }
}
