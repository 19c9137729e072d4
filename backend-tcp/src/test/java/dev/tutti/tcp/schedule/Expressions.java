package dev.tutti.tcp.schedule;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What an element holds, symbolically: a rank's own contribution, the combination of two values, a
 * value divided once, or the fold of one value of each rank.
 *
 * <p>⊕ is commutative but not associative here: {@code a ⊕ b} and {@code b ⊕ a} are one expression,
 * other nestings are others. A fold is one expression of its own, not nested combinations, for it
 * is rounded once. Two elements would hold the same bits for every reduction exactly if they hold
 * the same expression. Expressions are numbered from 1; 0 is memory that nobody wrote.
 */
final class Expressions {
  /** The value of memory that nobody wrote. */
  static final int UNWRITTEN = 0;

  /** What an expression contains. */
  private static final class Content {
    final long ranks;
    final long index;
    final int divisions;
    final boolean sound;

    /** Whether its ranks, which begin with 0, are combined in rank order and rounded once. */
    final boolean ordered;

    Content(long ranks, long index, int divisions, boolean sound, boolean ordered) {
      this.ordered = ordered;
      this.ranks = ranks;
      this.index = index;
      this.divisions = divisions;
      this.sound = sound;
    }
  }

  private Content[] contents = new Content[256];
  private int count = 1;
  private final Map<Long, Integer> leaves = new HashMap<>();
  private final Map<Long, Integer> combinations = new HashMap<>();
  private final Map<Integer, Integer> quotients = new HashMap<>();
  private final Map<List<Integer>, Integer> folds = new HashMap<>();
  private final boolean average;

  /** Makes the expressions of what is combined without a division, or not at all. */
  Expressions() {
    this(false);
  }

  /** Makes the expressions of an operation; a fold divides if that is an average. */
  Expressions(boolean average) {
    this.average = average;
  }

  /** Returns element {@code index} of what {@code rank} contributes. */
  int leaf(int rank, long index) {
    return leaves.computeIfAbsent(
        key(rank, index), key -> add(new Content(1L << rank, index, 0, true, rank == 0)));
  }

  /** Returns {@code a ⊕ b}. */
  int combine(int a, int b) {
    long key = key(Math.min(a, b), Math.max(a, b));
    Integer known = combinations.get(key);
    if (known != null) {
      return known;
    }
    Content x = contents[a];
    Content y = contents[b];
    boolean sound =
        x.sound
            && y.sound
            && x.index == y.index
            && (x.ranks & y.ranks) == 0
            && x.divisions + y.divisions == 0;
    boolean ordered = sound && (x.ranks | y.ranks) == 3;
    int sum = add(new Content(x.ranks | y.ranks, x.index, 0, sound, ordered));
    combinations.put(key, sum);
    return sum;
  }

  /** Returns {@code a / size}. */
  int divide(int a) {
    return quotients.computeIfAbsent(
        a,
        dividend -> {
          Content x = contents[dividend];
          return add(new Content(x.ranks, x.index, x.divisions + 1, x.sound, x.ordered));
        });
  }

  /** Returns {@code ((values[0] ⊕ values[1]) ⊕ …)}, of an average divided by their number. */
  int fold(List<Integer> values) {
    return folds.computeIfAbsent(
        values,
        operands -> {
          long ranks = 0;
          boolean sound = true;
          boolean ordered = true;
          Content first = contents[operands.getFirst()];
          for (int i = 0; i < operands.size(); i++) {
            Content each = contents[operands.get(i)];
            sound &= each.sound && each.index == first.index && each.divisions == 0;
            sound &= (ranks & each.ranks) == 0;
            ordered &= each.ranks == 1L << i;
            ranks |= each.ranks;
          }
          return add(new Content(ranks, first.index, average ? 1 : 0, sound, sound && ordered));
        });
  }

  /** Returns whether a value's ranks were combined in rank order, and 16-bit types rounded once. */
  boolean isInRankOrder(int value) {
    return contents[value].ordered;
  }

  /**
   * Returns whether {@code value} is made of element {@code index} of exactly the given ranks, each
   * once, divided that many times as the last thing.
   */
  boolean is(int value, long ranks, long index, int divisions) {
    if (value == UNWRITTEN) {
      return false;
    }
    Content content = contents[value];
    return content.sound
        && content.ranks == ranks
        && content.index == index
        && content.divisions == divisions;
  }

  /** Returns the value for a reader. */
  String describe(int value) {
    if (value == UNWRITTEN) {
      return "unwritten";
    }
    Content content = contents[value];
    return (content.sound ? "" : "wrongly combined ")
        + "element "
        + content.index
        + " of ranks "
        + Long.toBinaryString(content.ranks)
        + " divided "
        + content.divisions
        + " times"
        + (content.ordered ? " in rank order" : "");
  }

  /**
   * Returns one number for two; the factor, being odd, loses nothing and spreads the hash codes.
   */
  private static long key(int high, long low) {
    return (((long) high << 32) | low) * 0x9E3779B97F4A7C15L;
  }

  private int add(Content content) {
    if (count == contents.length) {
      contents = Arrays.copyOf(contents, 2 * count);
    }
    contents[count] = content;
    return count++;
  }
}
