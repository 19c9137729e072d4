package dev.tutti.cli.bench;

import dev.tutti.comm.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Whole numbers as elements of any type. Every number used here is one that all types can hold. */
final class Elements {
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;
  private static final int BFLOAT16_SHIFT = 16;

  private Elements() {}

  /** Writes a number as element {@code index}; integers are cut to the type's bits. */
  static void put(MemorySegment target, long index, DataType type, long value) {
    long at = index * type.byteSize();
    switch (type) {
      case INT8, UINT8 -> target.set(ValueLayout.JAVA_BYTE, at, (byte) value);
      case INT32, UINT32 -> target.set(INT, at, (int) value);
      case INT64, UINT64 -> target.set(LONG, at, value);
      case FLOAT16 -> target.set(SHORT, at, Float.floatToFloat16((float) value));
      case BFLOAT16 ->
          target.set(
              SHORT, at, (short) (Float.floatToRawIntBits((float) value) >>> BFLOAT16_SHIFT));
      case FLOAT32 -> target.set(FLOAT, at, (float) value);
      case FLOAT64 -> target.set(DOUBLE, at, (double) value);
    }
  }

  /** Returns what an integer type makes of a number: its lower bits, read as that type. */
  static long wrapped(DataType type, long value) {
    return switch (type) {
      case INT8 -> (byte) value;
      case UINT8 -> value & 0xff;
      case INT32 -> (int) value;
      case UINT32 -> value & 0xffff_ffffL;
      default -> value;
    };
  }

  /** Returns the largest number up to which a type holds every whole number. */
  static long exactUpTo(DataType type) {
    return switch (type) {
      case BFLOAT16 -> 1 << 8;
      case FLOAT16 -> 1 << 11;
      case FLOAT32 -> 1 << 24;
      default -> Long.MAX_VALUE;
    };
  }
}
