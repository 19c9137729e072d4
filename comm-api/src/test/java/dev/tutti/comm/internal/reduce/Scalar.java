package dev.tutti.comm.internal.reduce;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * The reductions, one element at a time and with exact arithmetic: nothing here is shared with the
 * kernels. An element is its bits, in the lower part of a {@code long}.
 */
final class Scalar {
  private static final int NAN16 = 0x7e00;
  private static final int BNAN16 = 0x7fc0;

  private Scalar() {}

  /** Returns {@code a op b}. */
  static long combine(ReduceOp op, DataType type, long a, long b) {
    return switch (type) {
      case INT8, UINT8, INT32, UINT32, INT64, UINT64 -> integer(op.kind(), type, a, b);
      case FLOAT32 ->
          Float.floatToRawIntBits(
                  float32(op.kind(), Float.intBitsToFloat((int) a), Float.intBitsToFloat((int) b)))
              & 0xffffffffL;
      case FLOAT64 ->
          Double.doubleToRawLongBits(
              float64(op.kind(), Double.longBitsToDouble(a), Double.longBitsToDouble(b)));
      case FLOAT16, BFLOAT16 ->
          encode16(type, float32(op.kind(), (float) decode16(type, a), (float) decode16(type, b)));
    };
  }

  /** Returns {@code ((e0 op e1) op e2) …}; 16-bit types are rounded only at the end. */
  static long fold(ReduceOp op, DataType type, long... elements) {
    if (elements.length == 1) {
      return elements[0];
    }
    boolean average = op.kind() == ReduceOp.Kind.AVG;
    if (type == DataType.FLOAT16 || type == DataType.BFLOAT16) {
      float folded = (float) decode16(type, elements[0]);
      for (int i = 1; i < elements.length; i++) {
        folded = float32(op.kind(), folded, (float) decode16(type, elements[i]));
      }
      return encode16(type, average ? quotient32(folded, elements.length) : folded);
    }
    long folded = elements[0];
    for (int i = 1; i < elements.length; i++) {
      folded = combine(op, type, folded, elements[i]);
    }
    return average ? divide(type, folded, elements.length) : folded;
  }

  /** Returns {@code a / divisor}. */
  static long divide(DataType type, long a, int divisor) {
    return switch (type) {
      case INT8, UINT8, INT32, UINT32, INT64, UINT64 ->
          bits(type, value(type, a).divide(BigInteger.valueOf(divisor)));
      case FLOAT32 ->
          Float.floatToRawIntBits(quotient32(Float.intBitsToFloat((int) a), divisor)) & 0xffffffffL;
      case FLOAT64 -> Double.doubleToRawLongBits(Double.longBitsToDouble(a) / divisor);
      case FLOAT16, BFLOAT16 -> encode16(type, quotient32((float) decode16(type, a), divisor));
    };
  }

  /** Returns whether the bits are those of a NaN. */
  static boolean isNaN(DataType type, long bits) {
    return switch (type) {
      case FLOAT16, BFLOAT16 -> Double.isNaN(decode16(type, bits));
      case FLOAT32 -> Float.isNaN(Float.intBitsToFloat((int) bits));
      case FLOAT64 -> Double.isNaN(Double.longBitsToDouble(bits));
      default -> false;
    };
  }

  private static long integer(ReduceOp.Kind kind, DataType type, long aBits, long bBits) {
    BigInteger a = value(type, aBits);
    BigInteger b = value(type, bBits);
    return bits(
        type,
        switch (kind) {
          case SUM, AVG -> a.add(b);
          case PROD -> a.multiply(b);
          case MIN -> a.min(b);
          case MAX -> a.max(b);
          case BAND -> a.and(b);
          case BOR -> a.or(b);
          case BXOR -> a.xor(b);
        });
  }

  private static BigInteger value(DataType type, long bits) {
    int size = type.byteSize() * 8;
    BigInteger unsigned =
        BigInteger.valueOf(bits).and(BigInteger.TWO.pow(size).subtract(BigInteger.ONE));
    boolean negative = !type.isUnsigned() && unsigned.testBit(size - 1);
    return negative ? unsigned.subtract(BigInteger.TWO.pow(size)) : unsigned;
  }

