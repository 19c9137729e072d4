package dev.tutti.comm.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class QuotedTest {
  @Test
  void keepsForeignTextOnOneLineOfBoundedLength() {
    assertThat(Quoted.quote("tcp?iface=grün")).isEqualTo("\"tcp?iface=grün\"");
    assertThat(Quoted.quote("a\n\u001b[31m\u0085\u2028b"))
        .isEqualTo("\"a\\u000a\\u001b[31m\\u0085\\u2028b\"");
    assertThat(Quoted.quote("\ud834")).isEqualTo("\"\\ud834\"");
    assertThat(Quoted.quote("x".repeat(5_000))).isEqualTo("\"" + "x".repeat(100) + "…\"");
  }
}
