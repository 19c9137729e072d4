package dev.tutti.comm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.internal.Eventually;
import dev.tutti.comm.internal.Running;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Operations that are waited for in every way at once, by threads of both kinds, in any order. */
@Timeout(60)
class ManyJoinersTest {
  private final Set<Thread> threadsBefore = Eventually.groupThreads();

  @AfterEach
  void noThreadIsLeft() {
    Eventually.noThreadLeft(threadsBefore);
  }

  @Test
  void everyWayOfWaitingEndsAndTheResultsAreRight() {
    long seed = Long.getLong("tutti.seed", System.nanoTime());
    LocalRanks.run(
        3,
        "local?timeout=30s",
        world -> {
          Random random = new Random(seed + world.rank());
          for (int round = 0; round < 60; round++) {
            List<int[]> sums = new ArrayList<>();
            List<Running<Boolean>> waiters = new ArrayList<>();
            List<Work> works = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
              int[] sum = {round + i};
              sums.add(sum);
              works.add(world.allReduce(CommBuffer.of(sum), ReduceOp.SUM));
            }
            List<Work> shuffled = new ArrayList<>(works);
            Collections.shuffle(shuffled, random);
            for (Work work : shuffled) {
              waiters.add(waiter(work, random.nextInt(6)));
            }
            works.get(random.nextInt(6)).join();
            for (Running<Boolean> waiter : waiters) {
              assertThat(waiter.result()).as("seed %d", seed).isTrue();
            }
            for (int i = 0; i < 6; i++) {
              assertThat(sums.get(i)).as("seed %d", seed).containsExactly(3 * (round + i));
            }
          }
        });
  }

  private static Running<Boolean> waiter(Work work, int kind) {
    return switch (kind) {
      case 0 ->
          Running.platform(
              () -> {
                work.join();
                return true;
              });
      case 1 -> Running.platform(() -> work.join(Duration.ofSeconds(20)));
      case 2 ->
          Running.virtual(
              () -> {
                work.join();
                return true;
              });
      case 3 -> Running.virtual(() -> work.join(Duration.ofSeconds(20)));
      case 4 ->
          Running.platform(
              () -> work.completion().thenApply(ignored -> true).get(20, TimeUnit.SECONDS));
      default ->
          Running.platform(
              () -> {
                Eventually.until("it is done", work::isDone);
                return true;
              });
    };
  }
}
