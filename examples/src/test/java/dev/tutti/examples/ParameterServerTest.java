package dev.tutti.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.comm.ProcessGroup;
import dev.tutti.junit.Ranks;
import org.junit.jupiter.api.Test;

class ParameterServerTest {
  /** With two ranks the only worker, with more the last one leaves early. */
  @Ranks({2, 3, 4})
  void theServerLearnsTheLine(ProcessGroup group) throws Exception {
    float[] weights = ParameterServer.run(group);
    if (group.rank() == 0) {
      assertThat(weights[0]).isCloseTo(3, within(0.1f));
      assertThat(weights[1]).isCloseTo(2, within(0.1f));
    }
    // All have ended in order: the group can be used further.
    group.barrier().join();
  }

  @Ranks(1)
  void aServerAloneIsRefused(ProcessGroup group) {
    assertThatThrownBy(() -> ParameterServer.run(group))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("start at least 2 ranks");
  }

  @Test
  void processesLearnTheLine() throws InterruptedException {
    for (int ranks : new int[] {2, 4}) {
      assertThat(Program.run(ranks, ParameterServer.class)).containsExactly("[0] y = 3.0 x + 2.0");
    }
  }
}
