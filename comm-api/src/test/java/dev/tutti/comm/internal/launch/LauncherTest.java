package dev.tutti.comm.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.ConfigException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class LauncherTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @TempDir Path temporary;

  @Test
  void eachRankKnowsItsPlace() throws Exception {
    LaunchResult result =
        shell(
                3,
                "echo $RANK/$WORLD_SIZE $LOCAL_RANK/$LOCAL_WORLD_SIZE $MASTER_ADDR $EXTRA $MINE"
                    + " $(pwd) [$(cat)]; echo $TUTTI_INIT $TUTTI_JOB $MASTER_PORT >&2")
            .env("EXTRA", "all")
            .rankEnv(rank -> Map.of("MINE", "r" + rank))
            .directory(temporary)
            .run();
    assertThat(result.exitCode()).isZero();
    assertThat(result.failedRank()).isEqualTo(-1);
    assertThat(result.lastLines()).isEmpty();
    assertThat(result.timedOut()).isFalse();
    String folder = temporary.toRealPath().toString();
    assertThat(lines(out))
        .containsExactlyInAnyOrder(
            "[0] 0/3 0/3 127.0.0.1 all r0 " + folder + " []",
            "[1] 1/3 1/3 127.0.0.1 all r1 " + folder + " []",
            "[2] 2/3 2/3 127.0.0.1 all r2 " + folder + " []");
    assertThat(lines(err)).hasSize(3);
    assertThat(lines(err).getFirst())
        .matches(
            "\\[\\d] tcp://127\\.0\\.0\\.1:\\d+\\?rank=\\d&size=3&localRank=\\d&localSize=3"
                + "&hosted=launcher&job=run-[0-9a-f]{16} run-[0-9a-f]{16} \\d+");
  }

  @Test
  void outputIsWholeLinesOfWholeCharacters() throws Exception {
    // Bytes come in pieces, lines are long, and two ranks write at the same time.
    Path program = temporary.resolve("program.sh");
    Files.writeString(
        program,
        """
        i=0
        while [ $i -lt 50 ]; do
          printf 'ä€'; printf '😀%s ' $i
          head -c 20000 /dev/zero | tr '\\0' x
          printf '\\n'
          i=$((i+1))
        done
        printf 'no newline at the end'
        """);
    LaunchResult result = Launcher.of(2, List.of("sh", program.toString())).output(out, err).run();
    assertThat(result.exitCode()).isZero();
    List<String> lines = lines(out);
    assertThat(lines).hasSize(102);
    for (int rank = 0; rank < 2; rank++) {
      String prefix = "[" + rank + "] ";
      List<String> mine = lines.stream().filter(line -> line.startsWith(prefix)).toList();
      for (int i = 0; i < 50; i++) {
        assertThat(mine.get(i)).isEqualTo(prefix + "ä€😀" + i + " " + "x".repeat(20000));
      }
      assertThat(mine.get(50)).isEqualTo(prefix + "no newline at the end");
    }
  }

  @Test
  void withoutPrefixLinesAreAsTheyWere() throws Exception {
    shell(1, "echo plain; echo; echo error >&2").prefix(false).run();
    assertThat(lines(out)).containsExactly("plain", "");
    assertThat(lines(err)).containsExactly("error");
  }

  @Test
  void whoReadsNoMoreDoesNotStopTheRanks() throws Exception {
    OutputStream broken =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("Broken pipe");
          }
        };
    LaunchResult result =
        Launcher.of(1, List.of("sh", "-c", "for i in 1 2 3; do echo $i; done; exit 7"))
            .output(broken, err)
            .run();
    assertThat(result.exitCode()).isEqualTo(7);
    assertThat(result.lastLines()).containsExactly("1", "2", "3");
  }

  @Test
  void theFirstFailureIsReportedWithItsLastLines() throws Exception {
    LaunchResult result =
        shell(
                3,
                "if [ $RANK = 1 ]; then for i in $(seq 1 50); do echo line $i; done; exit 42; fi;"
                    + " exec sleep 60")
            .grace(Duration.ofMillis(100))
            .run();
    assertThat(result.exitCode()).isEqualTo(42);
    assertThat(result.failedRank()).isEqualTo(1);
    assertThat(result.lastLines())
        .isEqualTo(IntStream.rangeClosed(11, 50).mapToObj(i -> "line " + i).toList());
    assertThat(result.elapsed()).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void theOthersGetTheirGraceAndMayEndByThemselves() throws Exception {
    LaunchResult result =
        shell(2, "if [ $RANK = 0 ]; then exit 5; fi; sleep 0.5; echo I ended myself; exit 6")
            .grace(Duration.ofSeconds(20))
            .run();
    assertThat(result.exitCode()).isEqualTo(5);
    assertThat(result.failedRank()).isZero();
    assertThat(lines(out)).containsExactly("[1] I ended myself");
    assertThat(result.elapsed()).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void aSignalIsReportedAs128AndItsNumber() throws Exception {
    LaunchResult result = shell(1, "kill -9 $$").run();
    assertThat(result.exitCode()).isEqualTo(137);
    assertThat(result.failedRank()).isZero();
  }

  @Test
  void whoIgnoresTheRequestToEndIsEnded() throws Exception {
    LaunchResult result =
        shell(2, "if [ $RANK = 0 ]; then exit 1; fi; trap '' TERM; while :; do sleep 0.1; done")
            .grace(Duration.ofMillis(50))
            .run();
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.elapsed()).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(10));
  }

  @Test
  void atTheTimeoutAllAreEndedAndItSaysSo() throws Exception {
    LaunchResult result = shell(2, "exec sleep 60").timeout(Duration.ofMillis(300)).run();
    assertThat(result.timedOut()).isTrue();
    assertThat(result.exitCode()).isEqualTo(124);
    assertThat(result.failedRank()).isEqualTo(-1);
    assertThat(result.elapsed()).isBetween(Duration.ofMillis(300), Duration.ofSeconds(5));
  }

  @Test
  void whatARankStartedEndsWithIt() throws Exception {
    // One child keeps the output, one has lost its parent and everything else.
    LaunchResult result =
        shell(2, "sleep 300 & echo $!; (setsid sleep 301 >/dev/null 2>&1 & echo $!); exit 0").run();
    assertThat(result.exitCode()).isZero();
    assertThat(pids(lines(out))).hasSize(4).noneMatch(LauncherTest::runs);
  }

  @Test
  void closeEndsAJobThatRuns() throws Exception {
    LaunchedJob job = shell(2, "echo $$; exec sleep 300").start();
    assertThat(job.size()).isEqualTo(2);
    assertThat(job.process(0).isAlive()).isTrue();
    job.close();
    job.close();
    // They have ended; that the JVM has been told so may take a moment.
    job.process(0).onExit().get(5, TimeUnit.SECONDS);
    job.process(1).onExit().get(5, TimeUnit.SECONDS);
  }

  @Test
  void anInterruptedWaitEndsTheJob() throws Exception {
    LaunchedJob job = shell(1, "exec sleep 300").start();
    Thread.currentThread().interrupt();
    assertThatThrownBy(
            () -> {
              try (job) {
                job.await();
              }
            })
        .isInstanceOf(InterruptedException.class);
    Thread.interrupted();
    assertThat(job.process(0).onExit()).succeedsWithin(Duration.ofSeconds(5));
  }

  @Test
  void whatCannotBeStartedIsNamed() {
    assertThatThrownBy(() -> Launcher.of(2, List.of("no-such-program", "x")).start())
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("no-such-program");
    assertThatThrownBy(() -> Launcher.of(0, List.of("true"))).isInstanceOf(ConfigException.class);
    assertThatThrownBy(() -> Launcher.of(1, List.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("tutti run");
  }

  private Launcher shell(int ranks, String script) {
    return Launcher.of(ranks, List.of("sh", "-c", script)).output(out, err);
  }

  static List<String> lines(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }

  /** Returns the process numbers in lines such as "[0] 4711". */
  static List<Long> pids(List<String> lines) {
    return lines.stream()
        .map(line -> line.replaceFirst("^\\[\\d+] ", ""))
        .filter(line -> line.matches("\\d+"))
        .map(Long::valueOf)
        .toList();
  }

  /** Returns whether a process runs; one that nobody has collected does not. */
  static boolean runs(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (IOException e) {
      return false;
    }
  }
}
