package dev.tutti.cli.bench;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the ranks' buffers hold, and what an operation must make of it. Inputs are small whole
 * numbers for which every order of combination gives the same bits, so results are compared bit by
 * bit. They repeat after a prime number of elements, which no chunk or block of a backend is a
 * multiple of.
 */
final class Pattern {
  /** Elements until the pattern repeats. */
  private static final int PERIOD = 1021;

  /** Up to so many ranks the numbers 0 to 3 can be added in the 8 significant bits of BFLOAT16. */
  private static final int FEW_RANKS = 64;

  private final DataType type;
  private final @Nullable ReduceOp op;
  private final int ranks;

  /**
   * @param type the elements' type
   * @param op what combines them, or null if they are only moved
   * @param ranks how many ranks there are
   */
  Pattern(DataType type, @Nullable ReduceOp op, int ranks) {
    this.type = type;
    this.op = op;
    this.ranks = ranks;
  }

  /**
   * Refuses what cannot be checked bit by bit.
   *
   * @throws ConfigException if the sums of so many ranks do not fit into the type
   */
  static void check(DataType type, ReduceOp op, int ranks) {
    long largestSum = (long) ranks * (ranks <= FEW_RANKS ? 4 : 1);
    boolean adds = op.equals(ReduceOp.SUM) || op.equals(ReduceOp.AVG);
    if (adds && type.isFloating() && largestSum > Elements.exactUpTo(type)) {
      throw new ConfigException(
          "--op %s of --type %s over %d ranks cannot be checked exactly; take a wider type"
              .formatted(Words.word(op), Words.word(type), ranks));
    }
  }

  /**
   * Fills a buffer with what a rank puts in, of which it holds the elements from {@code first} on.
   */
  void fillInput(MemorySegment target, int rank, long first) {
    MemorySegment tile = tile(phase -> input(rank, phase));
    eachPart(target, first, (at, bytes, from) -> MemorySegment.copy(tile, from, target, at, bytes));
  }

  /** Counts the elements of a buffer that are not what rank {@code rank} had put in. */
  long countWrongCopies(MemorySegment actual, int rank, long first) {
    return countWrong(actual, first, tile(phase -> input(rank, phase)));
  }

  /** Counts the elements of a buffer that are not the reduction of all ranks' inputs. */
  long countWrongReductions(MemorySegment actual, long first) {
    return countWrong(actual, first, tile(this::reduction));
  }

  private long input(int rank, int phase) {
    if (op == null) {
      return (phase * 31L + rank * 17L) % 127;
    }
    return switch (op.kind()) {
      case SUM -> mixed(rank, phase) % (ranks <= FEW_RANKS ? 4 : 2);
      case PROD -> mixed(rank, phase) % 3 == 0 && rank < 12 ? 2 : 1;
      case MIN, MAX -> (phase * 7L + rank * 5L) % 61;
      case AVG -> average(phase) + (ranks <= FEW_RANKS ? deviation(rank) : 0);
      case BAND, BOR, BXOR -> (phase * 11L + rank * 37L) & 0x7f;
    };
  }

  /** Each rank counts at a pace of its own, so that the reduction is not the same everywhere. */
  private static long mixed(int rank, int phase) {
    return (long) (phase >> (rank % 5)) + rank;
  }

  private long average(int phase) {
    return ranks <= FEW_RANKS ? 1 + phase % 3 : 1;
  }

  /** One more or one less than the average, zero in sum over all ranks. */
  private long deviation(int rank) {
    return Integer.compare(ranks - 1 - rank, rank);
  }

  private long reduction(int phase) {
    ReduceOp.Kind kind = Objects.requireNonNull(op).kind();
    long result = input(0, phase);
    for (int rank = 1; rank < ranks; rank++) {
      long next = input(rank, phase);
      result =
          switch (kind) {
            case SUM, AVG -> result + next;
            case PROD -> result * next;
            case MIN -> Math.min(result, next);
            case MAX -> Math.max(result, next);
            case BAND -> result & next;
            case BOR -> result | next;
            case BXOR -> result ^ next;
          };
    }
    if (kind == ReduceOp.Kind.AVG) {
      return (type.isInteger() ? Elements.wrapped(type, result) : result) / ranks;
    }
    return result;
  }

  private interface Values {
    long at(int phase);
  }

  /** Returns two periods, so that a whole one begins at every phase. */
  private MemorySegment tile(Values values) {
    MemorySegment tile = MemorySegment.ofArray(new byte[2 * PERIOD * type.byteSize()]);
    for (int i = 0; i < 2 * PERIOD; i++) {
      Elements.put(tile, i, type, values.at(i % PERIOD));
    }
    return tile;
  }

  private interface Part {
    /**
     * Takes {@code bytes} bytes of the buffer from {@code at} on, which match the tile from {@code
     * from} on.
     */
    void take(long at, long bytes, long from);
  }

  private void eachPart(MemorySegment buffer, long first, Part part) {
    long from = first % PERIOD * type.byteSize();
    long most = (long) PERIOD * type.byteSize();
    for (long at = 0; at < buffer.byteSize(); at += most) {
      part.take(at, Math.min(most, buffer.byteSize() - at), from);
    }
  }

  private long countWrong(MemorySegment actual, long first, MemorySegment tile) {
    long[] wrong = {0};
    eachPart(
        actual,
        first,
        (at, bytes, from) -> {
          MemorySegment got = actual.asSlice(at, bytes);
          MemorySegment expected = tile.asSlice(from, bytes);
          if (got.mismatch(expected) >= 0) {
            for (long i = 0; i < bytes; i += type.byteSize()) {
              if (got.asSlice(i, type.byteSize()).mismatch(expected.asSlice(i, type.byteSize()))
                  >= 0) {
                wrong[0]++;
              }
            }
          }
        });
    return wrong[0];
  }
}
