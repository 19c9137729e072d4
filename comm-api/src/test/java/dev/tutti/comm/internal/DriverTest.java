package dev.tutti.comm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.Work;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Which thread makes progress, and that no wake-up is lost: the fake backend blocks until it is
 * woken.
 */
@Timeout(60)
class DriverTest {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  @Test
  void manyJoinersOfOneOperationAllReturn() {
    try (FakeGroup group = new FakeGroup()) {
      group.backend.deafToTime = true;
      Work work = group.issue();
      List<Running<Boolean>> joiners = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        joiners.add(
            i % 4 == 3
                ? Running.virtual(() -> work.join(Duration.ofSeconds(20)))
                : Running.platform(() -> work.join(Duration.ofSeconds(20))));
      }
      Eventually.until("one of them blocks", group.backend::isAwaited);
      group.backend.completeNext();

      joiners.forEach(joiner -> assertThat(joiner.result()).isTrue());
    }
  }

  @Test
  void joinersOfDifferentOperationsTakeTurnsInLeading() {
    try (FakeGroup group = new FakeGroup()) {
      group.backend.deafToTime = true;
      List<Running<Boolean>> joiners = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        Work work = group.issue();
        joiners.add(
            i % 4 == 3
                ? Running.virtual(() -> work.join(Duration.ofSeconds(20)))
                : Running.platform(() -> work.join(Duration.ofSeconds(20))));
      }
      for (Running<Boolean> joiner : joiners) {
        Eventually.until("somebody blocks", group.backend::isAwaited);
        assertThat(joiner.isRunning()).isTrue();
        group.backend.completeNext();
        assertThat(joiner.result()).isTrue();
      }
    }
  }

  @Test
  void theLeaderIsWokenWhenAnotherThreadEndsItsOperation() {
    try (FakeGroup group = new FakeGroup()) {
      group.backend.deafToTime = true;
      Work work = group.issue();
      Running<Boolean> leader = Running.platform(() -> work.join(Duration.ofSeconds(20)));
      Eventually.until("the leader blocks", group.backend::isAwaited);

      group.backend.completeNextSilently();
      Eventually.until("polling ends the operation", work::isDone);

      assertThat(leader.result()).isTrue();
    }
  }

  @Test
  void aJoinerTakesOverFromTheHelper() {
    try (FakeGroup group = new FakeGroup()) {
      group.backend.deafToTime = true;
      Work work = group.issue();
      Eventually.until("the helper blocks", group.backend::isAwaited);

      Running<Boolean> joiner = Running.platform(() -> work.join(Duration.ofSeconds(20)));
      Eventually.until(
          "the joiner blocks in the helper's place",
          () -> group.backend.drivers.contains(joiner.thread()) && group.backend.isAwaited());
      group.backend.completeNext();

      assertThat(joiner.result()).isTrue();
    }
  }

  @Test
  void theHelperTakesOverForAVirtualThreadWhenTheJoinerLeaves() {
    try (FakeGroup group = new FakeGroup()) {
      Work first = group.issue();
      Work second = group.issue();
      Running<Boolean> joiner = Running.platform(() -> first.join(Duration.ofSeconds(20)));
      Eventually.until("the joiner blocks", group.backend::isAwaited);
      Running<Boolean> virtual = Running.virtual(() -> second.join(Duration.ofSeconds(20)));
      group.backend.completeNext();
      assertThat(joiner.result()).isTrue();
      group.backend.completeNext();

      assertThat(virtual.result()).isTrue();
    }
  }

  @Test
  void whileNobodyWaitsTheHelperDrives() {
    try (FakeGroup group = new FakeGroup()) {
      long best = Long.MAX_VALUE;
      for (int i = 0; i < 10; i++) {
        int advancesBefore = group.backend.advances.get();
        long begin = System.nanoTime();
        group.issue();
        group.backend.completeNext();
        Eventually.until("the operation ends", () -> group.pending() == 0);
        best = Math.min(best, System.nanoTime() - begin);
        assertThat(group.backend.advances.get()).isGreaterThan(advancesBefore);
      }

      assertThat(group.backend.drivers).containsExactly(group.helper());
      assertThat(Duration.ofNanos(best)).isLessThan(Duration.ofMillis(60));
    }
  }

  @Test
  void theHelperOfAnIdleGroupSleeps() throws InterruptedException {
    try (FakeGroup group = new FakeGroup()) {
      Work work = group.issue();
      group.backend.completeNext();
      work.join();
      Thread helper = group.helper();
      Eventually.until("the helper sleeps", () -> helper.getState() == Thread.State.WAITING);

      long before = THREADS.getThreadInfo(helper.threadId()).getWaitedCount();
      Thread.sleep(500); // the time in which it is to do nothing
      long after = THREADS.getThreadInfo(helper.threadId()).getWaitedCount();

      assertThat(after - before).isLessThan(5);
    }
  }

  @Test
  void theHelperSleepsWhileAnOperationIsPendingAndSomebodyWaits() throws InterruptedException {
    try (FakeGroup group = new FakeGroup()) {
      Work work = group.issue();
      Running<Boolean> joiner = Running.platform(() -> work.join(Duration.ofSeconds(20)));
      Eventually.until("the joiner blocks", group.backend::isAwaited);
      group.backend.drivers.clear();

      Thread.sleep(100); // the time in which only the joiner is to drive

      assertThat(group.backend.drivers).doesNotContain(group.helper());
      group.backend.completeNext();
      assertThat(joiner.result()).isTrue();
    }
  }

  @Test
  void anOperationWakesASleepingHelper() {
    try (FakeGroup group = new FakeGroup()) {
      Thread helper = group.helper();
      Eventually.until("the helper sleeps", () -> helper.getState() == Thread.State.WAITING);

      group.issue();
      group.backend.completeNext();

      Eventually.until("the operation ends", () -> group.pending() == 0);
    }
  }

  @Test
  void nothingBlocksInABackendThatIsClosed() {
    for (int round = 0; round < 20; round++) {
      try (FakeGroup group = new FakeGroup()) {
        group.backend.deafToTime = true;
        List<String> inside = new ArrayList<>();
        group.backend.onClose =
            () -> {
              if (group.backend.isAwaited()) {
                inside.add("a thread");
              }
            };
        Work work = group.issue();
        Running<Boolean> joiner = Running.platform(() -> work.join(Duration.ofSeconds(20)));
        Eventually.until("the joiner blocks", group.backend::isAwaited);
        group.backend.completeNextSilently();
        Running<Boolean> closer =
            Running.platform(
                () -> {
                  group.core.close();
                  return true;
                });

        assertThat(closer.result()).isTrue();
        assertThat(joiner.result()).isTrue();
        assertThat(inside).isEmpty();
      }
    }
  }
}
