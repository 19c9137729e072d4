package dev.tutti.comm.internal.reduce;

import java.lang.foreign.MemorySegment;

/** Combines native regions with a vector loop, and leaves the rest to the block engine. */
final class VectorKernel implements Kernel {
  /** A loop over native memory; see {@link VectorKernels} for how one is made. */
  interface Loop {
    /** Combines {@code bytes} bytes, a multiple of a vector's size. */
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

  private final Loop loop;
  private final int vectorBytes;
  private final Kernel blocks;

  VectorKernel(Loop loop, int vectorBytes, Kernel blocks) {
    this.loop = loop;
    this.vectorBytes = vectorBytes;
    this.blocks = blocks;
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
      long whole = bytes - bytes % vectorBytes;
      while (done < whole) {
        int length = (int) Math.min(LONGEST, whole - done);
        loop.combine(dst, dstOffset + done, a, aOffset + done, b, bOffset + done, length);
        done += length;
      }
    }
    if (done < bytes) {
      blocks.combine(dst, dstOffset + done, a, aOffset + done, b, bOffset + done, bytes - done);
    }
  }
}
