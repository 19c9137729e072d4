package dev.tutti.tcp.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.ConfigException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The config key {@code algo}. */
class OverridesTest {
  private static Request allReduce(int size, long count) {
    return Request.allReduce(0, size, 4, count, false, false, Limits.DEFAULT);
  }

  @Test
  void takesTheAlgorithmThatTheUserNames() {
    Overrides overrides = Overrides.parse(List.of("allReduce:ring", "ALLGATHER:Ring"));
    assertThat(overrides.algorithms())
        .hasSize(2)
        .containsEntry(OperationKind.ALL_REDUCE, Algorithm.RING)
        .containsEntry(OperationKind.ALL_GATHER, Algorithm.RING);
    assertThat(Schedules.plan(allReduce(3, 8)).algorithm()).isEqualTo(Algorithm.RECURSIVE_DOUBLING);
    assertThat(Schedules.plan(allReduce(3, 8), overrides).algorithm()).isEqualTo(Algorithm.RING);
    assertThat(Schedules.plan(allReduce(3, 8), Overrides.NONE).algorithm())
        .isEqualTo(Algorithm.RECURSIVE_DOUBLING);
  }

  @Test
  void takesTheTablesChoiceWhereTheUsersCannotServe() {
    Overrides overrides = Overrides.parse(List.of("allReduce:ring"));
    assertThat(Schedules.plan(allReduce(1, 8), overrides).algorithm())
        .isEqualTo(Algorithm.SINGLE_RANK);
    assertThatThrownBy(() -> Schedules.plan(allReduce(1, 8), Algorithm.RING))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("ring does not serve Request[operation=ALL_REDUCE, rank=0, size=1");
  }

  @ParameterizedTest
  @CsvSource({
    "allRedce:ring, 'unknown operation \"allRedce\". Did you mean \"allReduce\"? Known: allGather,"
        + " allReduce, allToAll, barrier, broadcast, gather, reduce, reduceScatter, scatter'",
    "batch:pointToPoint, 'unknown operation \"batch\". Known: '",
    "gather:liner, 'unknown algorithm \"liner\" for gather. Did you mean \"linear\"? Known: '",
    "barrier:ring, 'ring does not do barrier. Known: dissemination'",
    "allReduce:singleRank, 'singleRank does not do allReduce. '",
    "allReduce, '\"allReduce\" is not an operation and its algorithm; write them as in'",
    "allReduce:ring:ring, '\"allReduce:ring:ring\" is not an operation and its algorithm'",
    "barrier:dissemination+BARRIER:dissemination, barrier is given twice",
  })
  void saysWhatIsWrong(String value, String message) {
    assertThatThrownBy(() -> Overrides.parse(List.of(value.split("\\+"))))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("algo=" + value + ": " + message);
  }
}
