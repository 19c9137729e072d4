package dev.tutti.comm.internal.reduce;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Combines BFLOAT16 block by block: widens both operands, runs the FLOAT32 loop, rounds.
 *
 * <p>Three passes, because C2 (up to JDK 25) does not vectorise the cast between the bits of an
 * {@code int} and a {@code float}; here memory does the cast: the array of floats is also read and
 * written as integers. Two elements are taken at a time, as one 32-bit word; the lower ones go to
 * the first half of a region and the upper ones to its second half.
 */
final class Bfloat16Kernel implements Kernel {
  private static final int REGION = Block.REGION;

  /** How many bytes of BFLOAT16 fill a region when widened. */
  private static final int PIECE = REGION / 2;

  private static final int UPPER = 0xffff0000;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

  private final BlockPool<Block<float[]>> pool;
  private final BlockKernel.Loop<float[]> loop;

  Bfloat16Kernel(BlockPool<Block<float[]>> pool, BlockKernel.Loop<float[]> loop) {
    this.pool = pool;
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
    Block<float[]> block = pool.take();
    float[] floats = block.array();
    MemorySegment memory = block.segment();
    for (long at = 0; at < bytes; at += PIECE) {
      int length = (int) Math.min(PIECE, bytes - at);
      int words = Block.padded(length) / Integer.BYTES;
      MemorySegment.copy(a, aOffset + at, memory, REGION, length);
      widen(floats, 0, words);
      MemorySegment.copy(b, bOffset + at, memory, 2 * REGION, length);
      widen(floats, REGION, words);
      loop.combine(floats, PIECE / Float.BYTES + words);
      round(floats, words);
      MemorySegment.copy(memory, 0, dst, dstOffset + at, length);
    }
    pool.give(block);
  }

  /** Widens words into the region at {@code offset}, from the one that follows it. */
  static void widen(float[] floats, long offset, int words) {
    MemorySegment bits = MemorySegment.ofArray(floats);
    for (int i = 0; i < words; i++) {
      bits.set(INT, offset + i * 4L, bits.get(INT, offset + REGION + i * 4L) << 16);
    }
    for (int i = 0; i < words; i++) {
      bits.set(INT, offset + PIECE + i * 4L, bits.get(INT, offset + REGION + i * 4L) & UPPER);
    }
  }

  /** Rounds the third region to nearest even, into words in the first. */
  static void round(float[] floats, int words) {
    MemorySegment bits = MemorySegment.ofArray(floats);
    for (int i = 0; i < words; i++) {
      int lower = bits.get(INT, 2 * REGION + i * 4L);
      int upper = bits.get(INT, 2 * REGION + PIECE + i * 4L);
      bits.set(INT, i * 4L, (rounded(lower) >>> 16) | (rounded(upper) & UPPER));
    }
  }

  /**
   * Returns the bits of a FLOAT32 after rounding; the upper 16 are the BFLOAT16.
   *
   * <p>A carry into the exponent is right: the largest numbers round to infinity. Infinities and
   * NaNs stay what they are, because their lower 16 bits are 0: arithmetic on widened numbers
   * yields the payload of an operand or the processor's default NaN, neither of which has any; that
   * holds for a chain of operations too.
   */
  private static int rounded(int bits) {
    return bits + 0x7fff + ((bits >>> 16) & 1);
  }
}
