package dev.tutti.comm.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.spi.BackendProvider.Starter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Ranks that another program starts: here a script which does what mpirun does. */
@DisabledOnOs(OS.WINDOWS)
class RelayTest {
  private static final String STARTER =
      """
      echo "starting $1"
      n=$1
      shift
      rank=0
      while [ $rank -lt $n ]; do
        OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_LOCAL_RANK=$rank "$@" &
        rank=$((rank+1))
      done
      wait
      """;

  @TempDir Path temporary;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private Launcher launcher(int ranks, String script) throws IOException {
    Path starter = Files.writeString(temporary.resolve("starter.sh"), STARTER);
    return Launcher.of(ranks, List.of("sh", "-c", script))
        .through(new Starter(List.of("sh", "" + starter, "" + ranks), Map.of("GIVEN", "too")))
        .output(out, err);
  }

  private static List<String> lines(ByteArrayOutputStream stream) {
    return stream.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void eachRankKnowsItsPlaceAndHasItsOwnOutput() throws Exception {
    LaunchResult result =
        launcher(
                3,
                "echo $RANK/$WORLD_SIZE $LOCAL_RANK/$LOCAL_WORLD_SIZE $MASTER_ADDR $GIVEN;"
                    + " echo err$RANK $TUTTI_INIT >&2")
            .run();
    assertThat(result.exitCode()).isZero();
    assertThat(result.failedRank()).isEqualTo(-1);
    assertThat(lines(out))
        .containsExactlyInAnyOrder(
            "[0] 0/3 0/3 127.0.0.1 too", "[1] 1/3 1/3 127.0.0.1 too", "[2] 2/3 2/3 127.0.0.1 too");
    assertThat(lines(err)).hasSize(4).contains("starting 3");
    assertThat(lines(err).stream().filter(line -> line.startsWith("[1] err1")).toList())
        .singleElement()
        .asString()
        .matches(
            "\\[1] err1 tcp://127\\.0\\.0\\.1:\\d+\\?size=3&localSize=3&hosted=launcher&job=run-.*");
  }

  @Test
  void theFirstToFailIsNamedWithItsOwnCodeAndLastLines() throws Exception {
    LaunchResult result =
        launcher(2, "if [ $RANK = 1 ]; then echo alas; exit 7; fi; sleep 60")
            .grace(Duration.ofMillis(100))
            .run();
    assertThat(result.failedRank()).isEqualTo(1);
    assertThat(result.exitCode()).isEqualTo(7);
    assertThat(result.lastLines()).containsExactly("alas");
    assertThat(result.elapsed()).isLessThan(Duration.ofSeconds(30));
  }

  @Test
  void aKilledRankIsOneThatFailed() throws Exception {
    LaunchResult result = launcher(2, "if [ $RANK = 0 ]; then kill -9 $$; fi").run();
    assertThat(result.failedRank()).isZero();
    assertThat(result.exitCode()).isEqualTo(137);
  }

  @Test
  void aStarterThatStartsNobodyIsAFailureOfAll() throws Exception {
    LaunchResult result =
        Launcher.of(2, List.of("true"))
            .through(new Starter(List.of("sh", "-c", "echo no slots >&2; exit 3"), Map.of()))
            .output(out, err)
            .run();
    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(lines(err)).containsExactly("no slots");
  }

  @Test
  void nothingIsLeft() throws Exception {
    Path script =
        Files.writeString(temporary.resolve("where.sh"), "readlink /proc/$$/fd/1; sleep 60");
    ProcessHandle rank;
    try (LaunchedJob job = launcher(2, "sh " + script).start()) {
      while (lines(out).size() < 2) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
      rank = job.process(1);
      assertThat(rank.isAlive()).isTrue();
    }
    assertThat(rank.onExit()).succeedsWithin(Duration.ofSeconds(5));
    Path pipe = Path.of(lines(out).getFirst().replaceFirst("\\[\\d] ", ""));
    assertThat(pipe.getFileName().toString()).startsWith("out.");
    assertThat(pipe).doesNotExist();
    assertThat(pipe.getParent()).doesNotExist();
  }
}
