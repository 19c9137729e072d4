package dev.tutti.comm.internal.config;

import java.util.Collection;
import java.util.Locale;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the known word that somebody most likely meant. */
public final class Nearest {
  /**
   * Longer words are compared by no more than this: a key of a thousand letters is nobody's typo.
   */
  private static final int LONGEST = 64;

  private Nearest() {}

  /**
   * Returns the known word nearest to the given one, or null if none is near. Near means: the same
   * but for upper and lower case, or at most one edit in three letters (an insertion, a deletion, a
   * replacement, or two neighbours swapped), or begun and not ended. Of equally near words the
   * alphabetically first is returned.
   *
   * @param word what was written
   * @param known the words that would have been right
   */
  public static @Nullable String to(String word, Collection<String> known) {
    String written = word.toLowerCase(Locale.ROOT);
    if (written.isEmpty() || written.length() > LONGEST) {
      return null;
    }
    String nearest = null;
    int least = Integer.MAX_VALUE;
    for (String candidate : new TreeSet<>(known)) {
      String lower = candidate.toLowerCase(Locale.ROOT);
      int edits = distance(written, lower);
      int allowed = Math.max(1, Math.max(written.length(), lower.length()) / 3);
      boolean begun = written.length() >= 2 && lower.startsWith(written);
      if ((edits <= allowed || begun) && edits < least) {
        nearest = candidate;
        least = edits;
      }
    }
    return nearest;
  }

  /**
   * Returns the sentences that follow "unknown …": the nearest known word, if there is one, then
   * all of them.
   *
   * @param word what was written
   * @param known the words that would have been right
   */
  public static String hint(String word, Collection<String> known) {
    String nearest = to(word, known);
    String meant = nearest == null ? "" : "Did you mean " + Quoted.quote(nearest) + "? ";
    String all = known.isEmpty() ? "none" : String.join(", ", new TreeSet<>(known));
    return meant + "Known: " + all;
  }

  /** Optimal string alignment distance (Damerau-Levenshtein with each swap counted once). */
  static int distance(String a, String b) {
    int[] beforeLast = new int[b.length() + 1];
    int[] last = new int[b.length() + 1];
    int[] current = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      last[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      current[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replace = last[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        int least = Math.min(replace, Math.min(last[j], current[j - 1]) + 1);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          least = Math.min(least, beforeLast[j - 2] + 1);
        }
        current[j] = least;
      }
      int[] spare = beforeLast;
      beforeLast = last;
      last = current;
      current = spare;
    }
    return last[b.length()];
  }
}
