package dev.tutti.comm.internal.reduce;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;

/** The table of the block engine: which loop serves which operator and type. */
final class BlockKernels {
  private static final BlockPool<Block<byte[]>> BYTES = new BlockPool<>(Block::ofBytes);
  private static final BlockPool<Block<int[]>> INTS = new BlockPool<>(Block::ofInts);
  private static final BlockPool<Block<long[]>> LONGS = new BlockPool<>(Block::ofLongs);
  private static final BlockPool<Block<float[]>> FLOATS = new BlockPool<>(Block::ofFloats);
  private static final BlockPool<Block<double[]>> DOUBLES = new BlockPool<>(Block::ofDoubles);

  private BlockKernels() {}

  /** Returns the kernel of an operator that the type supports. */
  static Kernel kernel(ReduceOp.Kind kind, DataType type) {
    return switch (kind) {
      case SUM, AVG ->
          switch (type) {
            case INT8, UINT8 -> new BlockKernel<>(BYTES, ByteLoops::sum);
            case INT32, UINT32 -> new BlockKernel<>(INTS, IntegerLoops::sum);
            case INT64, UINT64 -> new BlockKernel<>(LONGS, IntegerLoops::sum);
            case FLOAT16 -> new Float16Kernel(Float16Kernel::sum);
            case BFLOAT16 -> new Bfloat16Kernel(FLOATS, FloatLoops::sum);
            case FLOAT32 -> new BlockKernel<>(FLOATS, FloatLoops::sum);
            case FLOAT64 -> new BlockKernel<>(DOUBLES, FloatLoops::sum);
          };
      case PROD ->
          switch (type) {
            case INT8, UINT8 -> new BlockKernel<>(BYTES, ByteLoops::prod);
            case INT32, UINT32 -> new BlockKernel<>(INTS, IntegerLoops::prod);
            case INT64, UINT64 -> new BlockKernel<>(LONGS, IntegerLoops::prod);
            case FLOAT16 -> new Float16Kernel(Float16Kernel::prod);
            case BFLOAT16 -> new Bfloat16Kernel(FLOATS, FloatLoops::prod);
            case FLOAT32 -> new BlockKernel<>(FLOATS, FloatLoops::prod);
            case FLOAT64 -> new BlockKernel<>(DOUBLES, FloatLoops::prod);
          };
      case MIN ->
          switch (type) {
            case INT8 -> new BlockKernel<>(LONGS, ByteLoops::min);
            case UINT8 -> new BlockKernel<>(LONGS, ByteLoops::minUnsigned);
            case INT32 -> new BlockKernel<>(INTS, IntegerLoops::min);
            case UINT32 -> new BlockKernel<>(INTS, IntegerLoops::minUnsigned);
            case INT64 -> new BlockKernel<>(LONGS, IntegerLoops::min);
            case UINT64 -> new BlockKernel<>(LONGS, IntegerLoops::minUnsigned);
            case FLOAT16 -> new Float16Kernel(Float16Kernel::min);
            case BFLOAT16 -> new Bfloat16Kernel(FLOATS, FloatLoops::min);
            case FLOAT32 -> new BlockKernel<>(FLOATS, FloatLoops::min);
            case FLOAT64 -> new BlockKernel<>(DOUBLES, FloatLoops::min);
          };
      case MAX ->
          switch (type) {
            case INT8 -> new BlockKernel<>(LONGS, ByteLoops::max);
            case UINT8 -> new BlockKernel<>(LONGS, ByteLoops::maxUnsigned);
            case INT32 -> new BlockKernel<>(INTS, IntegerLoops::max);
            case UINT32 -> new BlockKernel<>(INTS, IntegerLoops::maxUnsigned);
            case INT64 -> new BlockKernel<>(LONGS, IntegerLoops::max);
            case UINT64 -> new BlockKernel<>(LONGS, IntegerLoops::maxUnsigned);
            case FLOAT16 -> new Float16Kernel(Float16Kernel::max);
            case BFLOAT16 -> new Bfloat16Kernel(FLOATS, FloatLoops::max);
            case FLOAT32 -> new BlockKernel<>(FLOATS, FloatLoops::max);
            case FLOAT64 -> new BlockKernel<>(DOUBLES, FloatLoops::max);
          };
      case BAND -> new BlockKernel<>(LONGS, IntegerLoops::and);
      case BOR -> new BlockKernel<>(LONGS, IntegerLoops::or);
      case BXOR -> new BlockKernel<>(LONGS, IntegerLoops::xor);
    };
  }

  /**
   * Returns the kernel that divides a region by {@code divisor}; its second operand is not looked
   * at.
   */
  static Kernel divider(DataType type, int divisor) {
    return switch (type) {
      case INT8 -> new BlockKernel<>(BYTES, (s, lanes) -> ByteLoops.divide(s, lanes, divisor));
      case UINT8 ->
          new BlockKernel<>(BYTES, (s, lanes) -> ByteLoops.divideUnsigned(s, lanes, divisor));
      case INT32 -> new BlockKernel<>(INTS, (s, lanes) -> IntegerLoops.divide(s, lanes, divisor));
      case UINT32 ->
          new BlockKernel<>(INTS, (s, lanes) -> IntegerLoops.divideUnsigned(s, lanes, divisor));
      case INT64 -> new BlockKernel<>(LONGS, (s, lanes) -> IntegerLoops.divide(s, lanes, divisor));
      case UINT64 ->
          new BlockKernel<>(LONGS, (s, lanes) -> IntegerLoops.divideUnsigned(s, lanes, divisor));
      case FLOAT16 ->
          new Float16Kernel(
              (s, a, aOffset, b, bOffset, n) -> Float16Kernel.divide(s, a, aOffset, n, divisor));
      case BFLOAT16 ->
          new Bfloat16Kernel(FLOATS, (s, lanes) -> FloatLoops.divide(s, lanes, divisor));
      case FLOAT32 -> new BlockKernel<>(FLOATS, (s, lanes) -> FloatLoops.divide(s, lanes, divisor));
      case FLOAT64 ->
          new BlockKernel<>(DOUBLES, (s, lanes) -> FloatLoops.divide(s, lanes, divisor));
    };
  }
}
