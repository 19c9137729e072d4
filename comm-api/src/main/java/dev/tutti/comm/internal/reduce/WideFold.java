package dev.tutti.comm.internal.reduce;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import java.lang.foreign.MemorySegment;

/**
 * Combines any number of regions of FLOAT16 or BFLOAT16 in a given order: each is widened, all are
 * accumulated in FLOAT32, and the result is rounded once.
 *
 * <p>Piece by piece, in the three regions of a {@link Block}: what was accumulated, the next
 * operand, their result.
 */
final class WideFold {
  /** How one of the types is widened and rounded. */
  interface Format {
    /**
     * Widens elements into a region of floats.
     *
     * @param region the first byte of the region; what follows it is overwritten
     * @param bytes how many bytes of elements, {@link #PIECE} at most
     */
    void widen(Scratch scratch, int region, MemorySegment source, long offset, int bytes);

    /** Rounds the third region to nearest even. */
    void round(Scratch scratch, MemorySegment dst, long offset, int bytes);

    /** Returns how many floats of a region hold {@code bytes} bytes of elements. */
    int lanes(int bytes);
  }

  /** What a piece needs: three regions of floats, and the elements on their way in or out. */
  static final class Scratch {
    final Block<float[]> block = Block.ofFloats();
    final short[] elements = new short[PIECE / Short.BYTES];
    final MemorySegment elementSegment = MemorySegment.ofArray(elements);
  }

  /** How many bytes of elements fill a region when widened. */
  static final int PIECE = Block.REGION / 2;

  private static final BlockPool<Scratch> POOL = new BlockPool<>(Scratch::new);
  private static final int FLOATS = Block.REGION / Float.BYTES;

  private WideFold() {}

  /**
   * Folds regions.
   *
   * @param sources two or more
   * @param bytes how many, an even number; the regions lie within their segments
   */
  static void fold(
      ReduceOp op,
      DataType type,
      MemorySegment dst,
      long dstOffset,
      MemorySegment[] sources,
      long[] offsets,
      long bytes) {
    Format format = type == DataType.FLOAT16 ? new Float16Format() : new Bfloat16Format();
    BlockKernel.Loop<float[]> loop = loop(op);
    Scratch scratch = POOL.take();
    float[] floats = scratch.block.array();
    for (long at = 0; at < bytes; at += PIECE) {
      int length = (int) Math.min(PIECE, bytes - at);
      int lanes = format.lanes(length);
      format.widen(scratch, 0, sources[0], offsets[0] + at, length);
      for (int i = 1; i < sources.length; i++) {
        if (i > 1) {
          System.arraycopy(floats, 2 * FLOATS, floats, 0, lanes);
        }
        format.widen(scratch, Block.REGION, sources[i], offsets[i] + at, length);
        loop.combine(floats, lanes);
      }
      if (op.kind() == ReduceOp.Kind.AVG) {
        System.arraycopy(floats, 2 * FLOATS, floats, 0, lanes);
        DivideLoops.floats(floats, lanes, sources.length);
      }
      format.round(scratch, dst, dstOffset + at, length);
    }
    POOL.give(scratch);
  }

  private static BlockKernel.Loop<float[]> loop(ReduceOp op) {
    return switch (op.kind()) {
      case SUM, AVG -> FloatLoops::sum;
      case PROD -> FloatLoops::prod;
      case MIN -> FloatLoops::min;
      case MAX -> FloatLoops::max;
      case BAND, BOR, BXOR -> throw new IllegalArgumentException(op + " of floats");
    };
  }

  private static final class Float16Format implements Format {
    @Override
    public void widen(Scratch scratch, int region, MemorySegment source, long offset, int bytes) {
      MemorySegment.copy(source, offset, scratch.elementSegment, 0, bytes);
      widen(scratch.elements, scratch.block.array(), region / Float.BYTES, lanes(bytes));
    }

    private static void widen(short[] elements, float[] floats, int first, int lanes) {
      for (int i = 0; i < lanes; i++) {
        floats[first + i] = Float.float16ToFloat(elements[i]);
      }
    }

    @Override
    public void round(Scratch scratch, MemorySegment dst, long offset, int bytes) {
      round(scratch.block.array(), scratch.elements, lanes(bytes));
      MemorySegment.copy(scratch.elementSegment, 0, dst, offset, bytes);
    }

    private static void round(float[] floats, short[] elements, int lanes) {
      for (int i = 0; i < lanes; i++) {
        elements[i] = Float.floatToFloat16(floats[2 * FLOATS + i]);
      }
    }

    @Override
    public int lanes(int bytes) {
      return Block.padded(bytes) / Short.BYTES;
    }
  }

  /** As {@link Bfloat16Kernel} does it: the elements lie in the region after their floats. */
  private static final class Bfloat16Format implements Format {
    @Override
    public void widen(Scratch scratch, int region, MemorySegment source, long offset, int bytes) {
      MemorySegment.copy(source, offset, scratch.block.segment(), region + Block.REGION, bytes);
      Bfloat16Kernel.widen(scratch.block.array(), region, Block.padded(bytes) / Integer.BYTES);
    }

    @Override
    public void round(Scratch scratch, MemorySegment dst, long offset, int bytes) {
      Bfloat16Kernel.round(scratch.block.array(), Block.padded(bytes) / Integer.BYTES);
      MemorySegment.copy(scratch.block.segment(), 0, dst, offset, bytes);
    }

    @Override
    public int lanes(int bytes) {
      return (PIECE + Block.padded(bytes)) / Float.BYTES;
    }
  }
}
