package dev.tutti.conformance;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;

/**
 * What a reduction of one element is, computed one number at a time from the contract's words. It
 * shares no code with any backend or with the kernels that backends share.
 */
final class ScalarModel {
  private ScalarModel() {}

  /**
   * Returns the bits of the result.
   *
   * @param contributions the bits of every rank's element, in rank order
   * @throws ArithmeticException if it is not representable, so that the order would matter
   */
  static long reduce(DataType type, ReduceOp op, long[] contributions) {
    return type.isFloating()
        ? reduceFloats(FloatFormat.of(type), op, contributions)
        : reduceIntegers(type, op, contributions);
  }

  /**
   * Returns the bits of a floating-point reduction in rank order, {@code ((x0 op x1) op x2) …}:
   * each step rounds to the type, of 16-bit types to FLOAT32 and only the result to the type.
   *
   * @param contributions the bits of every rank's element, in rank order
   */
  static long reduceInRankOrder(DataType type, ReduceOp op, long[] contributions) {
    FloatFormat format = FloatFormat.of(type);
    boolean single = type != DataType.FLOAT64;
    double result = format.decode(contributions[0]);
    for (int rank = 1; rank < contributions.length; rank++) {
      double next = format.decode(contributions[rank]);
      // A double holds every product, and the rounded sum, of two floats well enough to round it.
      double exact = op.kind() == ReduceOp.Kind.PROD ? result * next : result + next;
      result = single ? (float) exact : exact;
    }
    if (op.kind() == ReduceOp.Kind.AVG) {
      double quotient = result / contributions.length;
      result = single ? (float) quotient : quotient;
    }
    return format.encodeNearest(result);
  }

  /** Returns the bits that stand for these in comparisons: any not-a-number equals any other. */
  static long canonical(DataType type, long bits) {
    if (!type.isFloating()) {
      return bits;
    }
    FloatFormat format = FloatFormat.of(type);
    return format.isNan(bits) ? format.nan() : bits;
  }

  /** Returns an element as people write it. */
  static String text(DataType type, long bits) {
    String number =
        type.isFloating()
            ? Double.toString(FloatFormat.of(type).decode(bits))
            : type.isUnsigned() ? Long.toUnsignedString(bits) : Long.toString(signed(type, bits));
    return number + " (0x" + Long.toHexString(bits) + ")";
  }

  private static long reduceFloats(FloatFormat format, ReduceOp op, long[] contributions) {
    double result = format.decode(contributions[0]);
    for (int rank = 1; rank < contributions.length; rank++) {
      double next = format.decode(contributions[rank]);
      result =
          switch (op.kind()) {
            case SUM, AVG -> result + next;
            case PROD -> result * next;
            case MIN -> smaller(result, next);
            case MAX -> -smaller(-result, -next);
            case BAND, BOR, BXOR -> throw new IllegalArgumentException(op + " is for integers");
          };
    }
    result = format.limited(result);
    if (op.kind() == ReduceOp.Kind.AVG) {
      result /= contributions.length;
    }
    return format.encodeExact(result);
  }

  /** The smaller one, where nothing is smaller than NaN, and -0 is smaller than +0. */
  private static double smaller(double a, double b) {
    if (Double.isNaN(a) || Double.isNaN(b)) {
      return Double.NaN;
    }
    if (a == 0 && b == 0) {
      return 1 / a < 0 ? a : b;
    }
    return a < b ? a : b;
  }

  private static long reduceIntegers(DataType type, ReduceOp op, long[] contributions) {
    long result = contributions[0];
    for (int rank = 1; rank < contributions.length; rank++) {
      long next = contributions[rank];
      result =
          switch (op.kind()) {
            case SUM, AVG -> wrap(type, result + next);
            case PROD -> wrap(type, result * next);
            case MIN -> less(type, result, next) ? result : next;
            case MAX -> less(type, result, next) ? next : result;
            case BAND -> result & next;
            case BOR -> result | next;
            case BXOR -> result ^ next;
          };
    }
    if (op.kind() == ReduceOp.Kind.AVG) {
      int size = contributions.length;
      result =
          wrap(
              type,
              type.isUnsigned() ? Long.divideUnsigned(result, size) : signed(type, result) / size);
    }
    return result;
  }

  private static boolean less(DataType type, long a, long b) {
    return type.isUnsigned() ? Long.compareUnsigned(a, b) < 0 : signed(type, a) < signed(type, b);
  }

  /** Returns the bits that an element has room for. */
  static long wrap(DataType type, long value) {
    int unused = Long.SIZE - type.byteSize() * Byte.SIZE;
    return value << unused >>> unused;
  }

  static long signed(DataType type, long bits) {
    int unused = Long.SIZE - type.byteSize() * Byte.SIZE;
    return bits << unused >> unused;
  }
}
