package dev.tutti.comm.internal.reduce;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Combines regions of memory element by element, for every type and operator.
 *
 * <p>Segments are native or backed by an array of any primitive type, in any mix; elements need no
 * alignment and are in native byte order; a region may be longer than 2 GiB. Results are the same
 * whatever the memory and the machine:
 *
 * <ul>
 *   <li>Integers wrap. INT8, INT32 and INT64 compare signed, the others unsigned.
 *   <li>MIN and MAX of floats follow {@link Math#min(float, float)} and {@link Math#max(float,
 *       float)}; which NaN comes out is not defined.
 *   <li>FLOAT16 and BFLOAT16 are combined in FLOAT32 and rounded once, to nearest even.
 *   <li>AVG combines as SUM; {@link #divide} is its second half.
 * </ul>
 *
 * <p>{@link #fold} combines several at once, in a given order.
 *
 * <p>All methods may be called from any thread that may access the segments. What memory they take
 * for themselves is small, reused, and independent of the count.
 */
public final class ReduceKernels {
  /** Whether the vector engine is there. */
  static final boolean VECTORS = ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();

  private static final int TYPES = DataType.values().length;

  /** Kernels made so far; two threads that make the same one at once do no harm. */
  private static final AtomicReferenceArray<Kernel> KERNELS =
      new AtomicReferenceArray<>(ReduceOp.Kind.values().length * TYPES);

  private ReduceKernels() {}

  /**
   * Combines two regions: {@code dst[i] = a[i] op b[i]}.
   *
   * @param dst where the result goes: exactly the region of {@code a}, exactly that of {@code b},
   *     or one that overlaps neither
   * @param dstOffset where the region begins in its segment, in bytes, as the other offsets
   * @param count the number of elements; 0 touches nothing
   * @throws IllegalArgumentException if {@code op} is not defined for {@code type}, or {@code
   *     count} is negative
   * @throws IndexOutOfBoundsException if a region does not lie within its segment; nothing has been
   *     written
   */
  public static void combine(
      ReduceOp op,
      DataType type,
      MemorySegment dst,
      long dstOffset,
      MemorySegment a,
      long aOffset,
      MemorySegment b,
      long bOffset,
      long count) {
    Kernel kernel = kernel(op, type);
    long bytes = byteSize(type, count);
    Objects.checkFromIndexSize(dstOffset, bytes, dst.byteSize());
    Objects.checkFromIndexSize(aOffset, bytes, a.byteSize());
    Objects.checkFromIndexSize(bOffset, bytes, b.byteSize());
    if (bytes > 0) {
      kernel.combine(dst, dstOffset, a, aOffset, b, bOffset, bytes);
    }
  }

  /**
   * Combines any number of regions in the order of the array: {@code dst[i] = ((s0[i] op s1[i]) op
   * s2[i]) …}.
   *
   * <p>FLOAT16 and BFLOAT16 are accumulated in FLOAT32 and rounded once, whatever the operator. AVG
   * divides by the number of sources, for these types before the rounding. One source is copied.
   *
   * @param dst where the result goes: exactly the region of one of the sources, or one that
   *     overlaps none
   * @param dstOffset where the region begins in its segment, in bytes, as the other offsets
   * @param sources the segments, one or more
   * @param offsets where each source begins in its segment
   * @param count the number of elements; 0 touches nothing
   * @throws IllegalArgumentException if {@code op} is not defined for {@code type}, {@code count}
   *     is negative, or there is no source, or not one offset for each
   * @throws IndexOutOfBoundsException if a region does not lie within its segment; nothing has been
   *     written
   */
  public static void fold(
      ReduceOp op,
      DataType type,
      MemorySegment dst,
      long dstOffset,
      MemorySegment[] sources,
      long[] offsets,
      long count) {
    if (sources.length == 0 || sources.length != offsets.length) {
      throw new IllegalArgumentException(
          "a fold needs sources and an offset for each, but has %d and %d"
              .formatted(sources.length, offsets.length));
    }
    Kernel kernel = kernel(op, type);
    long bytes = byteSize(type, count);
    Objects.checkFromIndexSize(dstOffset, bytes, dst.byteSize());
    for (int i = 0; i < sources.length; i++) {
      Objects.checkFromIndexSize(offsets[i], bytes, sources[i].byteSize());
    }
    if (bytes == 0) {
      return;
    }
    if (sources.length == 1) {
      MemorySegment.copy(sources[0], offsets[0], dst, dstOffset, bytes);
    } else if (sources.length == 2 && op.kind() != ReduceOp.Kind.AVG) {
      kernel.combine(dst, dstOffset, sources[0], offsets[0], sources[1], offsets[1], bytes);
    } else if (type.byteSize() == Short.BYTES) {
      WideFold.fold(op, type, dst, dstOffset, sources, offsets, bytes);
    } else {
      RankedFold.fold(kernel, op, type, dst, dstOffset, sources, offsets, bytes);
    }
  }

  /**
   * Divides each element of a region by the same number: {@code region[i] = region[i] / divisor}.
   *
   * <p>FLOAT32 and FLOAT64 divide in their own type, FLOAT16 and BFLOAT16 in FLOAT32 with one
   * rounding; integers truncate toward zero, the unsigned ones being divided unsigned.
   *
   * @param offset where the region begins, in bytes
   * @param count the number of elements
   * @param divisor at least 1: the group's size
   * @throws IllegalArgumentException if {@code divisor} is less than 1, or {@code count} is
   *     negative
   * @throws IndexOutOfBoundsException if the region does not lie within its segment; nothing has
   *     been written
   */
  public static void divide(
      DataType type, MemorySegment region, long offset, long count, int divisor) {
    if (divisor < 1) {
      throw new IllegalArgumentException("divisor must be at least 1, but is " + divisor);
    }
    long bytes = byteSize(type, count);
    Objects.checkFromIndexSize(offset, bytes, region.byteSize());
    if (bytes > 0 && divisor > 1) {
      PlainKernels.divider(type, divisor)
          .combine(region, offset, region, offset, region, offset, bytes);
    }
  }

  private static long byteSize(DataType type, long count) {
    if (count < 0) {
      throw new IllegalArgumentException("count must not be negative, but is " + count);
    }
    return Math.multiplyExact(count, type.byteSize());
  }

  @SuppressWarnings("EnumOrdinal") // an index of a table that lives no longer than the enums
  private static Kernel kernel(ReduceOp op, DataType type) {
    int index = op.kind().ordinal() * TYPES + type.ordinal();
    Kernel kernel = KERNELS.get(index);
    return kernel != null ? kernel : newKernel(op, type, index);
  }

  private static Kernel newKernel(ReduceOp op, DataType type, int index) {
    if (!op.supports(type)) {
      throw new IllegalArgumentException(
          op + " is not defined for " + type + ": bitwise operators take integers");
    }
    Kernel kernel =
        VECTORS ? VectorKernels.kernel(op.kind(), type) : PlainKernels.kernel(op.kind(), type);
    KERNELS.set(index, kernel);
    return kernel;
  }
}
