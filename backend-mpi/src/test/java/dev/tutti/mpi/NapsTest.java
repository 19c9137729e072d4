package dev.tutti.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class NapsTest {
  private static final long LONG = Duration.ofSeconds(10).toNanos();

  private final Naps naps = new Naps();

  private long napNanos() {
    long start = System.nanoTime();
    naps.await(LONG);
    return System.nanoTime() - start;
  }

  @Test
  void napsGrowAndStayShort() {
    long first = napNanos();
    for (int i = 0; i < 20; i++) {
      naps.await(LONG);
    }
    // 1.28 ms, and what the system adds.
    assertThat(napNanos()).isGreaterThan(1_000_000).isLessThan(1_000_000_000);
    assertThat(first).isLessThan(1_000_000_000);
  }

  @Test
  void aWakeUpEndsTheNextNap() {
    for (int i = 0; i < 20; i++) {
      naps.await(LONG);
    }
    long soonest = Long.MAX_VALUE;
    for (int i = 0; i < 20; i++) {
      naps.wakeup();
      soonest = Math.min(soonest, napNanos());
    }
    assertThat(soonest).isLessThan(1_000_000);
  }
}
