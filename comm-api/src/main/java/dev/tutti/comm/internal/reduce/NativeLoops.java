package dev.tutti.comm.internal.reduce;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Types of 32 and 64 bits over native memory, in plain Java. Unsigned numbers compare as signed
 * ones with the sign bit flipped.
 *
 * <p>C2 unrolls these loops, and vectorises them as soon as it can compare addresses at run time;
 * up to JDK 25 it cannot. Each is a method of its own, compiled by itself.
 */
final class NativeLoops {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final int INT_SIGN = Integer.MIN_VALUE;
  private static final long LONG_SIGN = Long.MIN_VALUE;

  private NativeLoops() {}

  static void floatSum(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Float.BYTES) {
      dst.set(FLOAT, i, a.get(FLOAT, i) + b.get(FLOAT, i));
    }
  }

  static void floatProd(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Float.BYTES) {
      dst.set(FLOAT, i, a.get(FLOAT, i) * b.get(FLOAT, i));
    }
  }

  static void floatMin(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Float.BYTES) {
      dst.set(FLOAT, i, Math.min(a.get(FLOAT, i), b.get(FLOAT, i)));
    }
  }

  static void floatMax(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Float.BYTES) {
      dst.set(FLOAT, i, Math.max(a.get(FLOAT, i), b.get(FLOAT, i)));
    }
  }

  static void doubleSum(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Double.BYTES) {
      dst.set(DOUBLE, i, a.get(DOUBLE, i) + b.get(DOUBLE, i));
    }
  }

  static void doubleProd(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Double.BYTES) {
      dst.set(DOUBLE, i, a.get(DOUBLE, i) * b.get(DOUBLE, i));
    }
  }

  static void doubleMin(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Double.BYTES) {
      dst.set(DOUBLE, i, Math.min(a.get(DOUBLE, i), b.get(DOUBLE, i)));
    }
  }

  static void doubleMax(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Double.BYTES) {
      dst.set(DOUBLE, i, Math.max(a.get(DOUBLE, i), b.get(DOUBLE, i)));
    }
  }

  static void intSum(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Integer.BYTES) {
      dst.set(INT, i, a.get(INT, i) + b.get(INT, i));
    }
  }

  static void intProd(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Integer.BYTES) {
      dst.set(INT, i, a.get(INT, i) * b.get(INT, i));
    }
  }

  static void intMin(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Integer.BYTES) {
      dst.set(INT, i, Math.min(a.get(INT, i), b.get(INT, i)));
    }
  }

  static void intMax(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Integer.BYTES) {
      dst.set(INT, i, Math.max(a.get(INT, i), b.get(INT, i)));
    }
  }

  static void intMinUnsigned(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Integer.BYTES) {
      dst.set(INT, i, Math.min(a.get(INT, i) ^ INT_SIGN, b.get(INT, i) ^ INT_SIGN) ^ INT_SIGN);
    }
  }

  static void intMaxUnsigned(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Integer.BYTES) {
      dst.set(INT, i, Math.max(a.get(INT, i) ^ INT_SIGN, b.get(INT, i) ^ INT_SIGN) ^ INT_SIGN);
    }
  }

  static void longSum(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Long.BYTES) {
      dst.set(LONG, i, a.get(LONG, i) + b.get(LONG, i));
    }
  }

  static void longProd(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Long.BYTES) {
      dst.set(LONG, i, a.get(LONG, i) * b.get(LONG, i));
    }
  }

  static void longMin(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Long.BYTES) {
      dst.set(LONG, i, Math.min(a.get(LONG, i), b.get(LONG, i)));
    }
  }

  static void longMax(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Long.BYTES) {
      dst.set(LONG, i, Math.max(a.get(LONG, i), b.get(LONG, i)));
    }
  }

  static void longMinUnsigned(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Long.BYTES) {
      dst.set(
          LONG, i, Math.min(a.get(LONG, i) ^ LONG_SIGN, b.get(LONG, i) ^ LONG_SIGN) ^ LONG_SIGN);
    }
  }

  static void longMaxUnsigned(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Long.BYTES) {
      dst.set(
          LONG, i, Math.max(a.get(LONG, i) ^ LONG_SIGN, b.get(LONG, i) ^ LONG_SIGN) ^ LONG_SIGN);
    }
  }

  static void and(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Long.BYTES) {
      dst.set(LONG, i, a.get(LONG, i) & b.get(LONG, i));
    }
  }

  static void or(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Long.BYTES) {
      dst.set(LONG, i, a.get(LONG, i) | b.get(LONG, i));
    }
  }

  static void xor(MemorySegment dst, MemorySegment a, MemorySegment b, int bytes) {
    for (int i = 0; i < bytes; i += Long.BYTES) {
      dst.set(LONG, i, a.get(LONG, i) ^ b.get(LONG, i));
    }
  }
}
