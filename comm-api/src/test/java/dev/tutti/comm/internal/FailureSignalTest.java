package dev.tutti.comm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.PeerFailedException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waits that end when the group breaks, though they know nothing of it. */
@Timeout(30)
class FailureSignalTest {
  private final FailureSignal signal = new FailureSignal();
  private final CountDownLatch release = new CountDownLatch(1);
  private final AtomicReference<String> late = new AtomicReference<>();

  @AfterEach
  void letGo() {
    release.countDown();
  }

  private String blocked() {
    try {
      release.await();
      return "done";
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private String guard(Duration timeout) {
    return signal.guard("split #0", Deadline.after(timeout), this::blocked, late::set);
  }

  @Test
  void theResultIsReturned() {
    release.countDown();

    assertThat(guard(Duration.ofSeconds(10))).isEqualTo("done");
    assertThat(late).hasValue(null);
  }

  @Test
  void theFailureEndsTheWaitAndTheLateResultIsHandedOver() {
    Running<String> waiter = Running.platform(() -> guard(Duration.ofSeconds(20)));
    PeerFailedException cause = new PeerFailedException(3, "rank 3 died", null);
    signal.raise(cause);

    assertThat(waiter.failure())
        .isInstanceOfSatisfying(PeerFailedException.class, e -> assertThat(e.rank()).isEqualTo(3))
        .hasMessage("split #0: rank 3 died")
        .hasCause(cause);
    assertThat(late).hasValue(null);
    release.countDown();
    Eventually.until("the late result is handed over", () -> "done".equals(late.get()));
  }

  @Test
  void aFailureFromBeforeEndsItToo() {
    signal.raise(new CommAbortedException("aborted", null));
    signal.raise(new CommAbortedException("again", null));

    assertThatThrownBy(() -> guard(Duration.ofSeconds(20)))
        .isInstanceOf(CommAbortedException.class)
        .hasMessage("split #0: aborted");
  }

  @Test
  void timeRunsOut() {
    assertThatThrownBy(() -> guard(Duration.ofMillis(50)))
        .isInstanceOf(CommTimeoutException.class)
        .hasMessageContaining("split #0 did not finish within 50ms");
  }

  @Test
  void anInterruptEndsTheWait() {
    Running<String> waiter = Running.platform(() -> guard(Duration.ofSeconds(20)));
    Eventually.until("it waits", () -> waiter.thread().getState() == Thread.State.TIMED_WAITING);
    waiter.thread().interrupt();

    assertThat(waiter.failure())
        .isInstanceOf(CommAbortedException.class)
        .hasMessageContaining("split #0 was interrupted");
  }

  @Test
  void whatTheCallThrowsIsThrown() {
    Deadline deadline = Deadline.after(Duration.ofSeconds(10));
    CommTimeoutException timeout = new CommTimeoutException("rank 1 has not arrived", null);
    assertThatThrownBy(
            () ->
                signal.guard(
                    "split #0",
                    deadline,
                    () -> {
                      throw timeout;
                    },
                    ignored -> {}))
        .isInstanceOf(CommTimeoutException.class)
        .hasMessage("split #0: rank 1 has not arrived")
        .hasCause(timeout);
    IllegalStateException odd = new IllegalStateException("odd");
    assertThatThrownBy(
            () ->
                signal.guard(
                    "split #0",
                    deadline,
                    () -> {
                      throw odd;
                    },
                    ignored -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("split #0 failed")
        .hasCause(odd);
    StackOverflowError error = new StackOverflowError("deep");
    assertThatThrownBy(
            () ->
                signal.guard(
                    "split #0",
                    deadline,
                    () -> {
                      throw error;
                    },
                    ignored -> {}))
        .isSameAs(error);
  }
}
