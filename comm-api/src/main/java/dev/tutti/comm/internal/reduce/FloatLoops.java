package dev.tutti.comm.internal.reduce;

/**
 * FLOAT32 over a block (see {@link Block}): what {@link Bfloat16Kernel} runs on widened numbers. C2
 * vectorises each loop.
 */
final class FloatLoops {
  private static final int FLOATS = Block.REGION / Float.BYTES;

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
}
