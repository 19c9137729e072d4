package dev.tutti.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import dev.tutti.comm.LocalRanks;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The check of the results finds nothing where all is right, and everything that is wrong. */
@Timeout(60)
class BenchCallTest {
  /** More than one period of the pattern, and no multiple of anything. */
  private static final long COUNT = 1500;

  private static final long BUFFER = 5 * COUNT * 8;

  private interface Trial {
    void run(BenchCall call, Memory memory, ProcessGroup group);
  }

  private static void onRanks(
      int ranks, BenchOperation operation, Place place, DataType type, ReduceOp op, Trial trial) {
    LocalRanks.run(
        ranks,
        "local",
        group -> {
          try (Arena arena = Arena.ofShared()) {
            Memory memory = Memory.inArena(arena, BUFFER, type);
            int root = ranks - 1;
            BenchCall call = new BenchCall(group, operation, place, memory, op, root, COUNT);
            assertThat(group.supports(call.asOperation()).isAvailable()).isTrue();
            call.fill();
            trial.run(call, memory, group);
            group.barrier().join();
          }
        });
  }

  @ParameterizedTest
  @EnumSource(BenchOperation.class)
  void rightResultsAreRight(BenchOperation operation) {
    for (int ranks : List.of(2, 3, 5)) {
      for (Place place : operation.places()) {
        onRanks(
            ranks,
            operation,
            place,
            DataType.FLOAT32,
            ReduceOp.SUM,
            (call, memory, group) -> {
              call.call();
              assertThat(call.countWrong()).isZero();
            });
      }
    }
  }

  @ParameterizedTest
  @EnumSource(DataType.class)
  void everyTypeAndOperatorIsCheckedExactly(DataType type) {
    for (ReduceOp op : ReduceOp.all()) {
      if (op.supports(type)) {
        onRanks(
            3,
            BenchOperation.ALL_REDUCE,
            Place.OUT_OF_PLACE,
            type,
            op,
            (call, memory, group) -> {
              call.call();
              assertThat(call.countWrong()).as("%s %s", op, type).isZero();
              // The last element's lowest byte, then that of one in the middle.
              flip(memory.second(), COUNT - 1);
              assertThat(call.countWrong()).isEqualTo(1);
              flip(memory.second(), COUNT / 2);
              assertThat(call.countWrong()).isEqualTo(2);
            });
      }
    }
  }

  private static void flip(CommBuffer buffer, long element) {
    MemorySegment segment = buffer.segment();
    long at = element * buffer.type().byteSize();
    segment.set(ValueLayout.JAVA_BYTE, at, (byte) ~segment.get(ValueLayout.JAVA_BYTE, at));
  }

  @Test
  void whatNeverCameIsWrong() {
    for (BenchOperation operation :
        List.of(
            BenchOperation.ALL_GATHER,
            BenchOperation.ALL_TO_ALL,
            BenchOperation.SEND_RECV,
            BenchOperation.REDUCE_SCATTER)) {
      onRanks(
          3,
          operation,
          Place.OUT_OF_PLACE,
          DataType.INT64,
          ReduceOp.SUM,
          (call, memory, group) -> assertThat(call.countWrong()).isGreaterThanOrEqualTo(COUNT));
    }
  }

  @Test
  void anotherRanksBlockIsWrong() {
    onRanks(
        2,
        BenchOperation.ALL_GATHER,
        Place.OUT_OF_PLACE,
        DataType.UINT8,
        ReduceOp.SUM,
        (call, memory, group) -> {
          call.call();
          MemorySegment recv = memory.second().segment();
          MemorySegment.copy(recv, 0, recv, COUNT, COUNT);
          assertThat(call.countWrong()).isGreaterThan(COUNT / 2);
        });
  }

  @Test
  void manyRanksStayExact() {
    for (ReduceOp op : List.of(ReduceOp.SUM, ReduceOp.AVG)) {
      for (int ranks : List.of(64, 66)) {
        LocalRanks.run(
            ranks,
            "local",
            group -> {
              Memory memory = Memory.onHeap(4096, DataType.BFLOAT16);
              BenchCall call =
                  new BenchCall(
                      group, BenchOperation.ALL_REDUCE, Place.IN_PLACE, memory, op, 0, 2048);
              call.fill();
              call.call();
              assertThat(call.countWrong()).as("%s %d", op, ranks).isZero();
            });
      }
    }
  }
}