  private static long bits(DataType type, BigInteger value) {
    return value.mod(BigInteger.TWO.pow(type.byteSize() * 8)).longValue();
  }

  /** A sum or product of two floats is exact, or rounds harmlessly, in double. */
  private static float float32(ReduceOp.Kind kind, float a, float b) {
    return switch (kind) {
      case SUM, AVG -> (float) ((double) a + (double) b);
      case PROD -> (float) ((double) a * (double) b);
      case MIN -> (float) lesser(a, b);
      case MAX -> (float) -lesser(-(double) a, -(double) b);
      case BAND, BOR, BXOR -> throw new IllegalArgumentException(kind.name());
    };
  }

  private static double float64(ReduceOp.Kind kind, double a, double b) {
    return switch (kind) {
      case SUM, AVG -> sum64(a, b);
      case PROD -> product64(a, b);
      case MIN -> lesser(a, b);
      case MAX -> -lesser(-a, -b);
      case BAND, BOR, BXOR -> throw new IllegalArgumentException(kind.name());
    };
  }

  private static double sum64(double a, double b) {
    if (!Double.isFinite(a) || !Double.isFinite(b) || (a == 0 && b == 0)) {
      return a + b;
    }
    return new BigDecimal(a).add(new BigDecimal(b)).doubleValue();
  }

  private static double product64(double a, double b) {
    if (!Double.isFinite(a) || !Double.isFinite(b) || a == 0 || b == 0) {
      return a * b;
    }
    double magnitude = new BigDecimal(a).multiply(new BigDecimal(b)).abs().doubleValue();
    return (a < 0) == (b < 0) ? magnitude : -magnitude;
  }

  /** The smaller of two: NaN wins, and -0 is less than +0. */
  private static double lesser(double a, double b) {
    if (Double.isNaN(a) || Double.isNaN(b)) {
      return Double.NaN;
    }
    if (a == 0 && b == 0) {
      return 1 / a < 0 || 1 / b < 0 ? -0.0 : 0.0;
    }
    return a < b ? a : b;
  }

  /**
   * A quotient of two numbers of 24 bits rounds harmlessly in double; larger divisors are not used.
   */
  private static float quotient32(float a, int divisor) {
    return (float) ((double) a / divisor);
  }

  /** Returns the value of a FLOAT16 or BFLOAT16. */
  static double decode16(DataType type, long bits) {
    int fractionBits = fractionBits(type);
    int exponent = ((int) bits & 0x7fff) >> fractionBits;
    int fraction = (int) bits & ((1 << fractionBits) - 1);
    double sign = (bits & 0x8000) == 0 ? 1 : -1;
    if (exponent == 0x7fff >> fractionBits) {
      return fraction == 0 ? sign * Double.POSITIVE_INFINITY : Double.NaN;
    }
    return exponent == 0
        ? sign * Math.scalb((double) fraction, least(type) - fractionBits)
        : sign
            * Math.scalb(
                (double) (fraction + (1 << fractionBits)),
                least(type) + exponent - 1 - fractionBits);
  }

  /** Returns the FLOAT16 or BFLOAT16 nearest to a value, the even one of two. */
  static long encode16(DataType type, float value) {
    if (Float.isNaN(value)) {
      return type == DataType.FLOAT16 ? NAN16 : BNAN16;
    }
    int fractionBits = fractionBits(type);
    long sign = Math.copySign(1, value) < 0 ? 0x8000 : 0;
    double magnitude = Math.abs((double) value);
    int infinity = 0x7fff >> fractionBits << fractionBits;
    if (Double.isInfinite(magnitude)) {
      return sign | infinity;
    }
    int exponent = Math.max(least(type), Math.getExponent(magnitude));
    // The fraction with its leading one; a carry out of it makes the next exponent.
    long units = (long) Math.rint(Math.scalb(magnitude, fractionBits - exponent));
    return sign | Math.min(infinity, units + ((long) (exponent - least(type)) << fractionBits));
  }

  private static int fractionBits(DataType type) {
    return type == DataType.FLOAT16 ? 10 : 7;
  }

  /** The exponent of the least normal number. */
  private static int least(DataType type) {
    return type == DataType.FLOAT16 ? -14 : -126;
  }
}
