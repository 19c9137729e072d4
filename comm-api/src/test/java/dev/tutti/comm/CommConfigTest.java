package dev.tutti.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CommConfig.Debug;
import dev.tutti.comm.CommConfig.Order;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(30)
class CommConfigTest {
  @Test
  void readsABackendAlone() {
    CommConfig config = CommConfig.parse("auto");

    assertThat(config.entries()).containsExactly(new CommConfig.Entry(null, "auto", Map.of()));
    assertThat(config.timeout()).isEqualTo(Duration.ofMinutes(5));
    assertThat(config.order()).isEqualTo(Order.FAST);
    assertThat(config.debug()).isEqualTo(Debug.OFF);
    assertThat(config.scratchBytes()).isEqualTo(16L << 20);
    assertThat(config).hasToString("auto");
  }

  @Test
  void readsDevicesAndOptions() {
    CommConfig config =
        CommConfig.parse(" cuda:nccl?channels=8&buffer=4MiB , cpu:tcp?iface=^docker+^veth ");

    assertThat(config.entries())
        .containsExactly(
            new CommConfig.Entry("cpu", "tcp", Map.of("iface", "^docker+^veth")),
            new CommConfig.Entry("cuda", "nccl", Map.of("channels", "8", "buffer", "4MiB")));
    assertThat(config.canonical())
        .isEqualTo("cpu:tcp?iface=^docker+^veth,cuda:nccl?buffer=4MiB&channels=8");
  }

  @Test
  void readsTheGroupsKeysAtAnyEntry() {
    CommConfig config =
        CommConfig.parse(
            "cpu:tcp?order=ranked&channels=2,cuda:nccl?timeout=30s&debug=detail&scratch=4096KiB");

    assertThat(config.order()).isEqualTo(Order.RANKED);
    assertThat(config.timeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.debug()).isEqualTo(Debug.DETAIL);
    assertThat(config.scratchBytes()).isEqualTo(4L << 20);
    assertThat(config.entries())
        .containsExactly(
            new CommConfig.Entry("cpu", "tcp", Map.of("channels", "2")),
            new CommConfig.Entry("cuda", "nccl", Map.of()));
    assertThat(config.canonical())
        .isEqualTo(
            "cpu:tcp?channels=2&debug=detail&order=ranked&scratch=4MiB&timeout=30s,cuda:nccl");
  }

