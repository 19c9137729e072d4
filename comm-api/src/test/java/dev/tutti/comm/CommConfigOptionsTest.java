package dev.tutti.comm;

import static dev.tutti.comm.internal.config.DeclaredKeys.DEMO;
import static dev.tutti.comm.internal.config.DeclaredKeys.PLAIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CommConfig.Options;
import dev.tutti.comm.internal.config.DeclaredKeys;
import dev.tutti.comm.spi.BackendProvider;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(30)
class CommConfigOptionsTest {
  private static final List<DeclaredKeys> PROVIDERS = List.of(DEMO, PLAIN);
  private static final String DEMO_KEYS =
      "Known: algorithm, buffer, channels, debug, iface, label, linger, nodelay, order, scratch,"
          + " timeout, token";

  private static Options options(String spec, List<BackendProvider.Key> keys) {
    CommConfig config = CommConfig.parse(spec);
    return config.options(config.entries().getFirst(), keys);
  }

  @Test
  void readsEachTypeAsDeclared() {
    Options options =
        options(
            "demo?label=a%2Cb+c&iface=eth0+%2B1&nodelay=off&channels=-7&buffer=64KiB&linger=250ms"
                + "&algorithm=tree&token=x",
            DEMO.keys());

    assertThat(options.text("label")).isEqualTo("a,b+c");
    assertThat(options.list("iface")).containsExactly("eth0", "+1");
    assertThat(options.flag("nodelay")).isFalse();
    assertThat(options.integer("channels")).isEqualTo(-7);
    assertThat(options.bytes("buffer")).isEqualTo(65536);
    assertThat(options.duration("linger")).isEqualTo(Duration.ofMillis(250));
    assertThat(options.text("algorithm")).isEqualTo("tree");
    assertThat(options.text("token")).isEqualTo("x");
  }

  @Test
  void fallsBackToTheDefaults() {
    Options options = options("demo", DEMO.keys());

    assertThat(options.text("label")).isEqualTo("plain");
    assertThat(options.list("iface")).isEmpty();
    assertThat(options.flag("nodelay")).isTrue();
    assertThat(options.integer("channels")).isEqualTo(2);
    assertThat(options.bytes("buffer")).isEqualTo(1 << 20);
    assertThat(options.duration("linger")).isEqualTo(Duration.ofSeconds(2));
    assertThat(options.text("algorithm")).isEqualTo("ring");
    assertThat(options.has("algorithm")).isTrue();
    assertThat(options.has("token")).isFalse();
    assertThat(options).hasToString("");
  }

