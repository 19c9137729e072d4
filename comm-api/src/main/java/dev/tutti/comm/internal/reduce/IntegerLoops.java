package dev.tutti.comm.internal.reduce;

/**
 * 32-bit and 64-bit integers, and the bitwise operators, over a block (see {@link Block}). Unsigned
 * numbers compare as signed ones with the sign bit flipped.
 */
final class IntegerLoops {
  private static final int INTS = Block.REGION / Integer.BYTES;
  private static final int LONGS = Block.REGION / Long.BYTES;
  private static final int INT_SIGN = Integer.MIN_VALUE;
  private static final long LONG_SIGN = Long.MIN_VALUE;

  private IntegerLoops() {}

  static void sum(int[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * INTS] = s[i] + s[i + INTS];
    }
  }

  static void prod(int[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * INTS] = s[i] * s[i + INTS];
    }
  }

  static void min(int[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * INTS] = Math.min(s[i], s[i + INTS]);
    }
  }

  static void max(int[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * INTS] = Math.max(s[i], s[i + INTS]);
    }
  }

  static void minUnsigned(int[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * INTS] = Math.min(s[i] ^ INT_SIGN, s[i + INTS] ^ INT_SIGN) ^ INT_SIGN;
    }
  }

  static void maxUnsigned(int[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * INTS] = Math.max(s[i] ^ INT_SIGN, s[i + INTS] ^ INT_SIGN) ^ INT_SIGN;
    }
  }

  static void divide(int[] s, int lanes, int divisor) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * INTS] = s[i] / divisor;
    }
  }

  static void divideUnsigned(int[] s, int lanes, int divisor) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * INTS] = Integer.divideUnsigned(s[i], divisor);
    }
  }

  static void sum(long[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * LONGS] = s[i] + s[i + LONGS];
    }
  }

  static void prod(long[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * LONGS] = s[i] * s[i + LONGS];
    }
  }

  static void min(long[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * LONGS] = Math.min(s[i], s[i + LONGS]);
    }
  }

  static void max(long[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * LONGS] = Math.max(s[i], s[i + LONGS]);
    }
  }

  static void minUnsigned(long[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * LONGS] = Math.min(s[i] ^ LONG_SIGN, s[i + LONGS] ^ LONG_SIGN) ^ LONG_SIGN;
    }
  }

  static void maxUnsigned(long[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * LONGS] = Math.max(s[i] ^ LONG_SIGN, s[i + LONGS] ^ LONG_SIGN) ^ LONG_SIGN;
    }
  }

  static void divide(long[] s, int lanes, int divisor) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * LONGS] = s[i] / divisor;
    }
  }

  static void divideUnsigned(long[] s, int lanes, int divisor) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * LONGS] = Long.divideUnsigned(s[i], divisor);
    }
  }

  static void and(long[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * LONGS] = s[i] & s[i + LONGS];
    }
  }

  static void or(long[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * LONGS] = s[i] | s[i + LONGS];
    }
  }

  static void xor(long[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * LONGS] = s[i] ^ s[i + LONGS];
    }
  }
}
