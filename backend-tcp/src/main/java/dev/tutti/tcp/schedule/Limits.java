package dev.tutti.tcp.schedule;

/**
 * What bounds a schedule; must be equal on all ranks of a group, because both ends of a message
 * derive its length from it.
 *
 * @param chunkBytes wanted length of a pipelined message in bytes; a block of more than 256 such
 *     chunks gets longer ones
 * @param scratchBytes most scratch that one schedule may use, in bytes; at least two elements
 * @param smallBytes vectors up to this length in bytes take the algorithm with the fewest steps
 */
public record Limits(long chunkBytes, long scratchBytes, long smallBytes) {

  /** Chunks of 512 KiB, 16 MiB of scratch, small up to 64 KiB. */
  public static final Limits DEFAULT = new Limits(512L << 10, 16L << 20, 64L << 10);

  /** The largest element, which the least scratch must hold twice. */
  private static final long LEAST_SCRATCH_BYTES = 2 * Long.BYTES;

  /** Checks that every limit can be kept. */
  public Limits {
    if (chunkBytes < 1) {
      throw new IllegalArgumentException("chunkBytes must be at least 1: " + chunkBytes);
    }
    if (scratchBytes < LEAST_SCRATCH_BYTES) {
      throw new IllegalArgumentException(
          "scratchBytes must hold two elements of 8 bytes, at least "
              + LEAST_SCRATCH_BYTES
              + ": "
              + scratchBytes);
    }
    if (smallBytes < 0) {
      throw new IllegalArgumentException("smallBytes must not be negative: " + smallBytes);
    }
  }
}
