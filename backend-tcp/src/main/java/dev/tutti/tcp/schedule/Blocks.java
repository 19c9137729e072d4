package dev.tutti.tcp.schedule;

import java.util.Arrays;

/**
 * One block of elements per rank, packed one after the other in rank order; blocks may be empty.
 *
 * <p>Immutable, with value equality.
 */
public final class Blocks {
  /** Block i is {@code [offsets[i], offsets[i + 1])}. */
  private final long[] offsets;

  private final long largest;

  private Blocks(long[] offsets) {
    this.offsets = offsets;
    long most = 0;
    for (int i = 0; i + 1 < offsets.length; i++) {
      most = Math.max(most, offsets[i + 1] - offsets[i]);
    }
    this.largest = most;
  }

  /**
   * Returns blocks of the given counts.
   *
   * @param counts elements per rank; copied
   */
  public static Blocks of(long... counts) {
    long[] offsets = new long[counts.length + 1];
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] < 0) {
        throw new IllegalArgumentException("count of rank " + i + " is negative: " + counts[i]);
      }
      offsets[i + 1] = Math.addExact(offsets[i], counts[i]);
    }
    return new Blocks(offsets);
  }

  /** Returns {@code size} blocks of {@code count} elements each. */
  public static Blocks uniform(int size, long count) {
    Math.multiplyExact(count, size);
    long[] offsets = new long[size + 1];
    for (int i = 1; i <= size; i++) {
      offsets[i] = i * count;
    }
    return new Blocks(offsets);
  }

  /** Returns {@code size} blocks of which only {@code rank}'s has elements. */
  public static Blocks only(int size, int rank, long count) {
    long[] counts = new long[size];
    counts[rank] = count;
    return of(counts);
  }

  /** Returns {@code total} elements in {@code size} blocks which differ by at most one element. */
  public static Blocks split(int size, long total) {
    long base = total / size;
    long longer = total % size;
    long[] offsets = new long[size + 1];
    for (int i = 1; i <= size; i++) {
      offsets[i] = i * base + Math.min(i, longer);
    }
    return new Blocks(offsets);
  }

  /** Returns the number of blocks. */
  public int size() {
    return offsets.length - 1;
  }

  /** Returns the elements in block {@code i}. */
  public long count(int i) {
    return offsets[i + 1] - offsets[i];
  }

  /** Returns the elements before block {@code i}. */
  public long offset(int i) {
    return offsets[i];
  }

  /** Returns the elements in all blocks. */
  public long total() {
    return offsets[offsets.length - 1];
  }

  /** Returns the elements in the largest block. */
  public long largest() {
    return largest;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Blocks blocks && Arrays.equals(offsets, blocks.offsets);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(offsets);
  }

  @Override
  public String toString() {
    long[] counts = new long[size()];
    Arrays.setAll(counts, this::count);
    return Arrays.toString(counts);
  }
}
