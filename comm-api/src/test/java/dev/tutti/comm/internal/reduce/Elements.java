package dev.tutti.comm.internal.reduce;

import dev.tutti.comm.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Elements as bits, in memory of any alignment. */
final class Elements {
  private static final long[] FLOAT16 = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
    0x7e00, 0xfe01, 0x7c01
  };
  private static final long[] BFLOAT16 = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x3f80, 0xbf80, 0x7f7f, 0xff7f, 0x7f80, 0xff80,
    0x7fc0, 0xffff, 0x7f81
  };
  private static final float[] FLOAT32 = {
    0f,
    -0f,
    Float.MIN_VALUE,
    -Float.MIN_VALUE,
    Float.MIN_NORMAL,
    1f,
    -1f,
    Float.MAX_VALUE,
    -Float.MAX_VALUE,
    Float.POSITIVE_INFINITY,
    Float.NEGATIVE_INFINITY,
    Float.NaN,
    Float.intBitsToFloat(0xffc00001),
    16777216f,
    0.1f
  };
  private static final double[] FLOAT64 = {
    0,
    -0.0,
    Double.MIN_VALUE,
    -Double.MIN_VALUE,
    Double.MIN_NORMAL,
    1,
    -1,
    Double.MAX_VALUE,
    -Double.MAX_VALUE,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.NaN,
    Double.longBitsToDouble(0xfff8000000000001L),
    9007199254740992.0,
    0.1
  };
  private static final long[] INTEGER = {
    0,
    1,
    -1,
    2,
    -2,
    0x7f,
    0x80,
    0xff,
    0x7fffffffL,
    0x80000000L,
    0xffffffffL,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    3,
    255
  };

  private Elements() {}

  static long get(DataType type, MemorySegment segment, long offset) {
    return switch (type.byteSize()) {
      case 1 -> segment.get(ValueLayout.JAVA_BYTE, offset) & 0xffL;
      case 2 -> segment.get(ValueLayout.JAVA_SHORT_UNALIGNED, offset) & 0xffffL;
      case 4 -> segment.get(ValueLayout.JAVA_INT_UNALIGNED, offset) & 0xffffffffL;
      default -> segment.get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
    };
  }

  static void set(DataType type, MemorySegment segment, long offset, long bits) {
    switch (type.byteSize()) {
      case 1 -> segment.set(ValueLayout.JAVA_BYTE, offset, (byte) bits);
      case 2 -> segment.set(ValueLayout.JAVA_SHORT_UNALIGNED, offset, (short) bits);
      case 4 -> segment.set(ValueLayout.JAVA_INT_UNALIGNED, offset, (int) bits);
      default -> segment.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, bits);
    }
  }

  /** Returns a special value, any bits, or (for floats) an ordinary number; each often enough. */
  static long random(DataType type, Random random) {
    int kind = random.nextInt(3);
    if (kind == 0) {
      int special = random.nextInt(INTEGER.length);
      return switch (type) {
        case FLOAT16 -> FLOAT16[special];
        case BFLOAT16 -> BFLOAT16[special];
        case FLOAT32 -> Float.floatToRawIntBits(FLOAT32[special]) & 0xffffffffL;
        case FLOAT64 -> Double.doubleToRawLongBits(FLOAT64[special]);
        default -> INTEGER[special];
      };
    }
    if (kind == 1 || type.isInteger()) {
      return random.nextLong();
    }
    double ordinary = random.nextGaussian() * 100;
    return switch (type) {
      case FLOAT32 -> Float.floatToRawIntBits((float) ordinary) & 0xffffffffL;
      case FLOAT64 -> Double.doubleToRawLongBits(ordinary);
      default -> Scalar.encode16(type, (float) ordinary);
    };
  }
}
