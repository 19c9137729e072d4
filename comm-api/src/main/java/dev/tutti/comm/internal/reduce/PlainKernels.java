package dev.tutti.comm.internal.reduce;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import java.lang.foreign.MemorySegment;

/** The table of the plain engine: which loop serves which operator and type. */
final class PlainKernels {
  private static final BlockPool<Block<byte[]>> BYTES = new BlockPool<>(Block::ofBytes);
  private static final BlockPool<Block<int[]>> INTS = new BlockPool<>(Block::ofInts);
  private static final BlockPool<Block<long[]>> LONGS = new BlockPool<>(Block::ofLongs);
  private static final BlockPool<Block<float[]>> FLOATS = new BlockPool<>(Block::ofFloats);
  private static final BlockPool<Block<double[]>> DOUBLES = new BlockPool<>(Block::ofDoubles);

  /** A loop of {@link NativeLoops}: over whole segments. */
  @FunctionalInterface
  private interface PlainLoop {
    void combine(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes);
  }

  private PlainKernels() {}

  /** Returns the kernel of an operator that the type supports. */
  static Kernel kernel(ReduceOp.Kind kind, DataType type) {
    return switch (kind) {
      case SUM, AVG ->
          switch (type) {
            case INT8, UINT8 -> new BlockKernel<>(BYTES, ByteLoops::sum);
            case INT32, UINT32 -> plain(NativeLoops::intSum);
            case INT64, UINT64 -> plain(NativeLoops::longSum);
            case FLOAT16 -> new Float16Kernel(Float16Kernel::sum);
            case BFLOAT16 -> new Bfloat16Kernel(FLOATS, FloatLoops::sum);
            case FLOAT32 -> plain(NativeLoops::floatSum);
            case FLOAT64 -> plain(NativeLoops::doubleSum);
          };
      case PROD ->
          switch (type) {
            case INT8, UINT8 -> new BlockKernel<>(BYTES, ByteLoops::prod);
            case INT32, UINT32 -> plain(NativeLoops::intProd);
            case INT64, UINT64 -> plain(NativeLoops::longProd);
            case FLOAT16 -> new Float16Kernel(Float16Kernel::prod);
            case BFLOAT16 -> new Bfloat16Kernel(FLOATS, FloatLoops::prod);
            case FLOAT32 -> plain(NativeLoops::floatProd);
            case FLOAT64 -> plain(NativeLoops::doubleProd);
          };
      case MIN ->
          switch (type) {
            case INT8 -> new BlockKernel<>(LONGS, ByteLoops::min);
            case UINT8 -> new BlockKernel<>(LONGS, ByteLoops::minUnsigned);
            case INT32 -> plain(NativeLoops::intMin);
            case UINT32 -> plain(NativeLoops::intMinUnsigned);
            case INT64 -> plain(NativeLoops::longMin);
            case UINT64 -> plain(NativeLoops::longMinUnsigned);
            case FLOAT16 -> new Float16Kernel(Float16Kernel::min);
            case BFLOAT16 -> new Bfloat16Kernel(FLOATS, FloatLoops::min);
            case FLOAT32 -> plain(NativeLoops::floatMin);
            case FLOAT64 -> plain(NativeLoops::doubleMin);
          };
      case MAX ->
          switch (type) {
            case INT8 -> new BlockKernel<>(LONGS, ByteLoops::max);
            case UINT8 -> new BlockKernel<>(LONGS, ByteLoops::maxUnsigned);
            case INT32 -> plain(NativeLoops::intMax);
            case UINT32 -> plain(NativeLoops::intMaxUnsigned);
            case INT64 -> plain(NativeLoops::longMax);
            case UINT64 -> plain(NativeLoops::longMaxUnsigned);
            case FLOAT16 -> new Float16Kernel(Float16Kernel::max);
            case BFLOAT16 -> new Bfloat16Kernel(FLOATS, FloatLoops::max);
            case FLOAT32 -> plain(NativeLoops::floatMax);
            case FLOAT64 -> plain(NativeLoops::doubleMax);
          };
      case BAND -> plain(NativeLoops::and);
      case BOR -> plain(NativeLoops::or);
      case BXOR -> plain(NativeLoops::xor);
    };
  }

  private static Kernel plain(PlainLoop loop) {
    return new NativeKernel(
        (dst, dstOffset, a, aOffset, b, bOffset, bytes) ->
            loop.combine(
                dst.asSlice(dstOffset, bytes),
                a.asSlice(aOffset, bytes),
                b.asSlice(bOffset, bytes),
                bytes),
        Long.BYTES);
  }

  /**
   * Returns the kernel that divides a region by {@code divisor}; its second operand is not used.
   */
  static Kernel divider(DataType type, int divisor) {
    return switch (type) {
      case INT8 -> new BlockKernel<>(BYTES, (s, lanes) -> DivideLoops.bytes(s, lanes, divisor));
      case UINT8 ->
          new BlockKernel<>(BYTES, (s, lanes) -> DivideLoops.unsignedBytes(s, lanes, divisor));
      case INT32 -> new BlockKernel<>(INTS, (s, lanes) -> DivideLoops.ints(s, lanes, divisor));
      case UINT32 ->
          new BlockKernel<>(INTS, (s, lanes) -> DivideLoops.unsignedInts(s, lanes, divisor));
      case INT64 -> new BlockKernel<>(LONGS, (s, lanes) -> DivideLoops.longs(s, lanes, divisor));
      case UINT64 ->
          new BlockKernel<>(LONGS, (s, lanes) -> DivideLoops.unsignedLongs(s, lanes, divisor));
      case FLOAT16 ->
          new Float16Kernel(
              (s, a, aOffset, b, bOffset, n) -> Float16Kernel.divide(s, a, aOffset, n, divisor));
      case BFLOAT16 ->
          new Bfloat16Kernel(FLOATS, (s, lanes) -> DivideLoops.floats(s, lanes, divisor));
      case FLOAT32 ->
          new BlockKernel<>(FLOATS, (s, lanes) -> DivideLoops.floats(s, lanes, divisor));
      case FLOAT64 ->
          new BlockKernel<>(DOUBLES, (s, lanes) -> DivideLoops.doubles(s, lanes, divisor));
    };
  }
}
