package dev.tutti.comm.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.ConfigException;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class UnitsTest {
  private static final String SIZES =
      " (units are B, KiB = 1024 B, MiB = 1024 KiB and GiB = 1024 MiB)";
  private static final String DURATIONS = " (units are ns, us, ms, s, min and h)";

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1, 1",
    "4096, 4096",
    "0B, 0",
    "17B, 17",
    "1KiB, 1024",
    "007KiB, 7168",
    "4MiB, 4194304",
    "3GiB, 3221225472",
    "8589934591GiB, 9223372035781033984",
    "9223372036854775807, 9223372036854775807",
    "0000000000000000000000000000001B, 1",
  })
  void readsSizes(String text, long bytes) {
    assertThat(Units.parseBytes(text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @CsvSource({
    "0s, PT0S",
    "7ns, PT0.000000007S",
    "250us, PT0.00025S",
    "20ms, PT0.02S",
    "30s, PT30S",
    "5min, PT5M",
    "24h, PT24H",
    "2562047h, PT2562047H",
  })
  void readsDurations(String text, Duration duration) {
    assertThat(Units.parseDuration(text)).isEqualTo(duration);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {
        "4MB | unknown unit \"MB\"; write 4MiB",
        "4KB | unknown unit \"KB\"; write 4KiB",
        "4kB | unknown unit \"kB\"; write 4KiB",
        "4k | unknown unit \"k\"; write 4KiB",
        "4M | unknown unit \"M\"; write 4MiB",
        "4g | unknown unit \"g\"; write 4GiB",
        "4mib | unknown unit \"mib\"; write 4MiB",
        "4b | unknown unit \"b\"; write 4B",
        "4bytes | unknown unit \"bytes\"; write 4B",
        "4 MiB | unknown unit \" MiB\"; expected one whole number and one unit, for example 4MiB",
        "4TiB | unknown unit \"TiB\"; expected one whole number and one unit, for example 4MiB",
        "1MiB2 | unknown unit \"MiB2\"; expected one whole number and one unit, for example 4MiB",
        "0x10 | unknown unit \"x10\"; expected one whole number and one unit, for example 4MiB",
        "1e3 | unknown unit \"e3\"; expected one whole number and one unit, for example 4MiB",
        "'' | expected a whole number and a unit, for example 4MiB",
        "MiB | expected a whole number and a unit, for example 4MiB",
        "- | expected a whole number and a unit, for example 4MiB",
        "--4 | expected a whole number and a unit, for example 4MiB",
        ".5GiB | expected a whole number and a unit, for example 4MiB",
        "1.GiB | expected a whole number and a unit, for example 4MiB",
        "٤MiB | expected a whole number and a unit, for example 4MiB",
        "-4MiB | it is negative",
        "-0 | it is negative",
        "+4MiB | write it without the sign, 4MiB",
        "1.5GiB | the number must be whole; write 1536MiB",
        "1.0KiB | the number must be whole; write 1KiB",
        "0.3KiB | the number must be whole",
        "9999999999.5GiB | the number must be whole",
        "0.1111111111111111111111111111111GiB | the number must be whole",
        "9223372036854775808 | it is too large; at most 8589934591GiB",
        "8589934592GiB | it is too large; at most 8589934591GiB",
        "99999999999999999999999999 | it is too large; at most 8589934591GiB",
      })
  void refusesWhatIsNoSize(String text, String why) {
    assertThatThrownBy(() -> Units.parseBytes(text))
        .isInstanceOf(ConfigException.class)
        .hasMessage("\"" + text + "\" is not a size: " + why + SIZES);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {
        "30 | the unit is missing; write 30s",
        "0 | the unit is missing; write 0s",
        "-30 | the unit is missing; write 30s",
        "1.5 | the unit is missing; write 1.5s",
        "5m | unknown unit \"m\"; write 5min",
        "5Min | unknown unit \"Min\"; write 5min",
        "30S | unknown unit \"S\"; write 30s",
        "30sec | unknown unit \"sec\"; write 30s",
        "2hours | unknown unit \"hours\"; write 2h",
        "7µs | unknown unit \"µs\"; write 7us",
        "7μs | unknown unit \"μs\"; write 7us",
        "7millis | unknown unit \"millis\"; write 7ms",
        "2d | unknown unit \"d\"; expected one whole number and one unit, for example 30s",
        "1m30s | unknown unit \"m30s\"; expected one whole number and one unit, for example 30s",
        "PT5M | expected a whole number and a unit, for example 30s",
        "never | expected a whole number and a unit, for example 30s",
        "-3s | it is negative",
        "1.5s | the number must be whole; write 1500ms",
        "0.5h | the number must be whole; write 30min",
        "0.1ns | the number must be whole",
        "2562048h | it is too large; at most 2562047h",
        "99999999999999999999s | it is too large; at most 2562047h",
      })
  void refusesWhatIsNoDuration(String text, String why) {
    assertThatThrownBy(() -> Units.parseDuration(text))
        .isInstanceOf(ConfigException.class)
        .hasMessage("\"" + text + "\" is not a duration: " + why + DURATIONS);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0B",
    "1, 1B",
    "1000, 1000B",
    "1024, 1KiB",
    "1536, 1536B",
    "4194304, 4MiB",
    "1610612736, 1536MiB",
    "1073741824, 1GiB",
    "1099511627776, 1024GiB",
    "9223372036854775807, 9223372036854775807B"
  })
  void writesSizesInTheLargestWholeUnit(long bytes, String text) {
    assertThat(Units.formatBytes(bytes)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0ns", "PT0.000000001S, 1ns", "PT0.0000015S, 1500ns", "PT0.25S, 250ms", "PT30S, 30s",
    "PT90S, 90s", "PT300S, 5min", "PT60M, 1h", "PT90M, 90min", "PT24H, 24h"
  })
  void writesDurationsInTheLargestWholeUnit(Duration duration, String text) {
    assertThat(Units.formatDuration(duration)).isEqualTo(text);
  }

  @Test
  void refusesToWriteWhatCannotBeRead() {
    assertThatThrownBy(() -> Units.formatBytes(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a size is not negative: -1");
    assertThatThrownBy(() -> Units.formatDuration(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a duration is not negative: -1");
    assertThatThrownBy(() -> Units.formatDuration(Duration.ofDays(200_000)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("duration PT4800000H is longer than 9223372036854775807ns");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 20_250_101})
  void readsWhatItWrote(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      long value = random.nextLong() >>> (1 + random.nextInt(62));
      if (random.nextBoolean()) {
        value = value >>> 24 << random.nextInt(24);
      }
      Duration duration = Duration.ofNanos(value);
      assertThat(Units.parseBytes(Units.formatBytes(value))).as("seed %d", seed).isEqualTo(value);
      assertThat(Units.parseDuration(Units.formatDuration(duration)))
          .as("seed %d", seed)
          .isEqualTo(duration);
    }
  }
}
