package dev.tutti.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.DataType;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Sizes, counts and factors are those of nccl-tests. */
class BenchOperationTest {
  private static final Offset<Double> EXACT = Offset.offset(1e-12);

  @Test
  void theSizeIsThatOfTheLargerBufferAndTheCountThatOfABlock() {
    assertThat(BenchCase.of(BenchOperation.ALL_REDUCE, 1024, DataType.FLOAT32, 4))
        .isEqualTo(new BenchCase(BenchOperation.ALL_REDUCE, 256, 1024));
    assertThat(BenchCase.of(BenchOperation.ALL_GATHER, 1024, DataType.FLOAT32, 4))
        .isEqualTo(new BenchCase(BenchOperation.ALL_GATHER, 64, 1024));
    assertThat(BenchCase.of(BenchOperation.REDUCE_SCATTER, 1000, DataType.FLOAT64, 3))
        .isEqualTo(new BenchCase(BenchOperation.REDUCE_SCATTER, 41, 984));
    assertThat(BenchCase.of(BenchOperation.SCATTER, 4, DataType.FLOAT32, 3))
        .isEqualTo(new BenchCase(BenchOperation.SCATTER, 1, 12));
    assertThat(BenchCase.of(BenchOperation.BROADCAST, 0, DataType.FLOAT32, 3))
        .isEqualTo(new BenchCase(BenchOperation.BROADCAST, 0, 0));
    assertThat(BenchCase.of(BenchOperation.BARRIER, 1024, DataType.FLOAT32, 3))
        .isEqualTo(new BenchCase(BenchOperation.BARRIER, 0, 0));
  }

  @Test
  void busFactorsAreThoseOfNcclTests() {
    assertThat(BenchOperation.ALL_REDUCE.busFactor(4)).isEqualTo(1.5, EXACT);
    for (BenchOperation operation :
        new BenchOperation[] {
          BenchOperation.REDUCE_SCATTER,
          BenchOperation.ALL_GATHER,
          BenchOperation.ALL_TO_ALL,
          BenchOperation.GATHER,
          BenchOperation.SCATTER
        }) {
      assertThat(operation.busFactor(4)).as(operation.label()).isEqualTo(0.75, EXACT);
    }
    for (BenchOperation operation :
        new BenchOperation[] {
          BenchOperation.BROADCAST, BenchOperation.REDUCE, BenchOperation.SEND_RECV
        }) {
      assertThat(operation.busFactor(4)).as(operation.label()).isEqualTo(1, EXACT);
    }
  }

  @Test
  void namesAreReadInAnyCaseAndOnce() {
    assertThat(BenchOperation.parse("ALLREDUCE, barrier,allReduce"))
        .containsExactly(BenchOperation.ALL_REDUCE, BenchOperation.BARRIER);
    assertThat(BenchOperation.parse("all")).containsExactly(BenchOperation.values());
  }
}
