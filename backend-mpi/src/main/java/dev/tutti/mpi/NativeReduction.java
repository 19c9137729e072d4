package dev.tutti.mpi;

import dev.tutti.comm.CommConfig.Order;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import org.jspecify.annotations.Nullable;

/**
 * A reduction of MPI's own that means what ours does.
 *
 * <p>MPI has no 16-bit floats and, in Java, no signed bytes and no unsigned words; its MIN and MAX
 * answer at random where there is a NaN; and its order of floating-point operands is its own.
 * Unsigned words wrap, and have bits, as signed ones do.
 *
 * @param type MPI's type
 * @param op MPI's operator
 * @param averages whether the result is yet to be divided by the number of ranks
 */
record NativeReduction(MpiApi.Type type, MpiApi.Op op, boolean averages) {
  /** Returns MPI's reduction for a type and an operator, or null if there is none. */
  static @Nullable NativeReduction of(DataType type, ReduceOp op, Order order) {
    MpiApi.Type mpi = type(type);
    if (mpi == null || (type.isFloating() && order == Order.RANKED)) {
      return null;
    }
    boolean bytes = type.byteSize() == 1;
    boolean compares = type == DataType.INT32 || type == DataType.INT64;
    return switch (op.kind()) {
      case SUM -> bytes ? null : new NativeReduction(mpi, MpiApi.Op.SUM, false);
      case AVG -> bytes ? null : new NativeReduction(mpi, MpiApi.Op.SUM, true);
      case PROD -> bytes ? null : new NativeReduction(mpi, MpiApi.Op.PROD, false);
      case MIN -> compares ? new NativeReduction(mpi, MpiApi.Op.MIN, false) : null;
      case MAX -> compares ? new NativeReduction(mpi, MpiApi.Op.MAX, false) : null;
      case BAND -> new NativeReduction(mpi, MpiApi.Op.BAND, false);
      case BOR -> new NativeReduction(mpi, MpiApi.Op.BOR, false);
      case BXOR -> new NativeReduction(mpi, MpiApi.Op.BXOR, false);
    };
  }

  private static MpiApi.@Nullable Type type(DataType type) {
    return switch (type) {
      case INT8, UINT8 -> MpiApi.Type.BYTE;
      case INT32, UINT32 -> MpiApi.Type.INT;
      case INT64, UINT64 -> MpiApi.Type.LONG;
      case FLOAT32 -> MpiApi.Type.FLOAT;
      case FLOAT64 -> MpiApi.Type.DOUBLE;
      case FLOAT16, BFLOAT16 -> null;
    };
  }
}
