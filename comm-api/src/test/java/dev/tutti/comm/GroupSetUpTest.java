package dev.tutti.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.internal.Eventually;
import dev.tutti.comm.internal.Running;
import dev.tutti.comm.internal.TestProviders;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.Communicator;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What goes wrong before there is a group: every rank hears of it, soon, and nothing is left. */
@Timeout(60)
class GroupSetUpTest {
  private static final Duration SOON = Duration.ofSeconds(5);

  private final Set<Thread> threadsBefore = Eventually.groupThreads();

  @AfterEach
  void noThreadIsLeft() {
    Eventually.noThreadLeft(threadsBefore);
  }

  @Test
  void aConfigThatDiffersIsAConfigExceptionOnAllRanks() {
    for (int round = 0; round < 20; round++) {
      LocalJob job = new LocalJob(3);
      List<Running<Boolean>> ranks =
          job.start(rank -> rank == 2 ? "local?timeout=31s" : "local?timeout=30s", group -> true);

      for (int rank = 0; rank < 3; rank++) {
        assertThat(ranks.get(rank).failure())
            .isInstanceOf(ConfigException.class)
            .hasMessageContaining("init on rank " + rank + "/3")
            .hasMessageContaining("the config differs between ranks")
            .hasMessageContaining("local?timeout=31s")
            .hasMessageContaining("local?timeout=30s");
      }
    }
  }

  @Test
  void configsThatMeanTheSameDoNotDiffer() {
    LocalJob job = new LocalJob(2);
    List<Running<Integer>> ranks =
        job.start(
            rank -> rank == 0 ? "local?timeout=1min" : "local?timeout=60s", ProcessGroup::size);

    ranks.forEach(rank -> assertThat(rank.result()).isEqualTo(2));
  }

  @Test
  void anUnknownBackendNamesTheNearestAndTheRest() {
    assertThatThrownBy(() -> LocalRanks.run(1, "lokal", group -> {}))
        .cause()
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("unknown backend")
        .hasMessageContaining("lokal")
        .hasMessageContaining("local");
  }

  @Test
  void aMistakeOnOneRankEndsTheOthersWaitAtOnce() {
    LocalJob job = new LocalJob(3);
    List<Running<Boolean>> ranks =
        job.start(rank -> rank == 1 ? "nonesuch" : "local?timeout=30s", group -> true);
    Duration time =
        LocalJob.time(
            () -> {
              assertThat(ranks.get(1).failure()).isInstanceOf(ConfigException.class);
              assertThat(ranks.get(0).failure())
                  .isInstanceOf(CommAbortedException.class)
                  .hasMessageContaining("rank 1 could not set up group world")
                  .hasMessageContaining("nonesuch");
              assertThat(ranks.get(2).failure()).isInstanceOf(CommAbortedException.class);
            });

    assertThat(time).isLessThan(SOON);
  }

  @Test
  void aRankThatDiesBeforeTheGroupExistsIsNamed() {
    LocalJob job = new LocalJob(2);
    Running<ProcessGroup> survivor = Running.platform(() -> job.join(0, "local?timeout=30s"));
    Eventually.until("it waits", () -> survivor.thread().getState() == Thread.State.TIMED_WAITING);
    job.control.simulateDeath(1, "killed by the test");

    assertThat(survivor.failure())
        .isInstanceOfSatisfying(PeerFailedException.class, e -> assertThat(e.rank()).isOne())
        .hasMessageContaining("init on rank 0/2")
        .hasMessageContaining("killed by the test");
  }

  @Test
  void aRankThatDoesNotComeIsNamedWhenTimeIsUp() {
    LocalJob job = new LocalJob(2);
    Duration time =
        LocalJob.time(
            () ->
                assertThatThrownBy(() -> job.join(0, "local?timeout=300ms"))
                    .isInstanceOf(CommTimeoutException.class)
                    .hasMessageContaining("init on rank 0/2")
                    .hasMessageContaining("rank 1 has not arrived"));

    assertThat(time).isBetween(Duration.ofMillis(290), Duration.ofSeconds(2));
  }

  @Test
  void theBuildersTimeoutIsStrongerThanTheConfigs() {
    LocalJob job = new LocalJob(2);

    assertThatThrownBy(
            () ->
                job.builder(0).config("local?timeout=30s").timeout(Duration.ofMillis(200)).build())
        .isInstanceOf(CommTimeoutException.class);
    assertThatThrownBy(() -> job.builder(0).config("local").timeout(Duration.ZERO).build())
        .isInstanceOf(ConfigException.class);
  }

