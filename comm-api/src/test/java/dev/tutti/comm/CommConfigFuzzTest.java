package dev.tutti.comm;

import static dev.tutti.comm.internal.config.DeclaredKeys.DEMO;
import static dev.tutti.comm.internal.config.DeclaredKeys.PLAIN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.internal.config.DeclaredKeys;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever the string, it is either read, and then means the same when written and read again, or
 * refused in one readable line.
 */
@Timeout(60)
class CommConfigFuzzTest {
  private static final int CASES = 8_000;
  private static final List<DeclaredKeys> PROVIDERS = List.of(DEMO, PLAIN);
  private static final List<String> PIECES =
      List.of(
          "auto",
          "demo",
          "plain",
          "cpu:",
          "cuda:",
          "gpu:",
          ",",
          ",",
          "?",
          "?",
          "&",
          "&",
          "=",
          "=",
          "%",
          "%2C",
          "%2B",
          "%41",
          "%c3%bc",
          "%00",
          "+",
          "^",
          ":",
          " ",
          "\n",
          "\u0000",
          "\ud834",
          "𝄞",
          "timeout=",
          "timeout=3s",
          "order=ranked",
          "order=",
          "debug=detail",
          "scratch=",
          "4MiB",
          "4MB",
          "1024",
          "30s",
          "5m",
          "-1",
          "99999999999999999999",
          "0",
          "1.5",
          "channels=",
          "channels=2",
          "buffer=64KiB",
          "nodelay=",
          "on",
          "off",
          "true",
          "label=",
          "iface=eth0",
          "algorithm=ring",
          "algorithm=tere",
          "linger=1min",
          "token=",
          "x",
          "Ü");

  @ParameterizedTest
  @ValueSource(longs = {11, 2025, 4_000_037})
  void readsOrRefuses(long seed) {
    Random random = new Random(seed);
    int read = 0;
    int refused = 0;
    for (int i = 0; i < CASES; i++) {
      String spec = random.nextInt(3) == 0 ? pieces(random) : changed(likely(random), random);
      try {
        CommConfig config = CommConfig.parse(spec).check(PROVIDERS);
        assertStable(config, "seed " + seed + ", spec \"" + spec + "\"");
        read++;
      } catch (ConfigException e) {
        assertThat(e.getMessage())
            .as("seed %d, spec \"%s\"", seed, spec)
            .startsWith("config \"")
            .doesNotContainPattern("\\p{Cntrl}|\\p{Cs}|null|Exception")
            .hasSizeBetween(20, 1_200);
        refused++;
      }
    }
    assertThat(read).as("seed %d: strings read", seed).isGreaterThan(CASES / 20);
    assertThat(refused).as("seed %d: strings refused", seed).isGreaterThan(CASES / 20);
  }

  private static void assertStable(CommConfig config, String what) {
    CommConfig again = CommConfig.parse(config.canonical()).check(PROVIDERS);
    assertThat(again).as(what).isEqualTo(config).hasSameHashCodeAs(config);
    assertThat(again.canonical()).as(what).isEqualTo(config.canonical());
    assertThat(config.timeout()).as(what).isPositive();
    for (CommConfig.Entry entry : config.entries()) {
      if (entry.backend().equals("demo")) {
        CommConfig.Options options = config.options(entry, DEMO.keys());
        assertThat(options.bytes("buffer")).as(what).isNotNegative();
        assertThat(options.duration("linger").isNegative()).as(what).isFalse();
        assertThat(options.list("iface")).as(what).doesNotContain("");
        assertThat(options.text("algorithm")).as(what).isIn("ring", "tree");
      }
    }
  }

  private static String pieces(Random random) {
    StringBuilder spec = new StringBuilder();
    for (int i = random.nextInt(12); i >= 0; i--) {
      spec.append(PIECES.get(random.nextInt(PIECES.size())));
    }
    return spec.toString();
  }

  private static String likely(Random random) {
    List<String> options =
        List.of(
            "timeout=" + (1 + random.nextInt(999)) + "ms",
            "order=ranked",
            "scratch=" + (1024 + random.nextInt(1 << 20)),
            "buffer=" + random.nextInt(1 << 20),
            "channels=" + random.nextInt(),
            "label=%2" + random.nextInt(10),
            "iface=eth0+^lo",
            "linger=" + random.nextInt(100) + "s",
            "nodelay=off",
            "algorithm=tree");
    StringBuilder spec = new StringBuilder(random.nextBoolean() ? "demo" : "cpu:demo");
    int from = random.nextInt(options.size());
    for (int i = 0; i < random.nextInt(5); i++) {
      spec.append(i == 0 ? '?' : '&').append(options.get((from + i) % options.size()));
    }
    return spec.append(random.nextInt(4) == 0 ? ",cuda:plain?debug=detail" : "").toString();
  }

  /** Half of the time one character is lost, doubled, or replaced by any other. */
  private static String changed(String spec, Random random) {
    int at = random.nextInt(spec.length());
    String before = spec.substring(0, at);
    String after = spec.substring(at + 1);
    return switch (random.nextInt(6)) {
      case 0 -> before + after;
      case 1 -> before + spec.charAt(at) + spec.charAt(at) + after;
      case 2 -> before + (char) random.nextInt(0x300) + after;
      default -> spec;
    };
  }
}
