package dev.tutti.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.comm.LocalRanks;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.junit.Ranks;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PipelineTest {
  /** The losses of a model that is not split. */
  private static float[] whole = {};

  @BeforeAll
  static void trainUnsplit() {
    whole = LocalRanks.call(1, "local", group -> Pipeline.train(group, 1)).getFirst();
  }

  @Ranks(
      value = {2, 4},
      config = {"local", "tcp"})
  void splittingTheModelChangesNoBit(ProcessGroup group) {
    assertThat(Pipeline.train(group, group.size())).isEqualTo(whole);
  }

  @Ranks({2, 4, 8})
  void replicasLearnTheSameButForRounding(ProcessGroup group) {
    assertThat(Pipeline.train(group, group.size() / 2)).containsExactly(whole, within(1e-5f));
  }

  @Test
  void theModelIsFound() {
    assertThat(whole[whole.length - 1]).isLessThan(whole[0] / 1000);
  }

  @Ranks(2)
  void aSplitThatDoesNotFitIsRefused(ProcessGroup group) {
    assertThatThrownBy(() -> Pipeline.train(group, 3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("3 stages: must divide the 4 layers and the 2 ranks");
    group.barrier().join();
  }

  @Test
  void processesLearnAsThreadsDo() throws InterruptedException {
    List<String> four = Program.run(4, Pipeline.class);
    assertThat(four).hasSize(1);
    String losses = four.getFirst().replace("[0] 4 stages x 1 replicas: ", "");
    assertThat(losses).startsWith("loss 1.95608, after 19 steps 0.000");
    assertThat(Program.run(2, Pipeline.class))
        .containsExactly("[0] 2 stages x 1 replicas: " + losses);
    assertThat(Program.run(4, Pipeline.class, "2"))
        .containsExactly("[0] 2 stages x 2 replicas: " + losses);
  }
}
