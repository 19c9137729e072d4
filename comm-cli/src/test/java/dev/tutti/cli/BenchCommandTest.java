package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cli.faulty.FaultyBackend;
import dev.tutti.cli.text.JsonReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code tutti bench}, with small sizes and short times: what it prints, not how fast it is. */
@Timeout(100)
class BenchCommandTest {
  private static final Pattern CONTROL = Pattern.compile("[\\r\\x1b]");

  @TempDir Path folder;

  private static Tutti.Outcome bench(String... arguments) throws Exception {
    return bench(Map.of(), arguments);
  }

  private static Tutti.Outcome bench(Map<String, String> environment, String... arguments)
      throws Exception {
    String[] all = new String[arguments.length + 7];
    List<String> quick = List.of("bench", "--time", "2ms", "--rounds", "2", "--warmup", "5");
    System.arraycopy(quick.toArray(), 0, all, 0, 7);
    System.arraycopy(arguments, 0, all, 7, arguments.length);
    return Tutti.run(environment, all);
  }

  @Test
  void backendsStandSideBySideInTableCsvAndJson() throws Exception {
    Path csv = folder.resolve("result.csv");
    Path json = folder.resolve("result.json");
    Tutti.Outcome outcome =
        bench(
            "-n",
            "3",
            "--backends",
            "tcp,local",
            "--sizes",
            "12,1KiB",
            "--ops",
            "all",
            "--csv",
            csv.toString(),
            "--json",
            json.toString());
    assertThat(outcome.exitCode()).as(outcome.err()).isZero();
    table(outcome.out());
    csv(Files.readAllLines(csv));
    json(Files.readString(json));
    assertThat(CONTROL.matcher(outcome.out() + outcome.err()).find())
        .as("a progress bar or colours in a pipe")
        .isFalse();
    assertThat(outcome.err()).isEmpty();
  }

  private static void table(String table) {
    assertThat(table)
        .contains("# 3 ranks on this host, float32, native memory")
        .containsPattern("# tcp: a process for each rank, groups ready \\d+\\.\\d\\d s after")
        .contains("# local: the ranks are threads of one process (*)")
        .contains("# every result was right")
        .containsPattern("# tcp: a group may hold \\d+ x ");
    List<String> rows = table.lines().filter(line -> !line.startsWith("#")).toList();
    // Ten operations at two sizes and the barrier, on two backends.
    assertThat(rows).hasSize(42);
    assertThat(cells(rows.getFirst()))
        .hasSize(6 + 2 * 5 + 1)
        .startsWith("12", "3", "float32", "sum", "-1", "tcp")
        .endsWith("1.00");
    assertThat(cells(rows.get(1))[5]).isEqualTo("local*");
    if (Runtime.getRuntime().availableProcessors() < 3) {
      assertThat(table).contains("oversubscribed");
    }
  }

  private static String[] cells(String row) {
    return row.strip().split(" +", -1);
  }

  private static void csv(List<String> lines) {
    String[] names = lines.getFirst().split(",");
    assertThat(names).startsWith("backend", "ranks", "processes", "operation", "place");
    assertThat(lines).allSatisfy(line -> assertThat(line.split(",", -1)).hasSameSizeAs(names));
    // Five operations have both places, five one, at two sizes; the barrier; two backends.
    assertThat(lines).hasSize(1 + 2 * (2 * (2 * 6 + 4) + 1));
    assertThat(lines).anyMatch(line -> line.startsWith("tcp,3,3,allGather,in-place,12,1,float32,"));
    assertThat(lines).anyMatch(line -> line.startsWith("local,3,1,reduce,out-of-place,1024,256,"));
  }

  private static void json(String text) {
    assertThat(JsonReader.read(text))
        .asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
        .containsEntry("ranks", 3.0)
        .containsEntry("wrong", 0.0)
        .containsKeys("machine", "backends", "elapsedSeconds")
        .extractingByKey("results")
        .asInstanceOf(InstanceOfAssertFactories.LIST)
        .hasSize(66);
  }

  @Test
  void csvOrJsonTakesTheTablesPlace() throws Exception {
    Tutti.Outcome csv = bench("--backends", "local", "--sizes", "8", "--heap", "--csv", "-");
    assertThat(csv.exitCode()).isZero();
    assertThat(csv.out().lines()).hasSize(3).first().asString().startsWith("backend,");
    Tutti.Outcome json =
        bench(
            "--backends",
            "local",
            "--sizes",
            "8",
            "--type",
            "uint8",
            "--op",
            "bxor",
            "--json",
            "-");
    assertThat(json.exitCode()).isZero();
    assertThat(JsonReader.read(json.out())).isInstanceOf(Map.class);
  }

  @Test
  void aWrongElementIsCountedAndEndsWithOne() throws Exception {
    Tutti.Outcome outcome = bench("--backends", "tcp,faulty", "--sizes", "1KiB");
    assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(1);
    List<String> rows = outcome.out().lines().filter(line -> !line.startsWith("#")).toList();
    assertThat(cells(rows.get(0))[10]).isEqualTo("0");
    assertThat(Long.parseLong(cells(rows.get(1))[10])).isPositive();
    assertThat(outcome.out()).contains("# WRONG ELEMENTS: ");
  }

  @Test
  void whatABackendRefusesIsLeftOutWithTheReason() throws Exception {
    Tutti.Outcome outcome =
        bench("--backends", "faulty?fault=refuse", "--sizes", "8", "--ops", "allReduce,broadcast");
    assertThat(outcome.exitCode()).as(outcome.err()).isZero();
    assertThat(outcome.out()).contains("n/a", "# n/a: faulty?fault=refuse: it has no broadcast");
  }

  @Test
  void aRankThatDiesIsNamed() throws Exception {
    Tutti.Outcome outcome = bench("--backends", "faulty?fault=die", "--sizes", "8");
    assertThat(outcome.exitCode()).isEqualTo(3);
    assertThat(outcome.err())
        .containsPattern("tutti bench: faulty\\?fault=die: rank [01]/2")
        .contains("process 1 ended with exit code " + FaultyBackend.DEAD);
  }

  @Test
  void aBackendThatCannotBeHadIsRefusedBeforeTheStart() throws Exception {
    Tutti.Outcome outcome =
        bench(Map.of(FaultyBackend.UNAVAILABLE, "no such cable"), "--backends", "faulty");
    assertThat(outcome.exitCode()).isEqualTo(3);
    assertThat(outcome.err()).contains("faulty: no such cable; do without it");
    assertThat(outcome.out()).isEmpty();
  }

  @Test
  void aSignalEndsTheRanksToo() throws Exception {
    Process tutti =
        Tutti.start(Map.of(), Path.of("."), "bench", "--backends", "tcp", "--time", "60s");
    try {
      assertThat(tutti.inputReader().readLine()).startsWith("# Tutti");
      List<ProcessHandle> ranks = tutti.descendants().toList();
      assertThat(ranks).hasSize(2);
      tutti.destroy();
      assertThat(tutti.waitFor(20, TimeUnit.SECONDS)).isTrue();
      for (ProcessHandle rank : ranks) {
        rank.onExit().get(5, TimeUnit.SECONDS);
      }
    } finally {
      tutti.descendants().forEach(ProcessHandle::destroyForcibly);
      tutti.destroyForcibly();
    }
  }
}
