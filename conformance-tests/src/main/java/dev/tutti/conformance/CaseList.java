package dev.tutti.conformance;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The cases that all ranks of a group of some size run, in this order: a function of seed and size
 * alone.
 */
public final class CaseList {
  private final long seed;
  private final int size;
  private final List<Case> cases;

  private CaseList(long seed, int size, List<Case> cases) {
    this.seed = seed;
    this.size = size;
    this.cases = List.copyOf(cases);
  }

  /**
   * Returns the whole list: every operation with every type, and operator where there is one, at
   * counts 0, 1, size + 1 and 39, in and out of place; every root; special, overflowing and
   * arbitrary values; buffers that cross in several chunks.
   *
   * @param seed of the values, and of what varies from case to case
   * @param size the group's size
   */
  public static CaseList of(long seed, int size) {
    return new CaseList(seed, size, new Maker(seed, size).make());
  }

  /**
   * Returns the list for groups with {@code order=ranked}: every reduction whose result depends on
   * the order, in and out of place, in one chunk and in several.
   *
   * @param seed of the values, and of what varies from case to case
   * @param size the group's size
   */
  public static CaseList ranked(long seed, int size) {
    return new CaseList(seed, size, new Maker(seed, size).makeRanked());
  }

  /** Returns the cases that are wanted, with their numbers. */
  public CaseList filtered(Predicate<Case> wanted) {
    return new CaseList(seed, size, cases.stream().filter(wanted).toList());
  }

  /**
   * Returns one case alone.
   *
   * @param index its number
   * @throws IllegalArgumentException if there is none
   */
  public CaseList only(int index) {
    CaseList one = filtered(spec -> spec.index() == index);
    if (one.cases.isEmpty()) {
      throw new IllegalArgumentException(
          "there is no case %d; cases are numbered 0 to %d".formatted(index, cases.size() - 1));
    }
    return one;
  }

  /** Returns the case, or the operations' cases, that a plan asks for. */
  CaseList chosen(OptionalInt only, Set<String> operations) {
    CaseList cases = only.isPresent() ? only(only.getAsInt()) : this;
    return operations.isEmpty()
        ? cases
        : cases.filtered(spec -> operations.contains(spec.operation().text()));
  }

  /** Returns the seed of the values. */
  public long seed() {
    return seed;
  }

  /** Returns the size of the groups that the list is for. */
  public int size() {
    return size;
  }

  /** Returns the cases in the order in which they are run. */
  public List<Case> cases() {
    return cases;
  }

  /** Makes the cases, numbering them. */
  private static final class Maker {
    private static final List<Memory> MEMORIES = List.of(Memory.values());
    private static final List<Blocks> BLOCKS = List.of(Blocks.values());
    private static final List<ReduceOp> ROUNDING =
        List.of(ReduceOp.SUM, ReduceOp.PROD, ReduceOp.AVG);

    private final long seed;
    private final int size;
    private final List<Case> cases = new ArrayList<>();

    Maker(long seed, int size) {
      this.seed = seed;
      this.size = size;
    }

    List<Case> make() {
      grid();
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
        for (ReduceOp op : type.isInteger() ? operators(type) : List.<ReduceOp>of()) {
          for (OperationKind kind : OperationKind.reducing()) {
            add(kind, type, op, Values.OVERFLOW, 39, 0, false);
          }
        }
      }
    }

    private void random() {
      for (DataType type : DataType.values()) {
        for (ReduceOp op : type.isFloating() ? ROUNDING : List.<ReduceOp>of()) {
          for (OperationKind kind : OperationKind.reducing()) {
            for (long count : List.of(3L, 39L, 200L)) {
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

    private static List<ReduceOp> operators(DataType type) {
      return ReduceOp.all().stream().filter(op -> op.supports(type)).toList();
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
      long pick = pick();
      Memory memory = MEMORIES.get((int) (pick & 3));
      Blocks blocks = BLOCKS.get((int) (pick >>> 2 & 3));
      int variant = (int) (pick >>> 4 & 0xFF);
      put(kind, type, op, values, count, root, inPlace, memory, blocks, variant);
    }

    private void addVariant(
        OperationKind kind, DataType type, ReduceOp op, Values values, long count, int variant) {
      Memory memory = MEMORIES.get((int) (pick() & 3));
      put(kind, type, op, values, count, 0, false, memory, Blocks.EQUAL, variant);
    }

    private void addMemory(
        OperationKind kind, DataType type, @Nullable ReduceOp op, long count, Memory memory) {
      long pick = pick();
      int root = (int) (pick >>> 16 & 0xFF) % size;
      boolean inPlace = kind.hasInPlaceForm() && (pick & 1) == 0;
      int variant = (int) (pick >>> 4 & 0xFF);
      put(kind, type, op, Values.EXACT, count, root, inPlace, memory, Blocks.RISING, variant);
    }

    private long pick() {
      return new SplittableRandom(seed * 1_000_003 + cases.size()).nextLong();
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
      cases.add(
          new Case(
              cases.size(),
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
}
