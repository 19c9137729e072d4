package dev.tutti.comm.internal.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.Deadline;
import dev.tutti.comm.internal.store.ProcessIdentity;
import dev.tutti.comm.internal.store.RankThreads;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
class JobFileTest {
  private static final Duration LONG = Duration.ofSeconds(10);

  @TempDir Path temporary;

  @Test
  void theRanksOfAHostMeetByIt() throws Exception {
    List<Membership> ranks = RankThreads.run(3, LONG, rank -> join(rank, 3, LONG));
    Path folder = folder();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
        .isEqualTo("rwx------");
    Path file = JobFile.in(folder, "my job/1").path();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(ranks.get(1).jobId()).isEqualTo(ranks.get(0).jobId()).startsWith("my job/1.");
    assertThat(ranks.get(2).localSize()).isEqualTo(3);
    ranks.get(2).store().set("k", "v".getBytes(StandardCharsets.UTF_8));
    assertThat(ranks.get(0).store().get("k", LONG)).asString().isEqualTo("v");
    ranks.forEach(Membership::close);
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void whatAFormerJobLeftIsNotJoined() throws Exception {
    // Its port is another's by now: this job's, but for another name.
    try (JobServer other =
        JobServer.bind(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            2,
            "another job",
            -1,
            Deadline.after(LONG))) {
      Process dead = new ProcessBuilder("true").start();
      String identity = ProcessIdentity.text(dead.toHandle());
      dead.waitFor();
      String self = ProcessIdentity.self().host();
      Path file = JobFile.in(folder(), "my job/1").path();
      Files.writeString(file, other.port() + "\nold\n" + self + "\n" + identity + "\nend\n");
      assertThatThrownBy(() -> join(1, 2, Duration.ofMillis(300)))
          .isInstanceOf(CommTimeoutException.class)
          .hasMessageContaining("Rank 1 of 2 did not find rank 0 on this host")
          .hasMessageContaining(file.toString())
          .hasMessageContaining("a former job left it, which is not joined");
      CompletableFuture<Membership> one = CompletableFuture.supplyAsync(() -> join(1, 2, LONG));
      assertThatThrownBy(() -> one.get(100, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      try (Membership zero = join(0, 2, LONG);
          Membership joined = one.get(5, TimeUnit.SECONDS)) {
        assertThat(joined.jobId()).isEqualTo(zero.jobId());
      }
    }
  }

  @Test
  void aJobOfTheSameNameThatRunsIsNamed() throws Exception {
    Process living = new ProcessBuilder("sleep", "60").start();
    try {
      String identity = ProcessIdentity.text(living.toHandle());
      String self = ProcessIdentity.self().host();
      Path file = JobFile.in(folder(), "my job/1").path();
      Files.writeString(file, "1\nold\n" + self + "\n" + identity + "\nend\n");
      assertThatThrownBy(() -> join(0, 2, LONG))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("process " + living.pid() + " on ")
          .hasMessageContaining("TUTTI_JOB");
      assertThat(file).content().startsWith("1\nold");
    } finally {
      living.destroyForcibly();
    }
  }

  @Test
  void halfAFileIsNoFile() throws Exception {
    JobFile file = JobFile.in(folder(), "my job/1");
    Files.writeString(file.path(), "4711\nnonce\n");
    assertThat(file.read()).isNull();
    Files.writeString(file.path(), "not a port\nnonce\nhost\n1@1\nend\n");
    assertThat(file.read()).isNull();
  }

  @Test
  void theSameRanksMeetAgain() throws Exception {
    String former = "";
    for (int round = 0; round < 3; round++) {
      List<Membership> ranks = RankThreads.run(2, LONG, rank -> join(rank, 2, LONG));
      assertThat(ranks.get(0).jobId()).isEqualTo(ranks.get(1).jobId()).isNotEqualTo(former);
      former = ranks.get(0).jobId();
      // Rank 1 comes back while rank 0 is still in the former round.
      ranks.get(1).close();
      CompletableFuture<Membership> one = CompletableFuture.supplyAsync(() -> join(1, 2, LONG));
      assertThatThrownBy(() -> one.get(50, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      ranks.get(0).close();
      try (Membership zero = join(0, 2, LONG);
          Membership joined = one.get(5, TimeUnit.SECONDS)) {
        assertThat(joined.jobId()).isEqualTo(zero.jobId()).isNotEqualTo(former);
      }
    }
  }

  @Test
  void namesOfJobsDoNotCollideAndAreNoPaths() {
    assertThat(JobFile.in(folder(), "a/b").path()).isNotEqualTo(JobFile.in(folder(), "a_b").path());
    assertThat(JobFile.in(folder(), "../../x").path().getParent()).isEqualTo(folder());
    assertThat(JobFile.in(folder(), "x".repeat(500)).path().getFileName().toString())
        .hasSizeLessThan(100);
  }

  private Path folder() {
    return temporary.resolve("jobs");
  }

  private Membership join(int rank, int size, Duration timeout) {
    Plan plan =
        new Plan(new Place(rank, size, rank, size), new MeetingPoint.JobFile(), "my job/1", "test");
    JobFile file = JobFile.in(folder(), plan.job());
    return new TcpMeeting(plan, Deadline.after(timeout)).byFile(file);
  }
}
