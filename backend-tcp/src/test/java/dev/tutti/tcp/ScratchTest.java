package dev.tutti.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.LocalRanks;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScratchTest {
  @Test
  void growsWithTheNeedUpToItsLimit() {
    Scratch scratch = new Scratch(1_000_000);
    assertThat(scratch.allocatedBytes()).isZero();

    MemorySegment small = scratch.atLeast(1);
    assertThat(small.byteSize()).isEqualTo(64 << 10);
    assertThat(scratch.atLeast(64 << 10)).isEqualTo(small);

    MemorySegment larger = scratch.atLeast((64 << 10) + 1);
    assertThat(larger.byteSize()).isEqualTo(128 << 10);
    assertThat(small.scope().isAlive()).isFalse();
    assertThat(scratch.atLeast(1)).isEqualTo(larger);

    assertThat(scratch.atLeast(600_000).byteSize()).isEqualTo(1_000_000);
    assertThatThrownBy(() -> scratch.atLeast(1_000_001)).hasMessageContaining("1000001");

    scratch.close();
    scratch.close();
    assertThat(scratch.allocatedBytes()).isZero();
  }

  /** A bound on memory is not a wish for it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "tcp?scratch=1GiB&order=ranked",
        "tcp?scratch=1GiB&algo=allReduce:direct",
        "tcp?scratch=1GiB&algo=reduceScatter:direct",
        "tcp?scratch=1GiB"
      })
  void fewElementsTakeLittle(String config) {
    List<Long> held = LocalRanks.call(3, config, ScratchTest::heldAfterSmallReductions);

    assertThat(held).allMatch(bytes -> bytes <= 64 << 10);
  }

  private static long heldAfterSmallReductions(ProcessGroup group) {
    double[] three = {1, 2, 3};
    group.allReduce(CommBuffer.of(three), ReduceOp.SUM).join();
    double[] one = {0};
    group.reduceScatter(CommBuffer.of(three), CommBuffer.of(one), ReduceOp.SUM).join();
    group.reduce(CommBuffer.of(three), CommBuffer.of(new double[3]), ReduceOp.SUM, 0).join();
    return group.memory().allocatedBytes();
  }
}
