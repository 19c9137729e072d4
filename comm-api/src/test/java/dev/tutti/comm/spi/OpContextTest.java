package dev.tutti.comm.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.CommAbortedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An operation's end is told once. */
class OpContextTest {
  private final List<OpContext> ended = new ArrayList<>();

  private OpContext context() {
    return new OpContext(new Operation.Barrier(), 3, Duration.ofSeconds(1), ended::add);
  }

  @Test
  void theFirstEndCounts() {
    OpContext context = context();
    assertThat(context.isDone()).isFalse();
    context.complete();
    context.fail(new CommAbortedException("too late", null));
    context.complete();

    assertThat(ended).containsExactly(context);
    assertThat(context.isDone()).isTrue();
    assertThat(context.failure()).isNull();
  }

  @Test
  void aFailureStays() {
    OpContext context = context();
    CommAbortedException cause = new CommAbortedException("so be it", null);
    context.fail(cause);
    context.complete();

    assertThat(ended).containsExactly(context);
    assertThat(context.failure()).isSameAs(cause);
  }

  @Test
  void aPartSharesTheNumberTheTimeoutAndTheTrace() {
    OpContext context = context();
    List<OpContext> parts = new ArrayList<>();
    Operation.Batch operation = new Operation.Batch(List.of());
    OpContext part = context.part(operation, parts::add);
    part.trace().algorithm("ring");
    part.complete();

    assertThat(context.trace().algorithm()).isEqualTo("ring");
    assertThat(part.operation()).isSameAs(operation);
    assertThat(part.sequence()).isEqualTo(3);
    assertThat(part.timeout()).isEqualTo(Duration.ofSeconds(1));
    assertThat(parts).containsExactly(part);
    assertThat(context.isDone()).isFalse();
    assertThat(ended).isEmpty();
  }
}
