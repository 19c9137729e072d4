package dev.tutti.comm.internal.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.Work;
import dev.tutti.comm.internal.Eventually;
import dev.tutti.comm.internal.FakeGroup;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Deadlines, and what operations that were queued behind a failure are told. */
@Timeout(30)
class RecordedTest {
  @Test
  void aTimeoutSaysWhatWhereHowLongAndWhatToDo() {
    try (FakeGroup group = new FakeGroup(Duration.ofMillis(200))) {
      group.backend.awaitedText = "12 of 64 bytes from rank 1";
      long begin = System.nanoTime();

      assertThatThrownBy(() -> group.issue().join())
          .isInstanceOf(CommTimeoutException.class)
          .hasMessageMatching(
              "barrier\\(\\) #0 on rank 0/2 of group world did not complete within 2\\d\\d\\.\\d\\d ms"
                  + " \\(timeout=200ms\\): waits for 12 of 64 bytes from rank 1; check that"
                  + " all ranks are alive and make the same calls in the same order, or raise"
                  + " timeout= in the config");

      assertThat(Duration.ofNanos(System.nanoTime() - begin))
          .isBetween(Duration.ofMillis(200), Duration.ofMillis(1500));
    }
  }

  @Test
  void theTimeoutIsFoundWhileNobodyWaits() {
    try (FakeGroup group = new FakeGroup(Duration.ofMillis(100))) {
      Work work = group.issue();

      Eventually.until("the helper finds out", () -> group.pending() == 0);

      assertThatThrownBy(work::join).isInstanceOf(CommTimeoutException.class);
    }
  }

  @Test
  void anOperationsTimeCountsFromTheEndOfItsPredecessor() {
    try (FakeGroup group = new FakeGroup(Duration.ofMillis(400))) {
      Work first = group.issue();
      Work second = group.issue();
      assertThat(first.join(Duration.ofMillis(250))).isFalse();
      group.backend.completeNext();
      first.join();
      long begin = System.nanoTime();

      assertThatThrownBy(second::join).isInstanceOf(CommTimeoutException.class);

      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(380));
    }
  }

  @Test
  void anOperationsTimeDoesNotCountFromAnIdleTimeBefore() {
    try (FakeGroup group = new FakeGroup(Duration.ofMillis(300))) {
      Work first = group.issue();
      group.backend.completeNext();
      first.join();
      pause(400);
      Work second = group.issue();

      assertThat(second.join(Duration.ofMillis(150))).isFalse();
      group.backend.completeNext();
      second.join();
    }
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void operationsBehindATimeoutFailWithItRestated() {
    try (FakeGroup group = new FakeGroup(Duration.ofMillis(100))) {
      Work first = group.issue();
      Work second = group.issue();
      Work third = group.issue();

      CommTimeoutException cause = catchThrowableOfType(CommTimeoutException.class, first::join);
      Map<String, Work> behind =
          Map.of("barrier() #1 on rank 0/2", second, "barrier() #2 on rank 0/2", third);
      for (Map.Entry<String, Work> queued : behind.entrySet()) {
        assertThatThrownBy(queued.getValue()::join)
            .isInstanceOf(CommTimeoutException.class)
            .hasCause(cause)
            .hasMessageContaining(queued.getKey())
            .hasMessageContaining("when the group broke")
            .hasMessageContaining(cause.getMessage());
      }
    }
  }

  @Test
  void laterCallsFailWithTheFirstCausesType() {
    try (FakeGroup group = new FakeGroup(Duration.ofMillis(100))) {
      Work work = group.issue();
      CommException cause = catchThrowableOfType(CommTimeoutException.class, work::join);
      group.core.abort();

      assertThatThrownBy(group::issue)
          .isInstanceOf(CommTimeoutException.class)
          .hasCause(cause)
          .hasMessageStartingWith(
              "barrier on rank 0/2 was not issued, since group world is broken (close it and make a"
                  + " new one): ")
          .hasMessageContaining(cause.getMessage());
    }
  }

  @Test
  void anAbortNamesTheOperationsThatItEnded() {
    try (FakeGroup group = new FakeGroup()) {
      Work first = group.issue();
      Work second = group.issue();

      group.core.abort();

      assertThatThrownBy(first::join)
          .isInstanceOf(CommAbortedException.class)
          .hasMessageContaining("barrier() #0 on rank 0/2 of group world was under way for")
          .hasMessageContaining("rank 0/2 aborted group world");
      assertThatThrownBy(second::join)
          .hasMessageContaining("barrier() #1 on rank 0/2 of group world was queued");
    }
  }

  @Test
  void aFailureOfOneOperationIsNotTheNextOnesOwn() {
    try (FakeGroup group = new FakeGroup()) {
      Work first = group.issue();
      Work second = group.issue();
      PeerFailedException cause = new PeerFailedException(1, "barrier #0: rank 1 hung up", null);
      group.backend.failNext(cause);

      assertThatThrownBy(first::join)
          .isInstanceOf(PeerFailedException.class)
          .hasMessage("barrier #0: rank 1 hung up");
      assertThatThrownBy(second::join)
          .isInstanceOfSatisfying(PeerFailedException.class, e -> assertThat(e.rank()).isOne())
          .hasCause(cause)
          .hasMessageContaining("barrier() #1 on rank 0/2");
    }
  }
}
