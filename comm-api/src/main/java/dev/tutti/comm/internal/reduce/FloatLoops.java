package dev.tutti.comm.internal.reduce;

/**
 * FLOAT32 and FLOAT64 over a block (see {@link Block}). Each loop is a method of its own, so that
 * C2 compiles and vectorises it by itself.
 */
final class FloatLoops {
  private static final int FLOATS = Block.REGION / Float.BYTES;
  private static final int DOUBLES = Block.REGION / Double.BYTES;

  private FloatLoops() {}

  static void sum(float[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * FLOATS] = s[i] + s[i + FLOATS];
    }
  }

  static void prod(float[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * FLOATS] = s[i] * s[i + FLOATS];
    }
  }

  static void min(float[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * FLOATS] = Math.min(s[i], s[i + FLOATS]);
    }
  }

  static void max(float[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * FLOATS] = Math.max(s[i], s[i + FLOATS]);
    }
  }

  static void divide(float[] s, int lanes, int divisor) {
    float by = divisor;
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * FLOATS] = s[i] / by;
    }
  }

  static void sum(double[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * DOUBLES] = s[i] + s[i + DOUBLES];
    }
  }

  static void prod(double[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * DOUBLES] = s[i] * s[i + DOUBLES];
    }
  }

  static void min(double[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * DOUBLES] = Math.min(s[i], s[i + DOUBLES]);
    }
  }

  static void max(double[] s, int lanes) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * DOUBLES] = Math.max(s[i], s[i + DOUBLES]);
    }
  }

  static void divide(double[] s, int lanes, int divisor) {
    for (int i = 0; i < lanes; i++) {
      s[i + 2 * DOUBLES] = s[i] / divisor;
    }
  }
}
