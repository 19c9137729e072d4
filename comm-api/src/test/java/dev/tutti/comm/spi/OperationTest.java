package dev.tutti.comm.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.spi.Operation.Counts;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Operations as data: how they describe themselves, what they weigh, counts. */
class OperationTest {
  private static CommBuffer floats(int count) {
    return CommBuffer.of(new float[count]);
  }

  @Test
  void eachDescribesItselfOnOneLine() {
    assertThat(new Operation.AllReduce(floats(3), floats(3), ReduceOp.SUM).describe())
        .isEqualTo("allReduce(3 FLOAT32, SUM)");
    assertThat(new Operation.Reduce(floats(3), null, ReduceOp.MAX, 2).describe())
        .isEqualTo("reduce(3 FLOAT32, MAX, root 2)");
    assertThat(new Operation.Broadcast(floats(3), 0).describe())
        .isEqualTo("broadcast(3 FLOAT32, root 0)");
    assertThat(new Operation.Scatter(null, floats(3), 1).describe())
        .isEqualTo("scatter(3 FLOAT32, root 1)");
    assertThat(new Operation.Send(floats(3), 1).describe()).isEqualTo("send(3 FLOAT32, to rank 1)");
    assertThat(new Operation.Recv(floats(3), 1).describe())
        .isEqualTo("recv(3 FLOAT32, from rank 1)");
    assertThat(new Operation.SendRecv(floats(3), 1, floats(4), 0).describe())
        .isEqualTo("sendRecv(3 FLOAT32 to rank 1, 4 FLOAT32 from rank 0)");
    assertThat(new Operation.Batch(List.of()).describe()).isEqualTo("batch(0 transfers)");
    assertThat(new Operation.Barrier().describe()).isEqualTo("barrier()");
  }

  @Test
  void absentBuffersAreNotListed() {
    assertThat(new Operation.Gather(floats(1), null, 0).buffers()).hasSize(1);
    assertThat(new Operation.Gather(floats(1), floats(2), 0).buffers()).hasSize(2);
    assertThat(new Operation.ScatterV(null, floats(1), null, 0).buffers()).hasSize(1);
    assertThat(new Operation.Barrier().buffers()).isEmpty();
  }

  @Test
  void theLargestBufferCounts() {
    assertThat(new Operation.AllGather(floats(2), floats(6)).bytes()).isEqualTo(24);
    assertThat(new Operation.Barrier().bytes()).isZero();
  }

  @Test
  void onlyTransfersArePointToPoint() {
    assertThat(new Operation.Batch(List.of()).isPointToPoint()).isTrue();
    assertThat(new Operation.Send(floats(1), 1).isPointToPoint()).isTrue();
    assertThat(new Operation.AllToAll(floats(1), floats(1)).isPointToPoint()).isFalse();
    assertThat(new Operation.Barrier().rootRank()).isEqualTo(-1);
    assertThat(new Operation.Barrier().reduceOp()).isNull();
  }

  @Test
  void aBatchKeepsItsOwnList() {
    List<Operation> transfers = new ArrayList<>();
    Operation.Batch batch = new Operation.Batch(transfers);
    transfers.add(new Operation.Barrier());

    assertThat(batch.transfers()).isEmpty();
  }

  @Test
  void countsAreDenseBlocks() {
    long[] given = {2, 0, 3};
    Counts counts = Counts.of(given);
    given[0] = 9;

    assertThat(counts.size()).isEqualTo(3);
    assertThat(counts.count(0)).isEqualTo(2);
    assertThat(counts.offset(2)).isEqualTo(2);
    assertThat(counts.total()).isEqualTo(5);
    assertThat(counts.toArray()).containsExactly(2, 0, 3);
    assertThat(counts).hasToString("[2, 0, 3]").isEqualTo(Counts.of(2, 0, 3));
    assertThat(counts).isNotEqualTo(Counts.of(2, 0, 4)).hasSameHashCodeAs(Counts.of(2, 0, 3));
    assertThatThrownBy(() -> Counts.of(1, -1)).hasMessage("count -1 of rank 1 is negative");
    assertThatThrownBy(() -> Counts.of(Long.MAX_VALUE, 1)).isInstanceOf(ArithmeticException.class);
  }
}
