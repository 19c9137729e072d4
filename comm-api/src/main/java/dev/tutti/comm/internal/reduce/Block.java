package dev.tutti.comm.internal.reduce;

import java.lang.foreign.MemorySegment;

/**
 * An array of three regions: the first operand, the second operand, the result.
 *
 * <p>One array, so that C2 can tell the regions apart: they lie a constant distance from each
 * other. It also puts all three into step with the cache lines at once.
 *
 * @param <A> the array's type
 * @param array what the loops work on
 * @param segment the same memory, for the copies
 * @param laneBytes the size of the array's elements
 */
record Block<A>(A array, MemorySegment segment, int laneBytes) {
  /** The bytes of a region: operands are worked through in pieces of this size. */
  static final int REGION = 8 << 10;

  /**
   * Loops run over a multiple of this many bytes. The few lanes of leftovers cost nothing; but a
   * loop that is seen to run briefly most of the time is neither unrolled nor vectorised by C2, so
   * small regions would spoil it for large ones.
   */
  static final int QUANTUM = 512;

  static Block<byte[]> ofBytes() {
    byte[] array = new byte[3 * REGION];
    return new Block<>(array, MemorySegment.ofArray(array), Byte.BYTES);
  }

  static Block<int[]> ofInts() {
    int[] array = new int[3 * REGION / Integer.BYTES];
    return new Block<>(array, MemorySegment.ofArray(array), Integer.BYTES);
  }

  static Block<long[]> ofLongs() {
    long[] array = new long[3 * REGION / Long.BYTES];
    return new Block<>(array, MemorySegment.ofArray(array), Long.BYTES);
  }

  static Block<float[]> ofFloats() {
    float[] array = new float[3 * REGION / Float.BYTES];
    return new Block<>(array, MemorySegment.ofArray(array), Float.BYTES);
  }

  static Block<double[]> ofDoubles() {
    double[] array = new double[3 * REGION / Double.BYTES];
    return new Block<>(array, MemorySegment.ofArray(array), Double.BYTES);
  }

  /** Returns a number of bytes rounded up to what loops run over. */
  static int padded(int bytes) {
    return (bytes + QUANTUM - 1) & -QUANTUM;
  }
}
