package dev.tutti.conformance;

/**
 * How many elements each rank's blocks hold in a case, and where they lie: densely, in rank order.
 */
final class Layout {
  private final Case spec;
  private final int size;

  Layout(Case spec, int size) {
    this.spec = spec;
    this.size = size;
  }

  /** Returns the elements of a rank's block. */
  long block(int rank) {
    return spec.operation().isUneven()
        ? spec.blocks().of(spec.count(), rank, size, spec.variant())
        : spec.count();
  }

  /** Returns the first element of a rank's block where all blocks lie together. */
  long offset(int rank) {
    long offset = 0;
    for (int r = 0; r < rank; r++) {
      offset += block(r);
    }
    return offset;
  }

  /** Returns the elements of all blocks. */
  long total() {
    return offset(size);
  }

  /** Returns the elements of every rank's block. */
  long[] blocks() {
    long[] blocks = new long[size];
    for (int r = 0; r < size; r++) {
      blocks[r] = block(r);
    }
    return blocks;
  }

  /** Returns the elements that one rank sends to another. */
  long between(int from, int to) {
    return spec.operation().isUneven()
        ? spec.blocks().between(spec.count(), from, to, size, spec.variant())
        : spec.count();
  }

  /** Returns where a receiver's block begins in the sender's buffer. */
  long offsetAtSender(int from, int to) {
    long offset = 0;
    for (int r = 0; r < to; r++) {
      offset += between(from, r);
    }
    return offset;
  }

  /** Returns where a sender's block begins in the receiver's buffer. */
  long offsetAtReceiver(int from, int to) {
    long offset = 0;
    for (int r = 0; r < from; r++) {
      offset += between(r, to);
    }
    return offset;
  }

  /** Returns the elements that one rank sends to each. */
  long[] sentBy(int from) {
    long[] counts = new long[size];
    for (int r = 0; r < size; r++) {
      counts[r] = between(from, r);
    }
    return counts;
  }

  /** Returns the elements that one rank receives from each. */
  long[] receivedBy(int to) {
    long[] counts = new long[size];
    for (int r = 0; r < size; r++) {
      counts[r] = between(r, to);
    }
    return counts;
  }
}
