package dev.tutti.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.internal.Eventually;
import dev.tutti.comm.internal.Running;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a failure on one rank becomes known to the others, and what a broken group still does. */
@Timeout(60)
class GroupFailureTest {
  private final Set<Thread> threadsBefore = Eventually.groupThreads();

  @AfterEach
  void noThreadIsLeft() {
    Eventually.noThreadLeft(threadsBefore);
  }

  @Test
  void aDeathIsNamedToEverySurvivorWithinASecond() {
    LocalJob job = new LocalJob(4);
    CountDownLatch waiting = new CountDownLatch(3);
    CountDownLatch over = new CountDownLatch(1);
    List<Running<Long>> ranks =
        job.start(
            rank -> "local?timeout=30s",
            world -> {
              if (world.rank() == 2) {
                over.await();
                return 0L;
              }
              Work work = world.allReduce(CommBuffer.of(new float[5]), ReduceOp.SUM);
              waiting.countDown();
              assertThatThrownBy(work::join)
                  .isInstanceOfSatisfying(
                      PeerFailedException.class, e -> assertThat(e.rank()).isEqualTo(2))
                  .hasMessageContaining(
                      "allReduce(5 FLOAT32, SUM) #0 on rank %d/4".formatted(world.rank()))
                  .hasMessageContaining("rank 2/4 of group world died (killed by the test)")
                  .hasMessageContaining("see that rank's own output");
              long told = System.nanoTime();
              assertThatThrownBy(world::barrier).isInstanceOf(PeerFailedException.class);
              return told;
            });
    await(waiting);
    long killed = System.nanoTime();
    job.kill(2);

    for (int rank : new int[] {0, 1, 3}) {
      assertThat(Duration.ofNanos(ranks.get(rank).result() - killed))
          .isLessThan(Duration.ofSeconds(1));
    }
    over.countDown();
    ranks.get(2).result();
  }

  @Test
  void aDeathIsToldInEachGroupsOwnRanksAndSparesGroupsWithoutTheDead() {
    LocalJob job = new LocalJob(4);
    CountDownLatch ready = new CountDownLatch(4);
    CountDownLatch killed = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(3);
    List<Running<Boolean>> ranks =
        job.start(
            rank -> "local?timeout=30s",
            world -> {
              // Ranks 3 and 0 (in this order), and ranks 1 and 2.
              int color = world.rank() == 0 || world.rank() == 3 ? 0 : 1;
              try (ProcessGroup pair = world.split(color, -world.rank()).orElseThrow()) {
                ready.countDown();
                killed.await();
                if (world.rank() == 0) {
                  assertThatThrownBy(() -> pair.barrier().join())
                      .isInstanceOfSatisfying(
                          PeerFailedException.class, e -> assertThat(e.rank()).isZero())
                      .hasMessageContaining("rank 0/2 of group world/0.0 died");
                } else if (color == 1) {
                  pair.barrier().join();
                }
                if (world.rank() == 3) {
                  over.await();
                } else {
                  assertThatThrownBy(() -> world.barrier().join())
                      .isInstanceOfSatisfying(
                          PeerFailedException.class, e -> assertThat(e.rank()).isEqualTo(3));
                  over.countDown();
                }
              }
              return true;
            });
    await(ready);
    job.kill(3);
    killed.countDown();

    ranks.forEach(Running::result);
  }

  @Test
  void anAbortEndsTheOperationsOfAllRanks() {
    LocalJob job = new LocalJob(3);
    CountDownLatch waiting = new CountDownLatch(2);
    List<Running<Boolean>> ranks =
        job.start(
            rank -> "local?timeout=30s",
            world -> {
              if (world.rank() == 1) {
                waiting.await();
                world.abort();
                world.abort();
                assertThatThrownBy(world::barrier)
                    .isInstanceOf(CommAbortedException.class)
                    .hasMessageContaining("rank 1/3 aborted group world");
                return true;
              }
              Work work = world.barrier();
              waiting.countDown();
              assertThatThrownBy(work::join)
                  .isInstanceOf(CommAbortedException.class)
                  .hasMessageContaining(
                      "rank 1 of group world reports: rank 1/3 aborted group world");
              return true;
            });

    ranks.forEach(Running::result);
  }

  @Test
  void anAbortInACompletionIsFine() {
    LocalRanks.run(
        2,
        "local?timeout=30s",
        world -> {
          if (world.rank() == 0) {
            world.barrier().completion().thenRun(world::abort).get(10, TimeUnit.SECONDS);
          }
          assertThatThrownBy(
                  () -> {
                    for (int i = 0; i < 2; i++) {
                      world.barrier().join();
                    }
                  })
              .isInstanceOf(CommAbortedException.class);
        });
  }

  @Test
  void aTimeoutOnOneRankIsToldToTheOthers() throws Exception {
    LocalJob job = new LocalJob(2);
    CyclicBarrier together = new CyclicBarrier(2);
    Running<Boolean> impatient =
        Running.platform(
            () -> {
              try (ProcessGroup world = job.join(0, "local?timeout=800ms")) {
                together.await();
                assertThatThrownBy(() -> world.barrier().join())
                    .isInstanceOf(CommTimeoutException.class)
                    .hasMessageContaining("waits for rank 1");
              }
              return true;
            });
    Running<Boolean> silent =
        Running.platform(
            () -> {
              try (ProcessGroup world = job.join(1, "local?timeout=800ms")) {
                together.await();
                Eventually.until("rank 0 gave up", () -> !impatient.isRunning());
                // The first one may find what rank 0 sent before it gave up.
                assertThatThrownBy(
                        () -> {
                          world.barrier().join();
                          world.barrier().join();
                        })
                    .isInstanceOf(CommTimeoutException.class)
                    .hasMessageContaining("rank 0 of group world reports: barrier() #0");
              }
              return true;
            });

    assertThat(impatient.result()).isTrue();
    assertThat(silent.result()).isTrue();
  }

  @Test
  void aMismatchNamesBothCalls() {
    LocalJob job = new LocalJob(2);

    job.run(
        "local?timeout=30s",
        world -> {
          assertThatThrownBy(
                  () -> {
                    if (world.rank() == 0) {
                      world.broadcast(CommBuffer.of(new int[3]), 0).join();
                    } else {
                      world.broadcast(CommBuffer.of(new int[4]), 0).join();
                    }
                  })
              .isInstanceOf(CollectiveMismatchException.class)
              .hasMessageContaining("broadcast(3 INT32, root 0)")
              .hasMessageContaining("broadcast(4 INT32, root 0)");
          return true;
        });
  }

  @Test
  void aBreakIsToldOnceAndEndsNothingInOtherGroups() {
    LocalRanks.run(
        2,
        "local?timeout=30s",
        world -> {
          ProcessGroup sick = world.split(0, 0).orElseThrow();
          if (world.rank() == 0) {
            sick.abort();
          } else {
            assertThatThrownBy(() -> sick.barrier().join())
                .isInstanceOf(CommAbortedException.class);
          }
          sick.close();
          world.barrier().join();
        });
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
