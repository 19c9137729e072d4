package dev.tutti.comm.internal.reduce;

/**
 * Divisions over a block (see {@link Block}): of the first region, into the third. C2 vectorises
 * those of floats; there are no vector instructions for integers.
 */
final class DivideLoops {
  private static final int BYTES = Block.REGION;
  private static final int INTS = Block.REGION / Integer.BYTES;
  private static final int LONGS = Block.REGION / Long.BYTES;
  private static final int FLOATS = Block.REGION / Float.BYTES;
  private static final int DOUBLES = Block.REGION / Double.BYTES;

  private DivideLoops() {}

  static void floats(float[] s, int lanes, int divisor) {
    float by = divisor;
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * FLOATS] = s[i] / by;
    }
  }

  static void doubles(double[] s, int lanes, int divisor) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * DOUBLES] = s[i] / divisor;
    }
  }

  static void bytes(byte[] s, int lanes, int divisor) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * BYTES] = (byte) (s[i] / divisor);
    }
  }

  static void unsignedBytes(byte[] s, int lanes, int divisor) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * BYTES] = (byte) (Byte.toUnsignedInt(s[i]) / divisor);
    }
  }

  static void ints(int[] s, int lanes, int divisor) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * INTS] = s[i] / divisor;
    }
  }

  static void unsignedInts(int[] s, int lanes, int divisor) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * INTS] = Integer.divideUnsigned(s[i], divisor);
    }
  }

  static void longs(long[] s, int lanes, int divisor) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * LONGS] = s[i] / divisor;
    }
  }

  static void unsignedLongs(long[] s, int lanes, int divisor) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * LONGS] = Long.divideUnsigned(s[i], divisor);
    }
  }
}
