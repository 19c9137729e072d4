package dev.tutti.comm.internal.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.CommAbortedException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class InMemoryControlTest extends ControlSuite {
  private InMemoryControl job = new InMemoryControl(1);

  @Override
  List<Control> open(int size) {
    job = new InMemoryControl(size);
    InMemoryControl opened = job;
    return IntStream.range(0, size).mapToObj(opened::line).toList();
  }

  @Override
  void kill(int rank) {
    job.simulateDeath(rank, "the test says so");
  }

  @Test
  void withoutALineNothingIsToldAndNothingFails() {
    try (NoControl none = new NoControl()) {
      Heard heard = new Heard();
      none.subscribe("g", heard);
      none.sendBreak("g", new CommAbortedException("x", null));
      none.unsubscribe("g");
      assertThat(none.detectsDeath()).isFalse();
      assertThat(heard.quiet()).isTrue();
    }
  }
}
