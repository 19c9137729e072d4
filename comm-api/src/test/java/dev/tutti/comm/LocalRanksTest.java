package dev.tutti.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.internal.Eventually;
import dev.tutti.comm.internal.Running;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ranks as threads: results, failures, interrupts. */
@Timeout(60)
class LocalRanksTest {
  private final Set<Thread> threadsBefore = Eventually.groupThreads();

  @AfterEach
  void noThreadIsLeft() {
    Eventually.noThreadLeft(threadsBefore);
  }

  @Test
  void resultsAreInRankOrderAndMayBeNull() {
    assertThat(LocalRanks.call(4, "local", ProcessGroup::rank)).containsExactly(0, 1, 2, 3);
    assertThat(LocalRanks.<Object>call(2, "local", group -> group.rank() == 0 ? "x" : "y"))
        .containsExactly("x", "y");
  }

  @Test
  void theExampleOfTheDocumentationIsTrue() {
    LocalRanks.run(
        4,
        "local",
        group -> {
          float[] x = {group.rank()};
          group.allReduce(CommBuffer.of(x), ReduceOp.SUM).join();
          assertThat(x).containsExactly(6.0f);
        });
  }

  @Test
  void aFailureNamesTheRankAndEndsTheOthers() {
    IOException cause = new IOException("the disk is full");

    assertThatThrownBy(
            () ->
                LocalRanks.run(
                    3,
                    "local?timeout=30s",
                    group -> {
                      if (group.rank() == 1) {
                        throw cause;
                      }
                      group.barrier().join();
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("rank 1/3 failed: java.io.IOException: the disk is full")
        .hasCause(cause)
        .satisfies(
            e ->
                assertThat(e.getSuppressed())
                    .hasSize(2)
                    .allSatisfy(
                        other ->
                            assertThat(other)
                                .hasMessageContaining("rank 1/3 aborted group world")
                                .hasCauseInstanceOf(CommAbortedException.class)));
  }

  @Test
  void aFailureEndsThoseWhoWaitInASubgroup() {
    assertThatThrownBy(
            () ->
                LocalRanks.run(
                    2,
                    "local?timeout=20s",
                    group -> {
                      ProcessGroup half = group.split(0, 0).orElseThrow();
                      ProcessGroup quarter = half.split(0, 0).orElseThrow();
                      if (group.rank() == 0) {
                        throw new IOException("to blame");
                      }
                      quarter.barrier().join();
                    }))
        .hasMessage("rank 0/2 failed: java.io.IOException: to blame")
        .satisfies(
            e ->
                assertThat(e.getSuppressed())
                    .singleElement()
                    .satisfies(
                        other ->
                            assertThat(other)
                                .hasMessageContaining("rank 0/2 aborted group world/0.0/0.0")
                                .hasCauseInstanceOf(CommAbortedException.class)));
  }

  @Test
  void whatHasNoWordsIsAFailureToo() {
    RuntimeException speechless =
        new RuntimeException() {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            throw new ArithmeticException("no words");
          }
        };

    assertThatThrownBy(
            () ->
                LocalRanks.run(
                    2,
                    "local?timeout=20s",
                    group -> {
                      if (group.rank() == 0) {
                        throw speechless;
                      }
                      group.barrier().join();
                    }))
        .hasMessageMatching(
            "rank 0/2 failed: .*LocalRanksTest\\$1, whose toString threw java.lang.ArithmeticException")
        .satisfies(e -> assertThat(e.getCause()).isSameAs(speechless))
        .satisfies(
            e ->
                assertThat(e.getSuppressed())
                    .singleElement()
                    .satisfies(
                        other -> assertThat(other).hasCauseInstanceOf(CommAbortedException.class)));
  }

  @Test
  void anErrorIsAFailureToo() {
    assertThatThrownBy(
            () ->
                LocalRanks.run(
                    2,
                    "local?timeout=30s",
                    group -> {
                      if (group.rank() == 0) {
                        throw new AssertionError("expected 1 but was 2");
                      }
                      group.barrier().join();
                    }))
        .hasMessageContaining("rank 0/2 failed")
        .cause()
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void theRankThatIsToBlameIsNamedNotTheOneThatWasQuicker() {
    for (int round = 0; round < 30; round++) {
      assertThatThrownBy(
              () ->
                  LocalRanks.run(
                      2,
                      "local?timeout=30s",
                      group -> {
                        if (group.rank() == 0) {
                          group.abort();
                          throw new IOException("to blame");
                        }
                        group.barrier().join();
                      }))
          .hasMessage("rank 0/2 failed: java.io.IOException: to blame");
    }
  }

  @Test
  void aRankThatReturnsEarlyIsNamedToThoseWhoWaitForIt() {
    assertThatThrownBy(
            () ->
                LocalRanks.run(
                    2,
                    "local?timeout=30s",
                    group -> {
                      if (group.rank() == 0) {
                        group.barrier().join();
                      }
                    }))
        .hasMessageContaining("rank 0/2 failed")
        .cause()
        .isInstanceOfSatisfying(PeerFailedException.class, e -> assertThat(e.rank()).isOne())
        .hasMessageContaining("rank 1 has left the group");
  }

  @Test
  void whatIsLeftPendingIsDrained() {
    List<int[]> sums =
        LocalRanks.call(
            2,
            "local",
            group -> {
              int[] sum = {1};
              group.allReduce(CommBuffer.of(sum), ReduceOp.SUM);
              return sum;
            });

    assertThat(sums).allSatisfy(sum -> assertThat(sum).containsExactly(2));
  }

  @Test
  void anInterruptEndsTheRun() {
    CountDownLatch waiting = new CountDownLatch(2);
    Running<Boolean> run =
        Running.platform(
            () -> {
              LocalRanks.run(
                  2,
                  "local?timeout=30s",
                  group -> {
                    waiting.countDown();
                    if (group.rank() == 0) {
                      group.barrier().join();
                    } else {
                      new CountDownLatch(1).await();
                    }
                  });
              return true;
            });
    Eventually.until("the ranks wait", () -> waiting.getCount() == 0);
    run.thread().interrupt();

    assertThat(run.failure())
        .isInstanceOf(CancellationException.class)
        .hasMessageContaining("interrupted while 2 ranks were running");
  }

  @Test
  void anInterruptShowsWhatTheRanksWaitedForInASubgroup() {
    CountDownLatch waiting = new CountDownLatch(2);
    Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    Running<Boolean> run =
        Running.platform(
            () -> {
              LocalRanks.run(
                  2,
                  "local?timeout=20s",
                  group -> {
                    try (ProcessGroup half = group.split(0, 0).orElseThrow()) {
                      Work recv = half.recv(CommBuffer.of(new int[1]), 1 - half.rank());
                      waiting.countDown();
                      recv.join();
                    } catch (CommException e) {
                      thrown.add(e);
                      throw e;
                    }
                  });
              return true;
            });
    Eventually.until("the ranks wait", () -> waiting.getCount() == 0);
    run.thread().interrupt();

    assertThat(run.failure()).isInstanceOf(CancellationException.class);
    assertThat(thrown)
        .hasSize(2)
        .allSatisfy(
            e -> assertThat(e).hasMessageContainingAll("recv(1 INT32", "aborted group world/0.0"));
  }

  @Test
  void wrongArgumentsAreRefused() {
    assertThatThrownBy(() -> LocalRanks.run(0, "local", group -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("size is 0; at least one rank is needed");
    assertThatThrownBy(() -> LocalRanks.run(1, nothing(), group -> {}))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("config");
    assertThatThrownBy(() -> LocalRanks.run(1, "local?timeout=never", group -> {}))
        .cause()
        .isInstanceOf(ConfigException.class);
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // what a careless caller does
  private static <T> T nothing() {
    return null;
  }
}
