package dev.tutti.tcp.schedule;

/**
 * How blocks are cut into the pieces that are pipelined: all of {@code length} elements but the
 * last.
 *
 * <p>Both ends of a message derive its length from here, so only what all ranks know may go in.
 *
 * @param length elements of a full chunk, at least 1
 */
record Chunks(long length) {

  /**
   * Most chunks of one block. A longer block gets longer chunks: beyond this number more of them
   * fill the pipeline no better, and a schedule's own memory would grow with the message.
   */
  static final int MAX_PER_BLOCK = 256;

  /**
   * Returns the chunks for blocks of up to {@code largestBlock} elements; where that is less than
   * is wanted, a chunk is a block, so that what holds a chunk is no larger than need be.
   *
   * @param wanted elements wanted of a chunk, at least 1
   */
  static Chunks of(long wanted, long largestBlock) {
    return new Chunks(Math.max(wanted, Math.ceilDiv(largestBlock, (long) MAX_PER_BLOCK)))
        .atMost(largestBlock);
  }

  /** Returns these chunks, or shorter ones if they are longer than {@code most}. */
  Chunks atMost(long most) {
    return length <= most ? this : new Chunks(Math.max(1, most));
  }

  /** Returns how many chunks a block of {@code count} elements has; an empty one has none. */
  int in(long count) {
    return Math.toIntExact(Math.ceilDiv(count, length));
  }

  /** Returns where chunk {@code k} begins in its block. */
  long offset(int k) {
    return k * length;
  }

  /** Returns the elements in chunk {@code k} of a block of {@code count}; 0 behind its end. */
  long count(long count, int k) {
    return Math.clamp(count - offset(k), 0, length);
  }
}
