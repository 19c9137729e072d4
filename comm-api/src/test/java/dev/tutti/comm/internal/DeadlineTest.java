package dev.tutti.comm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A moment after which waiting is over. */
class DeadlineTest {
  @Test
  void timeRunsOut() {
    Deadline deadline = Deadline.after(Duration.ofMillis(30));

    assertThat(deadline.expired()).isFalse();
    assertThat(deadline.remaining()).isPositive().isLessThanOrEqualTo(Duration.ofMillis(30));
    Eventually.until("it expires", deadline::expired);
    assertThat(deadline.remaining()).isZero();
    assertThat(deadline.remainingNanos()).isZero();
    assertThat(deadline.elapsed()).isGreaterThanOrEqualTo(Duration.ofMillis(30));
    assertThat(deadline.timeout()).isEqualTo(Duration.ofMillis(30));
  }

  @Test
  void noTimeIsOverAtOnce() {
    assertThat(Deadline.after(Duration.ZERO).expired()).isTrue();
    assertThat(Deadline.after(Duration.ofSeconds(-3)).expired()).isTrue();
    assertThat(Deadline.after(Duration.ofSeconds(-3)).timeout()).isZero();
  }

  @Test
  void allTheTimeInTheWorldIsNotOverAtOnce() {
    for (Duration longest :
        new Duration[] {Duration.ofSeconds(Long.MAX_VALUE), Duration.ofNanos(Long.MAX_VALUE)}) {
      assertThat(Deadline.after(longest).expired()).isFalse();
      assertThat(Deadline.after(longest).remaining()).isGreaterThan(Duration.ofDays(9_999));
    }
  }
}
