package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cli.runtime.OwnRuntime;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** {@code tutti run} with real processes. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(60)
class RunCommandTest {
  private static final Map<String, String> NO_CLASSPATH = Map.of("CLASSPATH", "");

  @Test
  void everyRankGetsItsPlaceAndItsPrefix() throws Exception {
    Tutti.Outcome outcome =
        Tutti.run(
            "run",
            "-n",
            "3",
            "--backend",
            "tcp?timeout=7s",
            "--",
            "sh",
            "-c",
            "echo I am $RANK of $WORLD_SIZE, $TUTTI_BACKEND; echo to stderr >&2");
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.out().lines())
        .containsExactlyInAnyOrder(
            "[0] I am 0 of 3, tcp?timeout=7s",
            "[1] I am 1 of 3, tcp?timeout=7s",
            "[2] I am 2 of 3, tcp?timeout=7s");
    assertThat(outcome.err().lines())
        .containsExactlyInAnyOrder("[0] to stderr", "[1] to stderr", "[2] to stderr");
  }

  @Test
  void theFirstFailingRanksCodeAndLastLinesAreShown() throws Exception {
    long start = System.nanoTime();
    Tutti.Outcome outcome =
        Tutti.run(
            "run",
            "-n",
            "3",
            "--grace",
            "100ms",
            "sh",
            "-c",
            "if [ $RANK = 1 ]; then echo about to fail; exit 7; fi; sleep 60");
    assertThat(outcome.exitCode()).isEqualTo(7);
    assertThat(outcome.err())
        .contains("rank 1 of 3 failed first, with exit code 7", "  | about to fail");
    assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(30));
  }

  @Test
  void whatFollowsTheProgramIsItsOwn() throws Exception {
    Tutti.Outcome outcome =
        Tutti.run("run", "-n", "1", "--no-prefix", "sh", "-c", "echo \"$@\"", "sh", "--help", "-n");
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.out()).isEqualTo("--help -n\n");
  }

  @Test
  void theTimeoutEndsAll() throws Exception {
    Tutti.Outcome outcome = Tutti.run("run", "-n", "2", "--timeout", "300ms", "--", "sleep", "60");
    assertThat(outcome.exitCode()).isEqualTo(124);
    assertThat(outcome.err()).contains("ended all ranks after --timeout 300ms");
  }

  @Test
  void aSignalEndsTheRanksToo() throws Exception {
    Process tutti =
        Tutti.start(
            Map.of(),
            Path.of("."),
            "run",
            "-n",
            "2",
            "--no-prefix",
            "--",
            "sh",
            "-c",
            "sleep 60 & echo $! $$; wait");
    BufferedReader output = tutti.inputReader();
    List<Long> ranks =
        Stream.of(output.readLine(), output.readLine())
            .flatMap(line -> Stream.of(line.split(" ")))
            .map(Long::parseLong)
            .toList();
    assertThat(ranks).hasSize(4).allMatch(pid -> ProcessHandle.of(pid).isPresent());
    tutti.destroy();
    assertThat(tutti.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(tutti.exitValue()).isEqualTo(143);
    assertThat(ranks).noneMatch(RunCommandTest::runs);
  }

  /** A process that has ended but whose parent has not asked for its result yet does not run. */
  private static boolean runs(long pid) {
    Optional<ProcessHandle> process = ProcessHandle.of(pid).filter(ProcessHandle::isAlive);
    return process.isPresent() && process.get().info().command().isPresent();
  }

  @Test
  void javaIsThisJavaWithTuttiOnItsClassPath() throws Exception {
    Tutti.Outcome outcome = Tutti.run(NO_CLASSPATH, "run", "-v", "-n", "1", "java", "-version");
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.err())
        .contains(
            "starting 1 of: " + OwnRuntime.java() + " --enable-native-access=ALL-UNNAMED",
            "with CLASSPATH=.:" + OwnRuntime.library().getFirst(),
            System.getProperty("java.runtime.version"),
            "all ranks ended with 0");
  }

  @Test
  void theUsersClassPathComesFirst() throws Exception {
    Tutti.Outcome outcome =
        Tutti.run(
            Map.of("CLASSPATH", "/mine.jar"),
            "run",
            "-n",
            "1",
            "--no-prefix",
            "sh",
            "-c",
            "echo $CLASSPATH");
    assertThat(outcome.out())
        .startsWith("/mine.jar:" + OwnRuntime.library().getFirst())
        .contains("netty-transport");
  }
}
