package dev.tutti.conformance;

import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;

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
   * counts 0, 1, size + 1 and 39, in and out of place; a pairwise array of other counts, places,
   * values and roots, waited for one by one or several in flight; every root; special, overflowing
   * and arbitrary values; buffers that cross in several chunks.
   *
   * @param seed of the values, and of what varies from case to case
   * @param size the group's size
   */
  public static CaseList of(long seed, int size) {
    return new CaseList(seed, size, new CaseMaker(seed, size).make());
  }

  /**
   * Returns the list for groups with {@code order=ranked}: every reduction whose result depends on
   * the order, in and out of place, in one chunk and in several.
   *
   * @param seed of the values, and of what varies from case to case
   * @param size the group's size
   */
  public static CaseList ranked(long seed, int size) {
    return new CaseList(seed, size, new CaseMaker(seed, size).makeRanked());
  }

  /** Returns the cases that are wanted, with their numbers. */
  public CaseList filtered(Predicate<Case> wanted) {
    return new CaseList(seed, size, cases.stream().filter(wanted).toList());
  }

  /**
   * Returns one case, with those that are in flight together with it, if any.
   *
   * @param index its number
   * @throws IllegalArgumentException if there is none
   */
  public CaseList only(int index) {
    for (Case wanted : cases) {
      if (wanted.index() == index) {
        return filtered(spec -> spec.flight() == wanted.flight());
      }
    }
    throw new IllegalArgumentException(
        "there is no case %d; cases are numbered 0 to %d".formatted(index, cases.size() - 1));
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
}
