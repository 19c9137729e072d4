package dev.tutti.conformance;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Makes the cases of a {@link CaseList}, numbering them. */
final class CaseMaker {
  private static final List<Memory> MEMORIES = List.of(Memory.values());
  private static final List<Blocks> BLOCKS = List.of(Blocks.values());
  private static final List<ReduceOp> ROUNDING = List.of(ReduceOp.SUM, ReduceOp.PROD, ReduceOp.AVG);

  private final long seed;
  private final int size;
  private final List<Case> cases = new ArrayList<>();

  CaseMaker(long seed, int size) {
    this.seed = seed;
    this.size = size;
  }

  List<Case> make() {
    grid();
    array();
    roots();
    special();
    overflow();
    random();
    large();
    return cases;
  }

  List<Case> makeRanked() {
    for (DataType type : DataType.values()) {
      for (ReduceOp op : type.isFloating() ? ROUNDING : List.<ReduceOp>of()) {
        for (OperationKind kind : OperationKind.reducing()) {
          for (long count : List.of(0L, 1L, size + 1L, 200L, 20_011L)) {
            addInAndOutOfPlace(kind, type, op, Values.RANKED, count);
          }
        }
      }
    }
    return cases;
  }

  private void grid() {
    for (long count : List.of(0L, 1L, size + 1L, 39L)) {
      for (DataType type : DataType.values()) {
        for (OperationKind kind : OperationKind.reducing()) {
          for (ReduceOp op : operators(type)) {
            addInAndOutOfPlace(kind, type, op, Values.EXACT, count);
          }
        }
        for (OperationKind kind : OperationKind.moving()) {
          addInAndOutOfPlace(kind, type, null, Values.EXACT, count);
        }
      }
      add(OperationKind.BARRIER, DataType.INT8, null, Values.EXACT, 0, 0, false);
    }
  }

  /** What the grid does not hold: other counts, and each of them with everything else. */
  private void array() {
    for (CaseArray.Row row : CaseArray.rows(seed, size)) {
      SplittableRandom pick = pick();
      int index = cases.size();
      Case before = cases.getLast();
      boolean joins = row.inFlight() && index - before.flight() < CaseArray.MOST_IN_FLIGHT;
      cases.add(
          new Case(
              index,
              joins ? before.flight() : index,
              row.call().operation(),
              row.call().type(),
              row.call().op(),
              row.values(),
              row.count(),
              row.root(),
              row.inPlace(),
              row.memory(),
              row.blocks(),
              pick.nextInt(256)));
    }
  }

  private void roots() {
    for (OperationKind kind : OperationKind.values()) {
      for (int root = 0; kind.isRooted() && root < size; root++) {
        for (DataType type : List.of(DataType.INT64, DataType.BFLOAT16)) {
          ReduceOp op = kind.isReducing() ? ReduceOp.SUM : null;
          add(kind, type, op, Values.EXACT, 7, root, false);
          add(kind, type, op, Values.EXACT, 40, root, kind.hasInPlaceForm());
        }
      }
    }
  }

  private void special() {
    for (DataType type : DataType.values()) {
      for (ReduceOp op : type.isFloating() ? operators(type) : List.<ReduceOp>of()) {
        // Patterns are ten; where NaN must win, each rank (of many, the first ones) is to hold it
        // in each lane.
        boolean ordering = op.equals(ReduceOp.MIN) || op.equals(ReduceOp.MAX);
        for (int round = 0; round < (ordering ? 10 * Math.min(size, 16) : 10); round++) {
          addVariant(OperationKind.ALL_REDUCE, type, op, Values.SPECIAL, 39, round);
        }
        for (OperationKind kind : OperationKind.reducing()) {
          addInAndOutOfPlace(kind, type, op, Values.SPECIAL, 20);
        }
      }
    }
  }

  private void overflow() {
    for (DataType type : DataType.values()) {
      for (ReduceOp op : operators(type)) {
        for (OperationKind kind : OperationKind.reducing()) {
          if (overflows(type, op)) {
            add(kind, type, op, Values.OVERFLOW, 39, 0, false);
          }
        }
      }
    }
  }

