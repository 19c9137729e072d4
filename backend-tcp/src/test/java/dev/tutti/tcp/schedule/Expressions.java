package dev.tutti.tcp.schedule;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * What an element holds, symbolically: a rank's own contribution, the combination of two values, or
 * a value divided once.
 *
 * <p>⊕ is commutative but not associative here: {@code a ⊕ b} and {@code b ⊕ a} are one expression,
 * other nestings are others. Two elements would hold the same bits for every reduction exactly if
 * they hold the same expression. Expressions are numbered from 1; 0 is memory that nobody wrote.
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

    Content(long ranks, long index, int divisions, boolean sound) {
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

  /** Returns element {@code index} of what {@code rank} contributes. */
  int leaf(int rank, long index) {
    return leaves.computeIfAbsent(
        key(rank, index), key -> add(new Content(1L << rank, index, 0, true)));
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
    int sum = add(new Content(x.ranks | y.ranks, x.index, 0, sound));
    combinations.put(key, sum);
    return sum;
  }

  /** Returns {@code a / size}. */
  int divide(int a) {
    return quotients.computeIfAbsent(
        a,
        dividend -> {
          Content x = contents[dividend];
          return add(new Content(x.ranks, x.index, x.divisions + 1, x.sound));
        });
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
        + " times";
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