  @Test
  void saysSoWhereThereIsNeitherValueNorDefault() {
    assertThatThrownBy(() -> options("demo", DEMO.keys()).text("token"))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "config \"demo\": key \"token\" of demo has no default and must be given. Expected"
                + " text, for example token=name");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "buffer=4MB | \"4MB\" is not a size: unknown unit \"MB\"; write 4MiB (units are B, KiB ="
            + " 1024 B, MiB = 1024 KiB and GiB = 1024 MiB). Expected a size, for example"
            + " buffer=1MiB",
        "linger=3 | \"3\" is not a duration: the unit is missing; write 3s (units are ns, us, ms, s,"
            + " min and h). Expected a duration, for example linger=2s",
        "channels=two | \"two\" is not a whole number. Expected a whole number, for example"
            + " channels=2",
        "channels=1.0 | \"1.0\" is not a whole number. Expected a whole number, for example"
            + " channels=2",
        "channels=+1 | \"+1\" is not a whole number. Expected a whole number, for example"
            + " channels=2",
        "channels=2147483648 | \"2147483648\" is out of range; it must be -2147483648 to 2147483647."
            + " Expected a whole number, for example channels=2",
        "nodelay=true | \"true\" is written on. Expected on or off, for example nodelay=on",
        "nodelay=0 | \"0\" is written off. Expected on or off, for example nodelay=on",
        "nodelay=maybe | \"maybe\" is neither on nor off. Expected on or off, for example"
            + " nodelay=on",
        "algorithm=rnig | \"rnig\" is not one of its words; \"ring\" is. Expected ring or tree, for"
            + " example algorithm=ring",
        "algorithm=bruck | \"bruck\" is not one of its words. Expected ring or tree, for example"
            + " algorithm=ring",
        "iface=a++b | \"a++b\" has an empty item; remove a \"+\". Expected a list, for example"
            + " iface=one+two",
        "iface=+ | \"+\" has an empty item; remove a \"+\". Expected a list, for example"
            + " iface=one+two",
      })
  void refusesWrongValues(String option, String message) {
    String key = option.substring(0, option.indexOf('='));
    String expected = "config \"demo?" + option + "\": key \"" + key + "\" of demo: " + message;
    CommConfig config = CommConfig.parse("demo?" + option);

    assertThatThrownBy(() -> config.check(PROVIDERS))
        .isInstanceOf(ConfigException.class)
        .hasMessage(expected);
    assertThatThrownBy(() -> config.options(config.entries().getFirst(), DEMO.keys()))
        .isInstanceOf(ConfigException.class)
        .hasMessage(expected);
  }

  @Test
  void keepsBounds() {
    Options options = options("demo?channels=9&buffer=1B", DEMO.keys());

    assertThat(options.integer("channels", 9, 9)).isEqualTo(9);
    assertThat(options.bytes("buffer", 1, 1)).isEqualTo(1);
    assertThatThrownBy(() -> options.integer("channels", 1, 8))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "config \"demo?channels=9&buffer=1B\": key \"channels\" of demo: \"9\" is out of range;"
                + " it must be 1 to 8. Expected a whole number, for example channels=2");
    assertThatThrownBy(() -> options.integer("channels", 10, 12))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("\"9\" is out of range; it must be 10 to 12");
    assertThatThrownBy(() -> options.bytes("buffer", 4096, Long.MAX_VALUE))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("\"1B\" is out of range; it must be 4KiB or more");
    assertThatThrownBy(() -> options("demo", DEMO.keys()).bytes("buffer", 1, 65536))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("\"1MiB\" is out of range; it must be 1B to 64KiB");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "demp | unknown backend \"demp\". Did you mean \"demo\"? Known: auto, demo, plain. Another"
            + " one is found once its jar is on the class path or module path",
        "cpu:plain,cuda:nccl | unknown backend \"nccl\". Known: auto, demo, plain. Another one is"
            + " found once its jar is on the class path or module path",
        "demo?bufer=1MiB | demo has no key \"bufer\". Did you mean \"buffer\"? " + DEMO_KEYS,
        "demo?tiemout=3s | demo has no key \"tiemout\". Did you mean \"timeout\"? " + DEMO_KEYS,
        "demo?xyzzy=1 | demo has no key \"xyzzy\". " + DEMO_KEYS,
        "plain?channels=1 | plain has no key \"channels\". Known: debug, order, scratch, timeout",
        "auto?channels=2 | auto has no key \"channels\", which belongs to demo. Name the backend, for"
            + " example demo?channels=2",
        "auto?ordr=fast | auto has no key \"ordr\". Did you mean \"order\"? Known: debug, order,"
            + " scratch, timeout",
      })
  void refusesUnknownBackendsAndKeys(String spec, String message) {
    CommConfig config = CommConfig.parse(spec);

    assertThatThrownBy(() -> config.check(PROVIDERS))
        .isInstanceOf(ConfigException.class)
        .hasMessage("config \"" + spec + "\": " + message);
  }

  @Test
  void checkedConfigsThatMeanTheSameHaveTheSameString() {
    CommConfig one =
        CommConfig.parse(
            "demo?buffer=4194304&channels=002&linger=60000ms&nodelay=on&label=%61+b&iface=%65th0");
    CommConfig two = CommConfig.parse("demo?iface=eth0&label=a%2Bb&linger=1min&buffer=4096KiB");

    assertThat(one.check(PROVIDERS))
        .isEqualTo(two.check(PROVIDERS))
        .hasToString("demo?buffer=4MiB&iface=eth0&label=a+b&linger=1min");
    assertThat(one).isNotEqualTo(two);
    assertThat(one.check(PROVIDERS).check(PROVIDERS)).isEqualTo(one.check(PROVIDERS));
    assertThat(CommConfig.parse("auto?timeout=9s").check(PROVIDERS)).hasToString("auto?timeout=9s");
  }

  @Test
  void refusesTwoSetsOfOptionsForOneBackend() {
    assertThat(CommConfig.parse("cpu:demo?buffer=2MiB,cuda:demo?buffer=2048KiB").check(PROVIDERS))
        .hasToString("cpu:demo?buffer=2MiB,cuda:demo?buffer=2MiB");
    assertThatThrownBy(() -> CommConfig.parse("cuda:demo,cpu:demo?channels=3").check(PROVIDERS))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "config \"cuda:demo,cpu:demo?channels=3\": the entries of cpu:demo and cuda:demo give"
                + " their backend different options, and a group sets it up once; give both the"
                + " same");
  }

  @Test
  void refusesToBeReadOtherwiseThanDeclared() {
    Options options = options("demo", DEMO.keys());

    assertThatThrownBy(() -> options.bytes("linger"))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage("key \"linger\" of demo was declared as DURATION and read as BYTES");
    assertThatThrownBy(() -> options.list("label"))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage("key \"label\" of demo was declared as STRING and read as LIST");
    assertThatThrownBy(() -> options.has("size"))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage("demo declares no key \"size\"");
  }

  @Test
  void refusesWrongDeclarations() {
    BackendProvider.Key channels =
        BackendProvider.Key.of("channels", BackendProvider.Type.INTEGER, "2", "");

    assertThatThrownBy(() -> options("demo", List.of(channels, channels)))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage("demo declares the key \"channels\" twice");
    assertThatThrownBy(
            () ->
                options(
                    "demo",
                    List.of(BackendProvider.Key.of("n", BackendProvider.Type.INTEGER, "two", ""))))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage("demo declares the key \"n\" with a wrong default")
        .hasRootCauseMessage("\"two\" is not a whole number");
    assertThatThrownBy(
            () ->
                options(
                    "demo",
                    List.of(
                        BackendProvider.Key.of(
                            "timeout", BackendProvider.Type.DURATION, "1s", ""))))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage("demo declares the key \"timeout\", which is the group's");
    assertThatThrownBy(
            () ->
                options(
                    "demo",
                    List.of(BackendProvider.Key.of("Size", BackendProvider.Type.BYTES, "1B", ""))))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage("demo declares the key \"Size\", which nobody can write");
  }

  @Test
  void showsWhatWasGiven() {
    assertThat(options("demo?channels=2&buffer=2048KiB&label=x", DEMO.keys()))
        .hasToString("buffer=2MiB&label=x");
  }
}
