package dev.tutti.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.CommConfig.Order;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NativeReductionTest {
  @Test
  void onlyWhatMeansTheSameIsMpis() {
    Map<DataType, String> ours = new EnumMap<>(DataType.class);
    for (DataType type : DataType.values()) {
      StringBuilder ops = new StringBuilder();
      for (ReduceOp op : ReduceOp.all()) {
        NativeReduction reduction = NativeReduction.of(type, op, Order.FAST);
        if (op.supports(type) && reduction != null) {
          ops.append(ops.isEmpty() ? reduction.type() + ":" : "").append(' ').append(op);
          assertThat(reduction.averages()).isEqualTo(op.equals(ReduceOp.AVG));
          assertThat(reduction.type().bytes()).isEqualTo(type.byteSize());
        }
      }
      ours.put(type, ops.toString());
    }
    assertThat(ours)
        .containsEntry(DataType.INT8, "BYTE: BAND BOR BXOR")
        .containsEntry(DataType.UINT8, "BYTE: BAND BOR BXOR")
        .containsEntry(DataType.INT32, "INT: SUM PROD MIN MAX AVG BAND BOR BXOR")
        .containsEntry(DataType.UINT32, "INT: SUM PROD AVG BAND BOR BXOR")
        .containsEntry(DataType.INT64, "LONG: SUM PROD MIN MAX AVG BAND BOR BXOR")
        .containsEntry(DataType.UINT64, "LONG: SUM PROD AVG BAND BOR BXOR")
        .containsEntry(DataType.FLOAT16, "")
        .containsEntry(DataType.BFLOAT16, "")
        .containsEntry(DataType.FLOAT32, "FLOAT: SUM PROD AVG")
        .containsEntry(DataType.FLOAT64, "DOUBLE: SUM PROD AVG");
  }

  @Test
  void rankOrderIsNotMpis() {
    assertThat(NativeReduction.of(DataType.FLOAT32, ReduceOp.SUM, Order.RANKED)).isNull();
    assertThat(NativeReduction.of(DataType.INT32, ReduceOp.SUM, Order.RANKED)).isNotNull();
  }
}