  @Test
  void acceptsTheSameValueOfAGroupKeyTwice() {
    CommConfig config = CommConfig.parse("cpu:tcp?timeout=300s,cuda:nccl?timeout=5min");

    assertThat(config.timeout()).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void findsTheEntryThatServesADevice() {
    CommConfig both = CommConfig.parse("tcp,cuda:nccl");
    CommConfig cuda = CommConfig.parse("cuda:nccl");

    assertThat(both.entry(Device.CPU)).isEqualTo(new CommConfig.Entry(null, "tcp", Map.of()));
    assertThat(both.entry(Device.cuda(3)))
        .isEqualTo(new CommConfig.Entry("cuda", "nccl", Map.of()));
    assertThat(cuda.entry(Device.CPU)).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`` | it is empty; write a backend's name, for example auto",
        "`  ` | it is empty; write a backend's name, for example auto",
        "tcp, | entry 2 of 2 is empty; remove a comma",
        "cpu:tcp,,cuda:nccl | entry 2 of 3 is empty; remove a comma",
        "gpu:nccl | unknown device \"gpu\". Did you mean \"cuda\"? Known: cpu, cuda",
        "cdua:nccl | unknown device \"cdua\". Did you mean \"cuda\"? Known: cpu, cuda",
        "rocm:rccl | unknown device \"rocm\". Known: cpu, cuda",
        ":tcp | unknown device \"\". Known: cpu, cuda",
        "cuda:0:nccl | more than one \":\"; write [device:]backend, for example cuda:nccl, without a"
            + " number",
        "cpu: | the backend's name is missing; write for example cpu:tcp",
        "?x=1 | the backend's name is missing; write for example tcp",
        "tcp?channels=2,buffer=4MiB | entry \"buffer=4MiB\": an option stands where a backend's name"
            + " should; options follow \"?\" and are joined by \"&\", for example"
            + " tcp?channels=2&timeout=30s",
        "tcp&channels=2 | an option stands where a backend's name should; options follow \"?\" and"
            + " are joined by \"&\", for example tcp?channels=2&timeout=30s",
        "TCP | \"TCP\" is not a backend's name; write tcp",
        "t/cp | \"t/cp\" is not a backend's name; a backend's name is a lower-case letter, then"
            + " lower-case letters, digits, \"-\" and \"_\"",
        "tcp? | no option follows \"?\"; remove it",
        "tcp?a=1&&b=2 | an option is empty; remove a \"&\"",
        "tcp?a=1& | an option is empty; remove a \"&\"",
        "tcp?nodelay | key \"nodelay\" has no value; write nodelay=VALUE",
        "tcp?Channels=3 | \"Channels\" is not a key; write channels",
        "tcp?=3 | \"\" is not a key; a key is a lower-case letter, then lower-case letters, digits,"
            + " \"-\" and \"_\"",
        "tcp?iface= | key \"iface\" has an empty value; give one, or leave the key out",
        "tcp?a=1?b=2 | key \"a\": \"?\" in a value; join options by \"&\", or write the character as"
            + " %3F",
        "tcp?a=x y | key \"a\": a blank in a value; write a space as %20",
        "tcp?a=%zz | key \"a\" of tcp: \"%zz\" is not an escape; write % and two hexadecimal digits,"
            + " and % itself as %25",
        "tcp?a=%FF | key \"a\" of tcp: \"%FF\" is not UTF-8 once its %XX escapes are replaced",
        "tcp?a=%0A | key \"a\" of tcp: \"%0A\" holds a control character",
        "tcp?a=1&a=1 | key \"a\" is given twice; keep one",
        "tcp?order=fast&order=fast | key \"order\" is given twice; keep one",
        "cpu:tcp,cpu:mpi | entries \"cpu:tcp\" and \"cpu:mpi\" both serve cpu; keep one",
        "tcp,mpi?x=1 | entries \"tcp\" and \"mpi?x=1\" both serve every device; keep one, or name"
            + " their devices, for example cpu:tcp,cuda:nccl",
      })
  void refusesWhatIsNotTheGrammar(String spec, String message) {
    assertThatThrownBy(() -> CommConfig.parse(spec))
        .isInstanceOf(ConfigException.class)
        .hasMessage("config \"" + spec + "\": " + message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "timeout=30 | \"30\" is not a duration: the unit is missing; write 30s (units are ns, us, ms,"
            + " s, min and h). Expected a duration, for example timeout=5min",
        "timeout=0ms | \"0ms\" is out of range; it must be more than zero (a long time such as 24h"
            + " can be had, \"never\" cannot). Expected a duration, for example timeout=5min",
        "timeout=-3s | \"-3s\" is not a duration: it is negative (units are ns, us, ms, s, min and"
            + " h). Expected a duration, for example timeout=5min",
        "order=rank | \"rank\" is not one of its words; \"ranked\" is. Expected fast or ranked, for"
            + " example order=fast",
        "order=RANKED | \"RANKED\" is not one of its words; \"ranked\" is. Expected fast or ranked,"
            + " for example order=fast",
        "debug=1 | \"1\" is not one of its words. Expected off or detail, for example debug=off",
        "scratch=4MB | \"4MB\" is not a size: unknown unit \"MB\"; write 4MiB (units are B, KiB ="
            + " 1024 B, MiB = 1024 KiB and GiB = 1024 MiB). Expected a size, for example"
            + " scratch=16MiB",
        "scratch=1023 | \"1023\" is out of range; it must be 1KiB or more. Expected a size, for"
            + " example scratch=16MiB",
      })
  void refusesWrongValuesOfTheGroupsKeys(String option, String message) {
    String key = option.substring(0, option.indexOf('='));

    assertThatThrownBy(() -> CommConfig.parse("tcp?" + option))
        .isInstanceOf(ConfigException.class)
        .hasMessage("config \"tcp?" + option + "\": key \"" + key + "\" of the group: " + message);
  }

