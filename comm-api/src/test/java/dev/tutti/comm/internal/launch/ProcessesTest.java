package dev.tutti.comm.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real processes, and real ends of them. */
@Timeout(60)
class ProcessesTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  /** With the address of the launcher, which hosts the store, and with rank 0 as the host. */
  @ParameterizedTest
  @CsvSource({"'',0", "'',2", "env://,0", "env://,1"})
  void aKilledProcessIsNamedToEverySurvivorWithinASecond(String address, int victim)
      throws Exception {
    List<String> command =
        address.isEmpty() ? RankProgram.command("wait") : RankProgram.command("wait", address);
    try (LaunchedJob job = Launcher.of(3, command).output(out, err).start()) {
      awaitLines(job, "ready", 3);
      long killed = System.currentTimeMillis();
      job.process(victim).destroyForcibly();
      LaunchResult result = job.await();
      assertThat(result.exitCode()).isEqualTo(137);
      assertThat(result.failedRank()).isEqualTo(victim);
      for (int rank = 0; rank < 3; rank++) {
        if (rank != victim) {
          String news = line("[" + rank + "] died ");
          assertThat(news).endsWith(" rank " + victim);
          long heard = Long.parseLong(news.replaceFirst(".* died (\\d+) .*", "$1"));
          assertThat(heard - killed).as(news).isBetween(-1L, 1000L);
        }
      }
    }
  }

  @Test
  void rankZeroMayHostTheStoreAndLeaveFirst() throws Exception {
    LaunchResult result =
        Launcher.of(3, RankProgram.command("leave", "env://")).output(out, err).run();
    assertThat(result.exitCode()).as("%s %s", out, err).isZero();
    assertThat(line("[1] rank 0")).isEqualTo("[1] rank 0 left, no death");
    assertThat(line("[2] rank 0")).isEqualTo("[2] rank 0 left, no death");
    assertThat(LauncherTest.lines(err)).isEmpty();
  }

  @Test
  void aLauncherThatIsAskedToEndLeavesNoProcess() throws Exception {
    String script = "sleep 300 & echo $!; echo $$; trap '' TERM; sleep 301 & echo $!; wait; wait";
    Process launcher = launcher("sh", "-c", script);
    List<Long> pids = new ArrayList<>();
    try (BufferedReader lines = launcher.inputReader()) {
      while (pids.size() < 6) {
        pids.addAll(LauncherTest.pids(List.of(String.valueOf(lines.readLine()))));
      }
      assertThat(pids).allMatch(LauncherTest::runs);
      launcher.destroy();
      assertThat(launcher.waitFor(20, TimeUnit.SECONDS)).isTrue();
    } finally {
      launcher.destroyForcibly();
    }
    assertThat(pids).noneMatch(LauncherTest::runs);
  }

  @Test
  void ranksEndByThemselvesWhenTheirLauncherIsKilled() throws Exception {
    Process launcher = launcher(RankProgram.command("wait").toArray(String[]::new));
    List<ProcessHandle> ranks;
    try (BufferedReader lines = launcher.inputReader()) {
      int ready = 0;
      while (ready < 2) {
        ready += String.valueOf(lines.readLine()).endsWith("ready") ? 1 : 0;
      }
      ranks = launcher.descendants().toList();
      assertThat(ranks).hasSize(2);
      launcher.destroyForcibly();
    }
    for (ProcessHandle rank : ranks) {
      assertThat(rank.onExit()).succeedsWithin(Duration.ofSeconds(10));
    }
  }

  private static Process launcher(String... command) throws Exception {
    return new ProcessBuilder(RankProgram.java(LaunchProgram.class, command))
        .redirectErrorStream(true)
        .start();
  }

  private void awaitLines(LaunchedJob job, String text, int count) throws Exception {
    while (LauncherTest.lines(out).stream().filter(line -> line.endsWith(text)).count() < count) {
      if (!job.process(0).isAlive() && !job.process(1).isAlive()) {
        throw new AssertionError(out + "\n" + err);
      }
      Thread.sleep(10);
    }
  }

  private String line(String start) {
    return LauncherTest.lines(out).stream()
        .filter(line -> line.startsWith(start))
        .findFirst()
        .orElseThrow(() -> new AssertionError("No line \"" + start + "\" in\n" + out + err));
  }
}
