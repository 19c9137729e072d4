package dev.tutti.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.internal.Eventually;
import dev.tutti.comm.internal.Running;
import dev.tutti.comm.spi.Operation;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a group: what is drained, what is aborted, and what it races with. */
@Timeout(60)
class GroupCloseTest {
  private final Set<Thread> threadsBefore = Eventually.groupThreads();

  @AfterEach
  void noThreadIsLeft() {
    Eventually.noThreadLeft(threadsBefore);
  }

  @Test
  void closeWaitsForWhatIsPending() {
    List<int[]> sums =
        LocalRanks.call(
            3,
            "local",
            world -> {
              int[] sum = {1};
              world.allReduce(CommBuffer.of(sum), ReduceOp.SUM);
              world.allReduce(CommBuffer.of(sum), ReduceOp.SUM);
              world.close();
              return sum;
            });

    assertThat(sums).allSatisfy(sum -> assertThat(sum).containsExactly(9));
  }

  @Test
  void closeSaysWhatWasNotDelivered() {
    LocalJob job = new LocalJob(2);
    CountDownLatch over = new CountDownLatch(1);
    List<Running<Boolean>> ranks =
        job.start(
            rank -> "local?timeout=800ms",
            world -> {
              if (world.rank() == 0) {
                Work barrier = world.barrier();
                world.send(CommBuffer.of(new int[3]), 1);
                Duration time =
                    LocalJob.time(
                        () ->
                            assertThatThrownBy(world::close)
                                .isInstanceOf(CommTimeoutException.class)
                                .hasMessageContaining("close of group world on rank 0/2")
                                .hasMessageContaining("2 operations")
                                .hasMessageContaining("barrier() #0 failed")
                                .hasMessageContaining("send(3 INT32, to rank 1) #1 failed"));
                assertThat(time).isLessThan(Duration.ofSeconds(3));
                assertThat(barrier.isDone()).isTrue();
                over.countDown();
              } else {
                over.await();
              }
              return true;
            });

    ranks.forEach(Running::result);
  }

  @Test
  void closeOfABrokenGroupIsQuiet() {
    LocalRanks.run(
        2,
        "local",
        world -> {
          world.abort();
          world.close();
          world.close();
          world.abort();
        });
  }

  @Test
  void aClosedGroupRefusesEverythingAndStillAnswersQuestions() {
    LocalRanks.run(
        2,
        "local",
        world -> {
          world.close();
          world.close();
          assertThatThrownBy(world::barrier)
              .isInstanceOf(IllegalStateException.class)
              .hasMessage(
                  "barrier on rank %d/2: group world is closed; make a new one"
                      .formatted(world.rank()));
          assertThatThrownBy(() -> world.split(0, 0))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageStartingWith("split on rank");
          assertThat(world.size()).isEqualTo(2);
          assertThat(world.backend()).isEqualTo("local");
          assertThat(world.memory().inUse()).isZero();
          assertThat(world.supports(new Operation.Barrier()).isAvailable()).isTrue();
          assertThat(world.toString())
              .isEqualTo("group world, rank %d/2, backend local".formatted(world.rank()));
        });
  }

  @Test
  void anInterruptedCloseAbortsWhatIsPendingAndLeavesNothing() {
    LocalJob job = new LocalJob(2);
    CountDownLatch over = new CountDownLatch(1);
    List<Running<Boolean>> ranks =
        job.start(
            rank -> "local?timeout=30s",
            world -> {
              if (world.rank() == 1) {
                over.await();
                return true;
              }
              Work work = world.barrier();
              Running<Boolean> closer =
                  Running.platform(
                      () -> {
                        try {
                          world.close();
                          return false;
                        } finally {
                          assertThat(Thread.interrupted()).isTrue();
                        }
                      });
              Eventually.until(
                  "close waits", () -> closer.thread().getState() == Thread.State.TIMED_WAITING);
              closer.thread().interrupt();
              assertThat(closer.failure())
                  .isInstanceOf(CommAbortedException.class)
                  .hasMessageContaining("was interrupted")
                  .hasMessageContaining("barrier() #0");
              assertThatThrownBy(work::join).isInstanceOf(CommAbortedException.class);
              over.countDown();
              return true;
            });

    ranks.forEach(Running::result);
  }

  @Test
  void closeAbortAndOperationsMayRace() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 60; round++) {
      race(random.nextInt(4), random.nextInt(400), random.nextInt(400), seed);
    }
  }

  /** One rank issues and joins, while another thread aborts it or closes it, or both do. */
  private static void race(int kind, int abortMicros, int closeMicros, long seed) {
    LocalJob job = new LocalJob(2);
    List<Running<Boolean>> ranks =
        job.start(
            rank -> "local?timeout=5s",
            world -> {
              Running<Boolean> aborter =
                  Running.platform(
                      () -> {
                        pause(abortMicros);
                        if (kind != 0) {
                          world.abort();
                        }
                        return true;
                      });
              Running<Boolean> closer =
                  Running.virtual(
                      () -> {
                        pause(closeMicros);
                        if (kind != 1) {
                          closeQuietly(world);
                        }
                        return true;
                      });
              int done = 0;
              try {
                for (; done < 100_000; done++) {
                  Work first = world.allReduce(CommBuffer.of(new int[4]), ReduceOp.SUM);
                  Work second = world.barrier();
                  second.join();
                  first.join();
                }
              } catch (CommException | IllegalStateException e) {
                assertThat(e).as("seed %d", seed).hasMessageContaining("world");
              }
              aborter.result();
              closer.result();
              closeQuietly(world);
              return true;
            });
    ranks.forEach(Running::result);
  }

  private static void closeQuietly(ProcessGroup group) {
    try {
      group.close();
    } catch (CommException e) {
      // Says what was aborted; which operations those are is the race's business.
    }
  }

  private static void pause(int micros) {
    long end = System.nanoTime() + micros * 1000L;
    while (System.nanoTime() - end < 0) {
      Thread.onSpinWait();
    }
  }
}
