package dev.tutti.comm.internal.reduce;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Combines regions with a loop over native memory, where they are; what is not native, and the last
 * few bytes, go through native memory of its own.
 */
final class NativeKernel implements Kernel {
  /** A loop over native memory. */
  @FunctionalInterface
  interface Loop {
    /** Combines {@code bytes} bytes, a multiple of the kernel's step. */
    void combine(
        MemorySegment dst,
        long dstOffset,
        MemorySegment a,
        long aOffset,
        MemorySegment b,
        long bOffset,
        int bytes);
  }

  /** So that a loop counts in {@code int}, which C2 handles best. */
  private static final long LONGEST = 1L << 30;

  private static final int REGION = Block.REGION;

  /** Two operands and a result. */
  private static final BlockPool<MemorySegment> POOL =
      new BlockPool<>(() -> Arena.ofAuto().allocate(3 * REGION, 64));

  private final Loop loop;
  private final int step;

  /**
   * @param step what the loop takes at a time: a power of two, {@value Block#REGION} at most
   */
  NativeKernel(Loop loop, int step) {
    this.loop = loop;
    this.step = step;
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
    long done = 0;
    if (dst.isNative() && a.isNative() && b.isNative()) {
      long whole = bytes & -step;
      while (done < whole) {
        int length = (int) Math.min(LONGEST, whole - done);
        loop.combine(dst, dstOffset + done, a, aOffset + done, b, bOffset + done, length);
        done += length;
      }
    }
    if (done < bytes) {
      stage(dst, dstOffset + done, a, aOffset + done, b, bOffset + done, bytes - done);
    }
  }

  private void stage(
      MemorySegment dst,
      long dstOffset,
      MemorySegment a,
      long aOffset,
      MemorySegment b,
      long bOffset,
      long bytes) {
    MemorySegment memory = POOL.take();
    for (long at = 0; at < bytes; at += REGION) {
      int length = (int) Math.min(REGION, bytes - at);
      MemorySegment.copy(a, aOffset + at, memory, 0, length);
      MemorySegment.copy(b, bOffset + at, memory, REGION, length);
      int padded = (length + step - 1) & -step;
      loop.combine(memory, 2 * REGION, memory, 0, memory, REGION, padded);
      MemorySegment.copy(memory, 2 * REGION, dst, dstOffset + at, length);
    }
    POOL.give(memory);
  }
}