  @Test
  void anInterruptEndsTheSetUp() {
    LocalJob job = new LocalJob(2);
    Running<ProcessGroup> joiner = Running.platform(() -> job.join(0, "local?timeout=30s"));
    Eventually.until("it waits", () -> joiner.thread().getState() == Thread.State.TIMED_WAITING);
    joiner.thread().interrupt();

    assertThat(joiner.failure())
        .isInstanceOf(CommAbortedException.class)
        .hasMessageContaining("interrupted");
  }

  /** A backend that is not there. */
  public static final class Missing extends TestProviders.Base {
    @Override
    public String name() {
      return "missing";
    }

    @Override
    public Availability availability() {
      return Availability.no("libmissing.so was not found", "run ./tutti setup missing");
    }
  }

  @Test
  void aForcedBackendThatCannotBeHadIsAnErrorWithItsReason() throws Exception {
    TestProviders.with(
        () ->
            assertThatThrownBy(() -> LocalRanks.run(2, "missing", group -> {}))
                .cause()
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("no backend for missing")
                .hasMessageContaining(
                    "missing: rank 0: libmissing.so was not found; run ./tutti setup missing"),
        Missing.class);
  }

  @Test
  void autoTakesNeitherWhatIsMissingNorLocal() throws Exception {
    TestProviders.with(
        () ->
            assertThatThrownBy(() -> LocalRanks.run(1, "auto", group -> {}))
                .cause()
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("missing: libmissing.so was not found")
                .hasMessageContaining("local: is taken only when named"),
        Missing.class);
  }

  /** A backend whose probe fails. */
  public static final class Wild extends TestProviders.Base {
    @Override
    public Availability availability() {
      throw new UnsatisfiedLinkError("wrong ELF class");
    }
  }

  @Test
  void aProbeThatThrowsIsAReason() throws Exception {
    TestProviders.with(
        () ->
            assertThatThrownBy(() -> LocalRanks.run(1, "base", group -> {}))
                .cause()
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("its probe failed")
                .hasMessageContaining("wrong ELF class"),
        Wild.class);
  }

  /** A backend for processes. */
  public static final class Lonely extends TestProviders.Base {
    @Override
    public String name() {
      return "lonely";
    }

    @Override
    public Placement placement() {
      return Placement.ONE_PER_PROCESS;
    }
  }

  @Test
  void ranksInOneProcessCannotShareABackendThatTakesOneRankAProcess() throws Exception {
    TestProviders.with(
        () ->
            assertThatThrownBy(() -> LocalRanks.run(2, "lonely", group -> {}))
                .cause()
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("it takes one rank in each process")
                .hasMessageContaining("ranks 0 and 1 are in one")
                .hasMessageContaining("tutti run -n 2"),
        Lonely.class);
  }

  @Test
  void aBackendWhoseConnectThrowsEndsEveryRank() throws Exception {
    TestProviders.with(
        () ->
            assertThatThrownBy(() -> LocalRanks.run(3, "base?timeout=30s", group -> {}))
                .hasMessageContaining("nobody is home"),
        TestProviders.Base.class);
  }

  /** A backend that connects for ever on rank 0 and fails on rank 1. */
  public static final class Halting extends TestProviders.Base {
    private static final CountDownLatch NEVER = new CountDownLatch(1);
    private static final CountDownLatch WAITING = new CountDownLatch(1);

    @Override
    public Communicator connect(Context context) {
      try {
        if (context.rank() == 0) {
          WAITING.countDown();
          NEVER.await();
        }
        WAITING.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      throw new IllegalStateException("no way");
    }
  }

  @Test
  void aFailedConnectOnOneRankEndsTheOthersConnect() throws Exception {
    Duration time =
        LocalJob.time(
            () -> {
              try {
                TestProviders.with(
                    () ->
                        assertThatThrownBy(() -> LocalRanks.run(2, "base?timeout=30s", group -> {}))
                            .hasMessageContaining("rank 1/2 failed")
                            .hasMessageContaining("no way")
                            .satisfies(
                                e ->
                                    assertThat(e.getSuppressed())
                                        .singleElement()
                                        .extracting(Throwable::getMessage)
                                        .asString()
                                        .contains("rank 1 could not set up group world")),
                    Halting.class);
              } catch (Exception e) {
                throw new AssertionError(e);
              } finally {
                Halting.NEVER.countDown();
              }
            });

    assertThat(time).isLessThan(SOON);
  }

  @Test
  void aProviderThatCannotBeLoadedDoesNotHideTheOthers() throws Exception {
    TestProviders.with(
        List.of("no.such.Provider", TestProviders.class.getName(), Missing.class.getName()),
        () -> {
          LocalRanks.run(1, "local", group -> group.barrier().join());
          assertThatThrownBy(() -> LocalRanks.run(1, "missing", group -> {}))
              .cause()
              .hasMessageContaining("libmissing.so was not found")
              .hasMessageContaining("no.such.Provider");
          return true;
        });
  }
}
