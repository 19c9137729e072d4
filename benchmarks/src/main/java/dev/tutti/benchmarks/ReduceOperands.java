package dev.tutti.benchmarks;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** What the measurements of reduce kernels work on. */
final class ReduceOperands {
  private ReduceOperands() {}

  static ReduceOp op(ReduceOp.Kind kind) {
    return ReduceOp.all().stream().filter(op -> op.kind() == kind).findFirst().orElseThrow();
  }

  /** Allocates a region of ordinary numbers between 1 and 2, or of any integers. */
  static MemorySegment allocate(Arena arena, DataType type, long bytes, long seed) {
    MemorySegment segment = arena.allocate(bytes, 64);
    Random random = new Random(seed);
    long count = bytes / type.byteSize();
    for (long i = 0; i < count; i++) {
      float ordinary = 1 + random.nextFloat();
      switch (type) {
        case FLOAT16 ->
            segment.setAtIndex(ValueLayout.JAVA_SHORT, i, Float.floatToFloat16(ordinary));
        case BFLOAT16 ->
            segment.setAtIndex(
                ValueLayout.JAVA_SHORT, i, (short) (Float.floatToRawIntBits(ordinary) >>> 16));
        case FLOAT32 -> segment.setAtIndex(ValueLayout.JAVA_FLOAT, i, ordinary);
        case FLOAT64 -> segment.setAtIndex(ValueLayout.JAVA_DOUBLE, i, ordinary);
        case INT8, UINT8 -> segment.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
        case INT32, UINT32 -> segment.setAtIndex(ValueLayout.JAVA_INT, i, random.nextInt());
        case INT64, UINT64 -> segment.setAtIndex(ValueLayout.JAVA_LONG, i, random.nextLong());
      }
    }
    return segment;
  }
}
