package dev.tutti.conformance;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Every operation with every type and operator, at counts around the number of ranks, around a
 * vector register, around a chunk: a pairwise array over these and over everything else that a case
 * may vary.
 */
final class CaseArray {
  /** Most cases that are issued before any of them is waited for. */
  static final int MOST_IN_FLIGHT = 8;

  /** The widest vector register of today's machines. */
  private static final int REGISTER_BYTES = 64;

  /** Near what backends take at once. */
  private static final int CHUNK_BYTES = 64 << 10;

  private static final List<Length> LENGTHS = List.of(Length.values());
  private static final List<Memory> MEMORIES = List.of(Memory.values());
  private static final List<Blocks> BLOCKS = List.of(Blocks.values());
  private static final List<Values> VALUES = List.of(Values.values());

  private CaseArray() {}

  /**
   * What is called.
   *
   * @param operation the operation
   * @param type the elements' type
   * @param op how they are combined; null where they are not
   */
  record Call(OperationKind operation, DataType type, @Nullable ReduceOp op) {}

  /** One line of the array; see {@link Case}. */
  record Row(
      Call call,
      long count,
      boolean inPlace,
      Memory memory,
      int root,
      Blocks blocks,
      Values values,
      boolean inFlight) {}

  /** How many elements, by what matters about the number. */
  enum Length {
    ONE_LESS_THAN_RANKS,
    RANKS,
    PRIME,
    ONE_LESS_THAN_A_REGISTER,
    ONE_MORE_THAN_A_REGISTER,
    ONE_LESS_THAN_A_CHUNK,
    CHUNK,
    ONE_MORE_THAN_A_CHUNK;

    long count(DataType type, int size) {
      int lanes = REGISTER_BYTES / type.byteSize();
      int chunk = CHUNK_BYTES / type.byteSize();
      return switch (this) {
        case ONE_LESS_THAN_RANKS -> size - 1;
        case RANKS -> size;
        case PRIME -> 211;
        case ONE_LESS_THAN_A_REGISTER -> lanes - 1;
        case ONE_MORE_THAN_A_REGISTER -> lanes + 1;
        case ONE_LESS_THAN_A_CHUNK -> chunk - 1;
        case CHUNK -> chunk;
        case ONE_MORE_THAN_A_CHUNK -> chunk + 1;
      };
    }

    boolean isLong() {
      return compareTo(ONE_LESS_THAN_A_CHUNK) >= 0;
    }
  }

  /** Returns every operation with every type, and operator where there is one. */
  static List<Call> calls() {
    List<Call> calls = new ArrayList<>();
    for (DataType type : DataType.values()) {
      for (OperationKind kind : OperationKind.reducing()) {
        CaseMaker.operators(type).forEach(op -> calls.add(new Call(kind, type, op)));
      }
      OperationKind.moving().forEach(kind -> calls.add(new Call(kind, type, null)));
    }
    return calls;
  }

  /** Told of each row: the levels that each factor could have, and those that were chosen. */
  interface Visitor {
    void row(int[][] allowed, int[] row);
  }

  /** Returns the array for groups of a size. */
  static List<Row> rows(long seed, int size) {
    List<Row> rows = new ArrayList<>();
    List<Call> calls = calls();
    walk(
        seed,
        (allowed, row) -> {
          Call call = calls.get(row[0]);
          rows.add(
              new Row(
                  call,
                  LENGTHS.get(row[1]).count(call.type(), size),
                  row[2] == 1,
                  MEMORIES.get(row[3]),
                  row[4] == 1 ? size - 1 : 0,
                  BLOCKS.get(row[5]),
                  VALUES.get(row[6]),
                  row[7] == 1));
        });
    return rows;
  }

  /** Makes the array; a chunk's three lengths take turns from call to call. */
  static void walk(long seed, Visitor visitor) {
    PairwiseArray array = new PairwiseArray(seed);
    List<Call> calls = calls();
    for (int number = 0; number < calls.size(); number++) {
      for (int length = 0; length < LENGTHS.size(); length++) {
        if (!LENGTHS.get(length).isLong() || length % 3 == number % 3) {
          int[][] allowed = allowed(number, calls.get(number), length);
          visitor.row(allowed, array.row(allowed));
        }
      }
    }
  }

  private static int[][] allowed(int number, Call call, int length) {
    OperationKind kind = call.operation();
    return new int[][] {
      {number},
      {length},
      either(kind.hasInPlaceForm()),
      range(MEMORIES.size()),
      either(kind.isRooted()),
      range(kind.isUneven() ? BLOCKS.size() : 1),
      values(call, LENGTHS.get(length)).stream().mapToInt(VALUES::indexOf).toArray(),
      either(true)
    };
  }

  private static List<Values> values(Call call, Length length) {
    List<Values> values = new ArrayList<>(List.of(Values.EXACT));
    ReduceOp op = call.op();
    if (op != null) {
      if (CaseMaker.overflows(call.type(), op)) {
        values.add(Values.OVERFLOW);
      }
      if (call.type().isFloating()) {
        values.add(Values.SPECIAL);
      }
      // To bound an error exactly takes long.
      if (CaseMaker.rounds(call.type(), op) && !length.isLong()) {
        values.add(Values.RANDOM);
      }
    }
    return values;
  }

  private static int[] either(boolean both) {
    return range(both ? 2 : 1);
  }

  private static int[] range(int levels) {
    return IntStream.range(0, levels).toArray();
  }
}
