package dev.tutti.conformance;

import dev.tutti.comm.DataType;

/**
 * A binary floating-point format of IEEE 754's making, read and written by its definition and not
 * by the conversions that backends use.
 *
 * @param exponentBits the width of the exponent
 * @param fractionBits the width of the fraction, without the leading one
 */
record FloatFormat(int exponentBits, int fractionBits) {
  private static final FloatFormat HALF = new FloatFormat(5, 10);
  private static final FloatFormat BRAIN = new FloatFormat(8, 7);
  private static final FloatFormat SINGLE = new FloatFormat(8, 23);
  private static final FloatFormat DOUBLE = new FloatFormat(11, 52);

  static FloatFormat of(DataType type) {
    return switch (type) {
      case FLOAT16 -> HALF;
      case BFLOAT16 -> BRAIN;
      case FLOAT32 -> SINGLE;
      case FLOAT64 -> DOUBLE;
      case INT8, UINT8, INT32, UINT32, INT64, UINT64 ->
          throw new IllegalArgumentException(type + " is no floating-point type");
    };
  }

  /** Returns the exponent of the largest numbers. */
  int bias() {
    return (1 << (exponentBits - 1)) - 1;
  }

  private int width() {
    return 1 + exponentBits + fractionBits;
  }

  private long fractionMask() {
    return (1L << fractionBits) - 1;
  }

  private long exponentMask() {
    return ((1L << exponentBits) - 1) << fractionBits;
  }

  /** Returns how many binary digits a number has. */
  int precision() {
    return fractionBits + 1;
  }

  /** Returns the largest relative error of one rounding. */
  double unitRoundoff() {
    return Math.scalb(1.0, -precision());
  }

  long infinity(boolean negative) {
    return exponentMask() | (negative ? signBit() : 0);
  }

  long signBit() {
    return 1L << (width() - 1);
  }

  /** Returns the one not-a-number that stands for all in comparisons. */
  long nan() {
    return exponentMask() | 1L << (fractionBits - 1);
  }

  boolean isNan(long bits) {
    return (bits & exponentMask()) == exponentMask() && (bits & fractionMask()) != 0;
  }

  /** Returns the bits with infinities and not-a-numbers made large finite numbers. */
  long finite(long bits) {
    return (bits & exponentMask()) == exponentMask() ? bits ^ (1L << fractionBits) : bits;
  }

  /** Returns the value; every format's fits a double. */
  double decode(long bits) {
    boolean negative = (bits & signBit()) != 0;
    int exponent = (int) ((bits & exponentMask()) >>> fractionBits);
    long fraction = bits & fractionMask();
    double magnitude;
    if (exponent == (1 << exponentBits) - 1) {
      magnitude = fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
    } else if (exponent == 0) {
      magnitude = Math.scalb((double) fraction, 1 - bias() - fractionBits);
    } else {
      magnitude =
          Math.scalb((double) (fraction | 1L << fractionBits), exponent - bias() - fractionBits);
    }
    return negative ? -magnitude : magnitude;
  }

  /** Returns the value, or the infinity where the format has no number that large. */
  double limited(double value) {
    return Math.abs(value) >= Math.scalb(1.0, bias()) * 2
        ? Math.copySign(Double.POSITIVE_INFINITY, value)
        : value;
  }

  /**
   * Returns the bits of a value.
   *
   * @throws ArithmeticException if the format does not hold exactly this value
   */
  long encodeExact(double value) {
    return encode(value, true);
  }

  /** Returns the bits of the nearest number, the even one of two. */
  long encodeNearest(double value) {
    return encode(value, false);
  }

  private long encode(double value, boolean exact) {
    if (Double.isNaN(value)) {
      return nan();
    }
    boolean negative = Double.doubleToRawLongBits(value) < 0;
    double magnitude = Math.abs(value);
    if (Double.isInfinite(magnitude)) {
      return infinity(negative);
    }
    int exponent = Math.max(magnitude == 0 ? 0 : Math.getExponent(magnitude), 1 - bias());
    // In the order that leaves the range of a double neither way.
    double digits =
        exponent < 0
            ? Math.scalb(Math.scalb(magnitude, fractionBits), -exponent)
            : Math.scalb(Math.scalb(magnitude, -exponent), fractionBits);
    if (exact && (exponent > bias() || digits != Math.rint(digits))) {
      throw new ArithmeticException(value + " is not representable in " + this);
    }
    if (exponent > bias()) {
      return infinity(negative);
    }
    // Where this is the next power of two, the carry below makes the exponent one larger.
    long significand = (long) Math.rint(digits);
    long leading = 1L << fractionBits;
    long bits =
        significand < leading
            ? significand
            : ((long) (exponent + bias()) << fractionBits) + (significand - leading);
    return negative ? bits | signBit() : bits;
  }
}
