package dev.tutti.comm.internal.reduce;

/**
 * INT8 and UINT8 over a block (see {@link Block}).
 *
 * <p>C2 vectorises sums and products of bytes but not {@code Math.min} of them, so MIN and MAX take
 * eight bytes at a time as one {@code long}.
 */
final class ByteLoops {
  private static final int BYTES = Block.REGION;
  private static final int LONGS = Block.REGION / Long.BYTES;

  /** The sign bit of each byte. */
  private static final long SIGNS = 0x8080808080808080L;

  private ByteLoops() {}

  static void sum(byte[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * BYTES] = (byte) (s[i] + s[i + BYTES]);
    }
  }

  static void prod(byte[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * BYTES] = (byte) (s[i] * s[i + BYTES]);
    }
  }

  static void min(long[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      long x = s[i];
      long y = s[i + LONGS];
      s[i + 2 * LONGS] = x ^ ((x ^ y) & notLess(x ^ SIGNS, y ^ SIGNS));
    }
  }

  static void max(long[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      long x = s[i];
      long y = s[i + LONGS];
      s[i + 2 * LONGS] = y ^ ((x ^ y) & notLess(x ^ SIGNS, y ^ SIGNS));
    }
  }

  static void minUnsigned(long[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      long x = s[i];
      long y = s[i + LONGS];
      s[i + 2 * LONGS] = x ^ ((x ^ y) & notLess(x, y));
    }
  }

  static void maxUnsigned(long[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      long x = s[i];
      long y = s[i + LONGS];
      s[i + 2 * LONGS] = y ^ ((x ^ y) & notLess(x, y));
    }
  }

  /** Returns, for each of eight unsigned bytes, 0xff where {@code x >= y}, else 0. */
  private static long notLess(long x, long y) {
    // The lower seven bits compare by a subtraction that cannot borrow from the next byte; where
    // the highest bits differ, they decide.
    long lower = (x | SIGNS) - (y & ~SIGNS);
    long notLess = ((x & ~y) | (~(x ^ y) & lower)) & SIGNS;
    return notLess | (notLess - (notLess >>> 7));
  }
}
