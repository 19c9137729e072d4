package dev.tutti.comm.internal.reduce;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Combines FLOAT16: each element is widened, combined and rounded in one go, by the processor's own
 * conversions.
 *
 * <p>Here C2 does vectorise loads from native memory, so operands are read where they are, and only
 * the result goes through an array. What is not native, and the last few elements, is staged in
 * native memory first.
 */
final class Float16Kernel implements Kernel {
  /** A loop over one piece. */
  @FunctionalInterface
  interface Loop {
    /**
     * Combines the first {@code count} elements of two native regions.
     *
     * @param result of {@code count} elements or more
     */
    void combine(
        short[] result, MemorySegment a, long aOffset, MemorySegment b, long bOffset, int count);
  }

  /** What a piece needs: a region for the result, and native memory for two operands. */
  private static final class Scratch {
    final short[] result = new short[REGION / Short.BYTES];
    final MemorySegment resultSegment = MemorySegment.ofArray(result);
    final MemorySegment staging = Arena.ofAuto().allocate(2 * REGION, 64);
  }

  private static final int REGION = Block.REGION;
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final BlockPool<Scratch> POOL = new BlockPool<>(Scratch::new);

  private final Loop loop;

  Float16Kernel(Loop loop) {
    this.loop = loop;
  }

  @Override
  public void combine(
      MemorySegment dst,
      long dstOffset,
      MemorySegment a,
      long aOffset,
      MemorySegment b,
      long bOffset,
      long bytes) {
    Scratch scratch = POOL.take();
    MemorySegment staging = scratch.staging;
    for (long at = 0; at < bytes; at += REGION) {
      int length = (int) Math.min(REGION, bytes - at);
      int padded = Block.padded(length);
      MemorySegment left = a;
      long leftOffset = aOffset + at;
      if (length < padded || !a.isNative()) {
        MemorySegment.copy(a, leftOffset, staging, 0, length);
        left = staging;
        leftOffset = 0;
      }
      MemorySegment right = b;
      long rightOffset = bOffset + at;
      if (length < padded || !b.isNative()) {
        MemorySegment.copy(b, rightOffset, staging, REGION, length);
        right = staging;
        rightOffset = REGION;
      }
      loop.combine(scratch.result, left, leftOffset, right, rightOffset, padded / Short.BYTES);
      MemorySegment.copy(scratch.resultSegment, 0, dst, dstOffset + at, length);
    }
    POOL.give(scratch);
  }

  // The slices tell C2 the class of the segments, which it may not know from elsewhere once the JVM
  // has used others.

  static void sum(short[] s, MemorySegment a, long aOffset, MemorySegment b, long bOffset, int n) {
    MemorySegment x = a.asSlice(aOffset, 2L * n);
    MemorySegment y = b.asSlice(bOffset, 2L * n);
    for (int i = 0; i < n; i++) {
      s[i] = Float.floatToFloat16(widened(x, i) + widened(y, i));
    }
  }

  static void prod(short[] s, MemorySegment a, long aOffset, MemorySegment b, long bOffset, int n) {
    MemorySegment x = a.asSlice(aOffset, 2L * n);
    MemorySegment y = b.asSlice(bOffset, 2L * n);
    for (int i = 0; i < n; i++) {
      s[i] = Float.floatToFloat16(widened(x, i) * widened(y, i));
    }
  }

  static void min(short[] s, MemorySegment a, long aOffset, MemorySegment b, long bOffset, int n) {
    MemorySegment x = a.asSlice(aOffset, 2L * n);
    MemorySegment y = b.asSlice(bOffset, 2L * n);
    for (int i = 0; i < n; i++) {
      s[i] = Float.floatToFloat16(Math.min(widened(x, i), widened(y, i)));
    }
  }

  static void max(short[] s, MemorySegment a, long aOffset, MemorySegment b, long bOffset, int n) {
    MemorySegment x = a.asSlice(aOffset, 2L * n);
    MemorySegment y = b.asSlice(bOffset, 2L * n);
    for (int i = 0; i < n; i++) {
      s[i] = Float.floatToFloat16(Math.max(widened(x, i), widened(y, i)));
    }
  }

  /** Divides the elements of {@code a}. */
  static void divide(short[] s, MemorySegment a, long aOffset, int n, int divisor) {
    MemorySegment x = a.asSlice(aOffset, 2L * n);
    float by = divisor;
    for (int i = 0; i < n; i++) {
      s[i] = Float.floatToFloat16(widened(x, i) / by);
    }
  }

  private static float widened(MemorySegment segment, int i) {
    return Float.float16ToFloat(segment.get(SHORT, i * 2L));
  }
}
