package dev.tutti.comm.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The alpha-beta model. */
class CostTest {
  @Test
  void timeIsLatencyAndBytesOverRate() {
    Cost cost = new Cost(Duration.ofNanos(5_000), 1e9);

    assertThat(cost.time(0)).isEqualTo(Duration.ofNanos(5_000));
    assertThat(cost.time(1_000_000)).isEqualTo(Duration.ofNanos(1_005_000));
    assertThat(cost.time(3L << 40)).isGreaterThan(Duration.ofSeconds(3298));
  }

  @Test
  void whatIsNoCostIsRefused() {
    for (double rate : new double[] {0, -1, Double.NaN}) {
      assertThatThrownBy(() -> new Cost(Duration.ZERO, rate))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> new Cost(Duration.ofNanos(-1), 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
