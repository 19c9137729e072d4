package dev.tutti.comm.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.CommTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Who was missing in an exchange can be read out of what its timeout says. */
class ExchangeTimeoutTest {
  private static CommTimeoutException timeout(List<Integer> missing, List<Integer> gaveUp) {
    Duration waited = Duration.ofMillis(1234);
    return new CommTimeoutException(
        ExchangeTimeout.text("group/world: ha/x", 0, 30, waited, missing, gaveUp), null);
  }

  @Test
  void whoIsMissingIsReadBack() {
    assertThat(ExchangeTimeout.missing(timeout(List.of(3), List.of()))).isEqualTo("rank 3");
    assertThat(ExchangeTimeout.missing(timeout(List.of(1, 2), List.of(4)))).isEqualTo("ranks 1, 2");
    List<Integer> many = IntStream.range(0, 20).boxed().toList();
    assertThat(ExchangeTimeout.missing(timeout(many, List.of())))
        .startsWith("ranks 0, 1, ")
        .endsWith(", 15 and 4 more");
  }

  @Test
  void theCallersUserIsToldTheConfiguredTime() {
    Duration configured = Duration.ofMinutes(5);
    assertThat(ExchangeTimeout.named(timeout(List.of(1), List.of()), configured))
        .hasMessageStartingWith("rank 1 has not arrived within 5min; ");
    assertThat(ExchangeTimeout.named(timeout(List.of(1, 2), List.of()), configured))
        .hasMessageStartingWith("ranks 1, 2 have not arrived within 5min; ");
  }

  @Test
  void aStoreThatDoesNotAnswerIsNobodysAbsence() {
    CommTimeoutException silent =
        new CommTimeoutException(
            "Store.exchange(\"init\") timed out after 1.00 s: the job's store did not answer",
            null);
    assertThat(ExchangeTimeout.missing(silent)).isNull();
    assertThat(ExchangeTimeout.named(silent, Duration.ofMinutes(5))).isSameAs(silent);
  }
}
