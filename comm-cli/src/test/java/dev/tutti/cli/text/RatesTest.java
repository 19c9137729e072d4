package dev.tutti.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RatesTest {
  @ParameterizedTest
  @CsvSource({
    "5GB/s, 5e9",
    "12.5GB/s, 12.5e9",
    "100Gbit/s, 12.5e9",
    "8Mbit/s, 1e6",
    "7 kB/s, 7000",
    "1B/s, 1"
  })
  void unitsAreDecimal(String text, double bytes) {
    assertThat(Rates.parse("--beta", text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "GB/s", "5GB", "5gb/s", "-5GB/s", "0GB/s", "5GiB/s", "1e9B/s"})
  void whatIsNoRateIsRefusedWithItsOption(String text) {
    assertThatThrownBy(() -> Rates.parse("--beta", text))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("--beta ");
  }

  @Test
  void ratesAreWrittenShort() {
    assertThat(Rates.format(12.345e9)).isEqualTo("12.3GB/s");
    assertThat(Rates.format(2e6)).isEqualTo("0.00200GB/s");
    assertThat(Rates.format(Double.POSITIVE_INFINITY)).isEqualTo("unbounded");
  }
}