  @Test
  void refusesTwoValuesOfAGroupKey() {
    assertThatThrownBy(() -> CommConfig.parse("cpu:tcp?timeout=3s,cuda:nccl?timeout=4s"))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "config \"cpu:tcp?timeout=3s,cuda:nccl?timeout=4s\": key \"timeout\" belongs to the"
                + " whole group and is given twice with two values, 3s and 4s; keep one");
    assertThatThrownBy(() -> CommConfig.parse("cpu:tcp?order=fast,cuda:nccl?order=ranked"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("two values, fast and ranked");
  }

  @Test
  void takesTheConfigFoundFirst() {
    Properties properties = new Properties();
    properties.setProperty(CommConfig.PROPERTY, "tcp");
    Map<String, String> environment = Map.of(CommConfig.VARIABLE, "mpi");

    assertThat(CommConfig.resolve("local", environment, properties)).hasToString("local");
    assertThat(CommConfig.resolve(null, environment, properties)).hasToString("tcp");
    assertThat(CommConfig.resolve("auto", environment, properties)).hasToString("tcp");
    assertThat(CommConfig.resolve("auto", environment, new Properties())).hasToString("mpi");
    assertThat(CommConfig.resolve("auto?timeout=3s", environment, properties))
        .hasToString("auto?timeout=3s");
    assertThat(CommConfig.resolve(null, environment, new Properties())).hasToString("mpi");
    assertThat(CommConfig.resolve(null, Map.of(), new Properties())).hasToString("auto");
  }

  @Test
  void takesAnEmptyPropertyOrVariableAsNotSet() {
    Properties empty = new Properties();
    empty.setProperty(CommConfig.PROPERTY, " ");

    assertThat(CommConfig.resolve(null, Map.of(CommConfig.VARIABLE, "mpi"), empty))
        .hasToString("mpi");
    assertThat(CommConfig.resolve(null, Map.of(CommConfig.VARIABLE, ""), empty))
        .hasToString("auto");
    assertThatThrownBy(() -> CommConfig.resolve("", Map.of(), empty))
        .isInstanceOf(ConfigException.class);
  }

  @Test
  void saysWhereTheConfigWasFound() {
    Properties properties = new Properties();
    properties.setProperty("tutti.backend", "tcp?");
    Map<String, String> environment = Map.of("TUTTI_BACKEND", "mpi?");

    assertThatThrownBy(() -> CommConfig.resolve(null, environment, properties))
        .hasMessage(
            "config \"tcp?\" from the system property tutti.backend: no option follows \"?\";"
                + " remove it");
    assertThatThrownBy(() -> CommConfig.resolve(null, environment, new Properties()))
        .hasMessage(
            "config \"mpi?\" from the environment variable TUTTI_BACKEND: no option follows \"?\";"
                + " remove it");
    assertThat(CommConfig.resolve(null, Map.of(), new Properties()).origin())
        .isEqualTo("config \"auto\" from the default");
    assertThat(CommConfig.parse("tcp?channels=02").origin())
        .isEqualTo("config \"tcp?channels=02\"");
  }

  @Test
  void equalConfigsHaveEqualStrings() {
    CommConfig one = CommConfig.parse("cuda:nccl?timeout=60s&scratch=16MiB,cpu:tcp?b=2&a=%41");
    CommConfig two = CommConfig.parse(" cpu:tcp?a=A&b=2&timeout=1min,cuda:nccl?order=fast");
    CommConfig other = CommConfig.parse("cpu:tcp?a=A&b=3&timeout=1min,cuda:nccl");

    assertThat(one).isEqualTo(two).hasSameHashCodeAs(two).isNotEqualTo(other);
    assertThat(one.canonical()).isEqualTo(two.canonical()).isNotEqualTo(other.canonical());
    assertThat(CommConfig.parse(one.canonical())).isEqualTo(one);
  }

  @Test
  void isChangedByMakingAnother() {
    CommConfig tcp = CommConfig.parse("tcp?channels=2");
    CommConfig changed =
        tcp.withTimeout(Duration.ofMillis(1500))
            .withOrder(Order.RANKED)
            .withDebug(Debug.DETAIL)
            .withScratchBytes(1 << 20);

    assertThat(changed.timeout()).isEqualTo(Duration.ofMillis(1500));
    assertThat(changed.canonical())
        .isEqualTo("tcp?channels=2&debug=detail&order=ranked&scratch=1MiB&timeout=1500ms");
    assertThat(CommConfig.parse(changed.canonical())).isEqualTo(changed).isNotEqualTo(tcp);
    assertThat(tcp).hasToString("tcp?channels=2");
  }

  @Test
  void refusesChangesThatNoStringCouldMake() {
    CommConfig tcp = CommConfig.parse("tcp");

    assertThatThrownBy(() -> tcp.withTimeout(Duration.ZERO))
        .isInstanceOf(ConfigException.class)
        .hasMessage("timeout PT0S is not longer than zero");
    assertThatThrownBy(() -> tcp.withTimeout(Duration.ofSeconds(-1)))
        .isInstanceOf(ConfigException.class)
        .hasMessage("timeout PT-1S is not longer than zero");
    assertThatThrownBy(() -> tcp.withTimeout(Duration.ofDays(200_000)))
        .isInstanceOf(ConfigException.class)
        .hasMessage("timeout PT4800000H is longer than 292 years");
    assertThatThrownBy(() -> tcp.withScratchBytes(1023))
        .isInstanceOf(ConfigException.class)
        .hasMessage("scratch of 1023 bytes is less than 1024");
  }

  @Test
  void keepsItsEntriesToItself() {
    CommConfig config = CommConfig.parse("tcp?channels=2");

    assertThatThrownBy(() -> config.entries().clear())
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> config.entries().getFirst().options().clear())
        .isInstanceOf(UnsupportedOperationException.class);
  }
}
