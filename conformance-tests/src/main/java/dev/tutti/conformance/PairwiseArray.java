package dev.tutti.conformance;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Chooses levels of several factors, row by row, so that soon every two levels of two factors have
 * stood in one row: most faults show where two of them meet. The first factors of a row are given;
 * pairs with the very first one count most, so that they are complete even where it has few rows.
 *
 * @see <a href="https://doi.org/10.1109/32.605761">Cohen, Dalal, Fredman, Patton: The AETG system
 *     (1997)</a>
 */
final class PairwiseArray {
  private static final int MOST_LEVELS = 4096;
  private static final int MOST_FACTORS = 64;
  private static final int WEIGHT_OF_FIRST = 8;

  private final Set<Long> covered = new HashSet<>();
  private final SplittableRandom random;

  PairwiseArray(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /**
   * Returns one more row.
   *
   * @param allowed the levels that each factor may have in this row, at least one; the same number
   *     of factors in each row
   */
  int[] row(int[]... allowed) {
    int[] row = new int[allowed.length];
    for (int factor = 0; factor < row.length; factor++) {
      row[factor] = best(row, factor, allowed[factor]);
    }
    for (int factor = 0; factor < row.length; factor++) {
      for (int earlier = 0; earlier < factor; earlier++) {
        covered.add(pair(earlier, row[earlier], factor, row[factor]));
      }
    }
    return row;
  }

  /** Returns the level that makes most new pairs with the levels chosen before. */
  private int best(int[] row, int factor, int[] levels) {
    int start = random.nextInt(levels.length);
    int best = levels[start];
    int most = -1;
    for (int i = 0; i < levels.length; i++) {
      int level = levels[(start + i) % levels.length];
      int gain = 0;
      for (int earlier = 0; earlier < factor; earlier++) {
        if (!covered.contains(pair(earlier, row[earlier], factor, level))) {
          gain += earlier == 0 ? WEIGHT_OF_FIRST : 1;
        }
      }
      if (gain > most) {
        most = gain;
        best = level;
      }
    }
    return best;
  }

  private static long pair(int factor, int level, int other, int otherLevel) {
    long first = (long) factor * MOST_LEVELS + level;
    return (first * MOST_FACTORS + other) * MOST_LEVELS + otherLevel;
  }
}
