package dev.tutti.tcp.schedule;

/**
 * A rank's place in the ring 0, 1, … size-1, 0, and the chunks of the blocks that travel around it.
 *
 * @param rank this rank
 * @param size ranks in the ring
 * @param blocks one block per rank
 * @param chunks how each block is cut
 */
record Ring(int rank, int size, Blocks blocks, Chunks chunks) {

  /**
   * Chunks of each block that go around together, before the block's next ones start. With one, a
   * rank would send nothing while it combines what it received; with all, a chunk would have left
   * the cache by the time it is its turn to be sent.
   */
  static final int SEGMENT = 4;

  /** Returns the rank to send to. */
  int right() {
    return (rank + 1) % size;
  }

  /** Returns the rank to receive from. */
  int left() {
    return (rank + size - 1) % size;
  }

  /** Returns the block at {@code distance} from this rank's own, in {@code (-2 * size, size]}. */
  int block(int distance) {
    return (rank + 2 * size + distance) % size;
  }

  /** Returns where chunk {@code k} of a block begins, counted from the first block. */
  long offset(int block, int k) {
    return blocks.offset(block) + chunks.offset(k);
  }

  /** Returns the elements in chunk {@code k} of a block; 0 behind its end. */
  long count(int block, int k) {
    return chunks.count(blocks.count(block), k);
  }
}
