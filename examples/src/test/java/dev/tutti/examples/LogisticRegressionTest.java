package dev.tutti.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.LocalRanks;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.examples.LogisticRegression.Mode;
import dev.tutti.examples.LogisticRegression.Result;
import dev.tutti.junit.Ranks;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogisticRegressionTest {
  /** On every machine: nothing in it depends on one. */
  private static final String BY_SHARDS = "fe82d844";

  @Ranks(
      value = {1, 2, 4},
      config = {"local", "tcp"})
  void shardsGiveTheSameWeightsForAnyNumberOfRanks(ProcessGroup group) {
    Result result = LogisticRegression.train(group, Mode.SHARDS);
    assertThat(result.digest()).isEqualTo(BY_SHARDS);
    assertThat(result.accuracy()).isGreaterThan(0.9);
    assertThat(result.loss()).isLessThan(0.2);
  }

  @Ranks(3)
  void shardsThatCannotBeDealtAreRefused(ProcessGroup group) {
    assertThatThrownBy(() -> LogisticRegression.train(group, Mode.SHARDS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("4 shards cannot be dealt evenly to 3 ranks");
    group.barrier().join();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4})
  void ranksGiveTheSameWeightsOnEveryBackendAndLayout(int ranks) throws InterruptedException {
    String expected = digest(ranks, "local?order=ranked");
    assertThat(digest(ranks, "tcp?order=ranked")).isEqualTo(expected);
    assertThat(Program.run(ranks, LogisticRegression.class))
        .containsExactly("[0] RANKS: loss 0.1850, accuracy 92.5%, weights " + expected);
  }

  private static String digest(int ranks, String config) {
    List<String> digests =
        LocalRanks.call(
            ranks, config, group -> LogisticRegression.train(group, Mode.RANKS).digest());
    assertThat(digests).containsOnly(digests.getFirst());
    return digests.getFirst();
  }

  /** Four ranks in rank order are four shards in shard order. */
  @Ranks(value = 4, config = "tcp?order=ranked")
  void fourRanksGiveTheWeightsOfFourShards(ProcessGroup group) {
    assertThat(LogisticRegression.train(group, Mode.RANKS).digest()).isEqualTo(BY_SHARDS);
  }

  @Test
  void processesGiveTheSameWeightsByShards() throws InterruptedException {
    for (int ranks : new int[] {2, 4}) {
      assertThat(Program.run(ranks, LogisticRegression.class, "shards", "tcp"))
          .containsExactly("[0] SHARDS: loss 0.1850, accuracy 92.5%, weights " + BY_SHARDS);
    }
  }
}
