package dev.tutti.comm.internal.reduce;

import java.lang.foreign.MemorySegment;

/**
 * Combines regions block by block: both operands are copied into an array, a loop over it combines
 * them, the result is copied out.
 *
 * @param <A> the array's type
 */
final class BlockKernel<A> implements Kernel {
  /**
   * A loop over one block.
   *
   * @param <A> the array's type
   */
  @FunctionalInterface
  interface Loop<A> {
    /**
     * Combines the first {@code lanes} elements of the first and the second region into the third.
     */
    void combine(A block, int lanes);
  }

  private static final int REGION = Block.REGION;

  private final BlockPool<Block<A>> pool;
  private final Loop<A> loop;

  BlockKernel(BlockPool<Block<A>> pool, Loop<A> loop) {
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
    Block<A> block = pool.take();
    MemorySegment memory = block.segment();
    for (long at = 0; at < bytes; at += REGION) {
      int length = (int) Math.min(REGION, bytes - at);
      MemorySegment.copy(a, aOffset + at, memory, 0, length);
      MemorySegment.copy(b, bOffset + at, memory, REGION, length);
      loop.combine(block.array(), Block.padded(length) / block.laneBytes());
      MemorySegment.copy(memory, 2 * REGION, dst, dstOffset + at, length);
    }
    pool.give(block);
  }
}
