package dev.tutti.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PaceTest {
  private static final long START = -12345;

  @Test
  void aTimeOfItsOwnIsKept() {
    assertThat(new Pace(Duration.ofSeconds(3), 1000, START).next(START)).isEqualTo(3_000_000_000L);
  }

  @Test
  void manyLoopsShareTheTimeWhateverGoesIntoWarmingUp() {
    int loops = 300;
    Pace pace = new Pace(null, loops, START);
    long now = START + Duration.ofSeconds(2).toNanos();
    for (int i = 0; i < loops; i++) {
      long time = pace.next(now);
      assertThat(time).isBetween(10_000_000L, 200_000_000L);
      now += time + Duration.ofMillis(50).toNanos();
    }
    assertThat(Duration.ofNanos(now - START)).isBetween(Duration.ofSeconds(35), Pace.WHOLE_RUN);
  }

  @Test
  void whenTheTimeIsOverEachLoopStillGetsALittle() {
    long late = START + Duration.ofMinutes(5).toNanos();
    assertThat(new Pace(null, 5, START).next(late)).isEqualTo(10_000_000L);
  }
}
