package dev.tutti.comm.internal.reduce;

import java.lang.foreign.MemorySegment;

/** One operator on one element type. */
interface Kernel {
  /**
   * Combines two regions: {@code dst[i] = a[i] op b[i]}.
   *
   * @param dst where the result goes; exactly the region of {@code a}, that of {@code b}, or one
   *     that overlaps neither
   * @param dstOffset in bytes, as the other offsets
   * @param bytes how many, a multiple of the element's size; the regions lie within their segments
   */
  void combine(
      MemorySegment dst,
      long dstOffset,
      MemorySegment a,
      long aOffset,
      MemorySegment b,
      long bOffset,
      long bytes);
}
