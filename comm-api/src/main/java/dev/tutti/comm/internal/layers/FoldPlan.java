package dev.tutti.comm.internal.layers;

import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.Operation.Counts;
import java.util.Arrays;

/**
 * How the input of a reduction is cut: into chunks, which go one after the other, and each chunk
 * into one part a rank, which that rank folds. All ranks cut alike. Counts and offsets are elements
 * of the input.
 */
sealed interface FoldPlan {
  /** Up to this many bytes from all ranks together, fewer messages matter more than fewer bytes. */
  long SMALL_BYTES = 64 << 10;

  /** A longer input goes in several chunks, of this many bytes at least. */
  long LEAST_CHUNK_BYTES = 256 << 10;

  /** So many chunks suffice to keep both the network and the processor at work. */
  int CHUNKS_WANTED = 4;

  /** Returns how many chunks there are, at least one. */
  long chunks();

  /** Returns where the part of a chunk begins that a rank folds. */
  long offset(long chunk, int rank);

  /** Returns the length of the part of a chunk that a rank folds. */
  long count(long chunk, int rank);

  /**
   * Returns the plan of a reduction.
   *
   * @param size the number of ranks
   * @param slotBytes the memory for what comes of one chunk from all ranks, at least 8 bytes a rank
   */
  static FoldPlan of(Operation reduction, int size, long slotBytes) {
    int width = reduction.buffers().getFirst().type().byteSize();
    long part = slotBytes / width / size;
    return switch (reduction) {
      case Operation.AllReduce r -> vector(r.send().count(), width, size, part);
      case Operation.Reduce r -> vector(r.send().count(), width, size, part);
      case Operation.ReduceScatter r -> {
        long[] counts = new long[size];
        Arrays.fill(counts, r.recv().count());
        yield blocks(Counts.of(counts), width, part);
      }
      case Operation.ReduceScatterV r -> blocks(r.counts(), width, part);
      default -> throw new IllegalArgumentException("no reduction: " + reduction.describe());
    };
  }

  private static FoldPlan vector(long count, int width, int size, long mostPart) {
    boolean small = count <= SMALL_BYTES / width / size && count <= mostPart;
    if (small && size > 1) {
      return new Whole(count);
    }
    long part = wanted(count / size, width, size);
    return new Vector(count, size, Math.min(part, mostPart) * size);
  }

  private static FoldPlan blocks(Counts counts, int width, long mostPart) {
    long longest = 0;
    for (int rank = 0; rank < counts.size(); rank++) {
      longest = Math.max(longest, counts.count(rank));
    }
    return new Blocks(counts, longest, Math.min(wanted(longest, width, counts.size()), mostPart));
  }

  /** Returns a part of a length of all of a rank's parts; a multiple of 64 bytes. */
  private static long wanted(long all, int width, int size) {
    long least = Math.max(1, LEAST_CHUNK_BYTES / width / size);
    long part = Math.max(least, all / CHUNKS_WANTED + 1);
    int line = 64 / width;
    return (part + line - 1) / line * line;
  }

  /** One chunk, all of which every rank folds that wants the result. */
  record Whole(long count) implements FoldPlan {
    @Override
    public long chunks() {
      return 1;
    }

    @Override
    public long offset(long chunk, int rank) {
      return 0;
    }

    @Override
    public long count(long chunk, int rank) {
      return count;
    }
  }

  /**
   * Chunks of a vector, each cut into parts as equal as can be.
   *
   * @param chunk the elements of every chunk but the last one
   */
  record Vector(long count, int size, long chunk) implements FoldPlan {
    @Override
    public long chunks() {
      return Math.max(1, Math.ceilDiv(count, chunk));
    }

    /** Returns the elements of a chunk. */
    long length(long index) {
      return Math.min(chunk, count - index * chunk);
    }

    @Override
    public long offset(long index, int rank) {
      long length = length(index);
      return index * chunk + rank * (length / size) + Math.min(rank, length % size);
    }

    @Override
    public long count(long index, int rank) {
      long length = length(index);
      return length / size + (rank < length % size ? 1 : 0);
    }

    /** Returns the lengths of the parts of a chunk. */
    long[] counts(long index) {
      long[] counts = new long[size];
      for (int rank = 0; rank < size; rank++) {
        counts[rank] = count(index, rank);
      }
      return counts;
    }
  }

  /**
   * Blocks, one a rank, which that rank folds: a chunk is a piece of each.
   *
   * @param longest the elements of the longest block
   * @param piece the elements of every piece but a block's last one
   */
  record Blocks(Counts counts, long longest, long piece) implements FoldPlan {
    @Override
    public long chunks() {
      return Math.max(1, Math.ceilDiv(longest, piece));
    }

    @Override
    public long offset(long chunk, int rank) {
      return counts.offset(rank) + Math.min(chunk * piece, counts.count(rank));
    }

    @Override
    public long count(long chunk, int rank) {
      return Math.clamp(counts.count(rank) - chunk * piece, 0, piece);
    }
  }
}
