package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.cli.bench.Fit;
import dev.tutti.cli.text.JsonReader;
import dev.tutti.comm.ConfigException;
import dev.tutti.tcp.simulate.Network;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * {@code tutti simulate}: what it prints; that the prices are right is tested where they are made.
 */
@Timeout(100)
class SimulateCommandTest {
  @TempDir Path folder;

  private static List<String> rows(String... arguments) {
    return run(arguments).lines().filter(line -> !line.startsWith("#")).toList();
  }

  private static String run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    String[] all = new String[arguments.length + 1];
    all[0] = "simulate";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    assertThat(line.execute(all)).as(err.toString()).isZero();
    return out.toString();
  }

  @Test
  void aLineForEachSizeAndNumberOfRanks() {
    String text =
        run("--alpha", "10us", "--beta", "1GB/s", "--gamma", "1GB/s", "--overhead", "0ns");
    assertThat(text)
        .contains("# alpha 10.00us, beta 1.00GB/s, copy unbounded, gamma 1.00GB/s, overhead 0.00us")
        .contains("# by symmetry: ", "each rank on cores of its own");
    List<String> rows = text.lines().filter(line -> !line.startsWith("#")).toList();
    assertThat(rows).hasSize(4 * 12);
    // lg 4096 steps of alpha and 8 bytes, sent and combined.
    assertThat(rows.get(11)).matches(" +4096 +8B +\\w+ +120\\.19 .*by symmetry.*");
  }

  @Test
  void anAlgorithmCanBeAskedForAndAllBeSeen() {
    List<String> rows =
        rows("--sizes", "1MiB", "--ranks", "3,16", "--algo", "RING", "--all", "--cores", "4");
    assertThat(rows.getFirst()).contains("ring").doesNotContain("recursiveDoubling ");
    assertThat(rows).anySatisfy(row -> assertThat(row).matches(" {10,}recursiveDoubling .*"));
  }

  @Test
  void jsonHoldsEveryPriceWithItsMethod() {
    String text =
        run("--op", "broadcast,barrier", "--sizes", "8,1KiB", "--ranks", "5", "--json", "-");
    assertThat(JsonReader.read(text))
        .asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
        .containsKey("network")
        .extractingByKey("results")
        .asInstanceOf(InstanceOfAssertFactories.LIST)
        .hasSize(3)
        .allSatisfy(
            row ->
                assertThat(row)
                    .asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
                    .containsKeys("operation", "algorithm", "best", "prices", "timeMicros")
                    .containsEntry("ranks", 5.0)
                    .extractingByKey("method")
                    .isIn("simulated", "by symmetry"));
  }

  @Test
  void plotsAreAPictureOrDataWithAScript() throws Exception {
    Path picture = folder.resolve("times.svg");
    run("--ranks", "2..64", "--plot", picture.toString());
    assertThat(Files.readString(picture)).contains("<svg ", "</svg>");
    Path data = folder.resolve("times.dat");
    run("--ranks", "8", "--sizes", "8..1KiB", "--plot", data.toString());
    assertThat(Files.readAllLines(data))
        .contains("# allReduce")
        .anyMatch(line -> line.matches("1024 \\d+\\.\\d{3}"));
    assertThat(Files.readString(folder.resolve("times.gp")))
        .contains("set xlabel 'size in bytes'", "'" + data + "' index 0 with linespoints");
  }

  @Test
  void aFitIsReadAsItWasWritten() throws Exception {
    Network network =
        new Network(
            Duration.ofNanos(4321), 5e9, Double.POSITIVE_INFINITY, 9e9, Duration.ofNanos(765), 0);
    Path file = folder.resolve("fit.json");
    Fit fit = new Fit("tcp", 2, network, 0.125, Map.of());
    Files.writeString(file, fit.json());
    assertThat(Fit.read(file.toString())).isEqualTo(fit);
    assertThat(run("--fit", file.toString(), "--beta", "8Gbit/s", "--ranks", "2"))
        .contains("alpha 4.32us, beta 1.00GB/s, copy unbounded, gamma 9.00GB/s, overhead 0.77us");
    Files.writeString(file, "{\"ranks\": 2}");
    assertThatThrownBy(() -> Fit.read(file.toString()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(
            "is not what tutti bench --fit writes: \"alphaSeconds\" is no number");
    Files.writeString(file, "[");
    assertThatThrownBy(() -> Fit.read(file.toString())).isInstanceOf(ConfigException.class);
  }

  private static Tutti.Outcome bench(Path file) throws Exception {
    return Tutti.run(
        "bench", "--time", "5ms", "--rounds", "3", "--warmup", "20", "--fit", file.toString());
  }

  @Test
  void whatBenchFitsIsWhatSimulateChecksWith() throws Exception {
    Path file = folder.resolve("fit.json");
    Tutti.Outcome bench = bench(file);
    // Times on a busy machine may lie on no line, which it then says.
    for (int i = 0; i < 2 && bench.err().contains("the machine is too busy, try again"); i++) {
      bench = bench(file);
    }
    assertThat(bench.exitCode()).as(bench.err()).isZero();
    assertThat(bench.out())
        .contains("# tcp, 2 ranks on this host", "the line", "# alpha ", "# residual ");
    Network network = Fit.read(file.toString()).network();
    assertThat(bench.out()).contains(Fit.describe(network));
    assertThat(network.bandwidth() / 1e9).isCloseTo(50, within(49.99));
    Tutti.Outcome check =
        Tutti.run("simulate", "--check", "--op", "barrier", "--fit", file.toString());
    // How near they are is not for a test on a busy machine to say.
    assertThat(check.exitCode()).as(check.err()).isIn(ExitCode.OK, ExitCode.CHECK_FAILED);
    assertThat(check.out())
        .contains("# 2 ranks: alpha ", "all ranks on one host of")
        .containsPattern(
            "(?m)^ barrier +dissemination +0B +\\d+\\.\\d\\d +\\d+\\.\\d\\d +\\d+\\.\\d\\d")
        .containsPattern("# within a factor of 2: [01] of 1");
  }
}