  private void random() {
    for (DataType type : DataType.values()) {
      for (ReduceOp op : operators(type)) {
        for (OperationKind kind : OperationKind.reducing()) {
          for (long count : rounds(type, op) ? List.of(3L, 39L, 200L) : List.<Long>of()) {
            addInAndOutOfPlace(kind, type, op, Values.RANDOM, count);
          }
        }
      }
    }
  }

  /** More than one chunk, with a rest. */
  private void large() {
    for (OperationKind kind : OperationKind.values()) {
      if (kind == OperationKind.BARRIER) {
        continue;
      }
      ReduceOp op = kind.isReducing() ? ReduceOp.SUM : null;
      addMemory(kind, DataType.FLOAT32, op, 20_011, Memory.NATIVE);
      addMemory(kind, DataType.BFLOAT16, op, 9_973, Memory.ARRAY);
    }
    ReduceOp sum = ReduceOp.SUM;
    addMemory(OperationKind.ALL_REDUCE, DataType.FLOAT32, sum, 300_007, Memory.NATIVE);
    addMemory(OperationKind.ALL_REDUCE, DataType.FLOAT64, sum, 131_072, Memory.ARRAY);
    addMemory(OperationKind.ALL_REDUCE, DataType.INT32, sum, 262_144, Memory.MISALIGNED);
    addMemory(OperationKind.BROADCAST, DataType.UINT8, null, 1 << 20, Memory.NATIVE);
    addMemory(OperationKind.SEND, DataType.INT64, null, 131_073, Memory.NATIVE);
    addMemory(OperationKind.SEND_RECV, DataType.FLOAT32, null, 300_007, Memory.BYTES);
  }

  static List<ReduceOp> operators(DataType type) {
    return ReduceOp.all().stream().filter(op -> op.supports(type)).toList();
  }

  /**
   * Returns whether there are overflowing numbers whose result does not depend on the order, nor on
   * the precision in between, which an average of 16 bits may choose.
   */
  static boolean overflows(DataType type, ReduceOp op) {
    return type.isInteger() || !op.equals(ReduceOp.AVG) || type.byteSize() > Short.BYTES;
  }

  /** Returns whether results may have to be rounded. */
  static boolean rounds(DataType type, ReduceOp op) {
    return type.isFloating() && ROUNDING.contains(op);
  }

  private void addInAndOutOfPlace(
      OperationKind kind, DataType type, @Nullable ReduceOp op, Values values, long count) {
    int root = cases.size() % size;
    add(kind, type, op, values, count, root, false);
    if (kind.hasInPlaceForm()) {
      add(kind, type, op, values, count, root, true);
    }
  }

  private void add(
      OperationKind kind,
      DataType type,
      @Nullable ReduceOp op,
      Values values,
      long count,
      int root,
      boolean inPlace) {
    SplittableRandom pick = pick();
    Memory memory = MEMORIES.get(pick.nextInt(MEMORIES.size()));
    Blocks blocks = BLOCKS.get(pick.nextInt(BLOCKS.size()));
    put(kind, type, op, values, count, root, inPlace, memory, blocks, pick.nextInt(256));
  }

  private void addVariant(
      OperationKind kind, DataType type, ReduceOp op, Values values, long count, int variant) {
    Memory memory = MEMORIES.get(pick().nextInt(MEMORIES.size()));
    put(kind, type, op, values, count, 0, false, memory, Blocks.EQUAL, variant);
  }

  private void addMemory(
      OperationKind kind, DataType type, @Nullable ReduceOp op, long count, Memory memory) {
    SplittableRandom pick = pick();
    boolean inPlace = kind.hasInPlaceForm() && pick.nextBoolean();
    int root = pick.nextInt(size);
    put(
        kind,
        type,
        op,
        Values.EXACT,
        count,
        root,
        inPlace,
        memory,
        Blocks.RISING,
        pick.nextInt(256));
  }

  private SplittableRandom pick() {
    return new SplittableRandom(seed * 1_000_003 + cases.size());
  }

  private void put(
      OperationKind kind,
      DataType type,
      @Nullable ReduceOp op,
      Values values,
      long count,
      int root,
      boolean inPlace,
      Memory memory,
      Blocks blocks,
      int variant) {
    int index = cases.size();
    cases.add(
        new Case(
            index,
            index,
            kind,
            type,
            op,
            values,
            count,
            kind.isRooted() ? root : 0,
            inPlace,
            memory,
            blocks,
            variant));
  }
}
