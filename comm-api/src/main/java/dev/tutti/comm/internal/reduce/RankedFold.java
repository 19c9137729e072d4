package dev.tutti.comm.internal.reduce;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Combines any number of regions in a given order, piece by piece, so that what is accumulated
 * stays in the first-level cache and only the result is written.
 *
 * <p>All sources but the last are accumulated in memory of its own, and the last one combines into
 * the destination: that may then be the region of any source, since whatever a piece of it held has
 * been read by then.
 */
final class RankedFold {
  private static final int PIECE = Block.REGION;

  private static final BlockPool<MemorySegment> ACCUMULATORS =
      new BlockPool<>(() -> Arena.ofAuto().allocate(PIECE, 64));

  private RankedFold() {}

  /**
   * Folds regions of a type that is accumulated in itself: all but the 16-bit ones.
   *
   * @param kernel combines two regions
   * @param sources two or more
   * @param bytes how many, a multiple of the element's size and more than 0; the regions lie within
   *     their segments
   */
  static void fold(
      Kernel kernel,
      ReduceOp op,
      DataType type,
      MemorySegment dst,
      long dstOffset,
      MemorySegment[] sources,
      long[] offsets,
      long bytes) {
    int last = sources.length - 1;
    Kernel divider =
        op.kind() == ReduceOp.Kind.AVG ? PlainKernels.divider(type, sources.length) : null;
    MemorySegment accumulator = ACCUMULATORS.take();
    for (long at = 0; at < bytes; at += PIECE) {
      long length = Math.min(PIECE, bytes - at);
      MemorySegment soFar = sources[0];
      long soFarOffset = offsets[0] + at;
      for (int i = 1; i < last; i++) {
        kernel.combine(accumulator, 0, soFar, soFarOffset, sources[i], offsets[i] + at, length);
        soFar = accumulator;
        soFarOffset = 0;
      }
      kernel.combine(
          dst, dstOffset + at, soFar, soFarOffset, sources[last], offsets[last] + at, length);
      divide(divider, dst, dstOffset + at, length);
    }
    ACCUMULATORS.give(accumulator);
  }

  private static void divide(
      @Nullable Kernel divider, MemorySegment region, long offset, long bytes) {
    if (divider != null) {
      divider.combine(region, offset, region, offset, region, offset, bytes);
    }
  }
}
