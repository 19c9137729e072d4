package dev.tutti.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.ProcessGroup;
import dev.tutti.junit.Ranks;
import org.junit.jupiter.api.Test;

class AveragingTest {
  @Ranks(
      value = {1, 2, 4},
      config = {"local", "tcp"})
  void everyRankHasTheAverage(ProcessGroup group) {
    float[] gradient = {group.rank(), 1};
    Averaging.average(group, gradient);
    assertThat(gradient).containsExactly((group.size() - 1) / 2f, 1);
  }

  @Test
  void twoProcessesHaveTheAverage() throws InterruptedException {
    assertThat(Program.run(2, Averaging.class))
        .containsExactlyInAnyOrder("[0] [0.5, 1.0, -0.5]", "[1] [0.5, 1.0, -0.5]");
  }
}
