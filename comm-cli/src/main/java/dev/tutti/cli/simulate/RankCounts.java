package dev.tutti.cli.simulate;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.config.Quoted;
import java.util.ArrayList;
import java.util.List;

/** Numbers of ranks as the command line writes them: {@code 2..4096} or {@code 2,3,5,12}. */
public final class RankCounts {
  /** The most ranks that are priced. */
  static final int MOST = 4096;

  private static final String RANGE = "..";

  private RankCounts() {}

  /**
   * Reads numbers of ranks: items separated by commas, each a number or a range, which is its first
   * number, doubled until it would be more than the last, and the last.
   *
   * @param text for example {@code 2..4096}
   * @return the numbers in the order written
   * @throws ConfigException if the text is no such list
   */
  public static List<Integer> parse(String text) {
    List<Integer> counts = new ArrayList<>();
    for (String item : text.split(",", -1)) {
      int dots = item.indexOf(RANGE);
      if (dots < 0) {
        counts.add(count(text, item));
      } else {
        int from = count(text, item.substring(0, dots));
        int to = count(text, item.substring(dots + RANGE.length()));
        if (from > to) {
          throw new ConfigException(
              "--ranks %s: a range does not shrink; write %d..%d"
                  .formatted(Quoted.quote(text), to, from));
        }
        for (int count = from; count < to; count *= 2) {
          counts.add(count);
        }
        counts.add(to);
      }
    }
    return List.copyOf(counts);
  }

  private static int count(String text, String item) {
    String number = item.strip();
    if (!number.matches("\\d{1,9}")) {
      throw new ConfigException(
          "--ranks %s: %s is no number of ranks; write for example 2..4096 or 2,3,5,12"
              .formatted(Quoted.quote(text), Quoted.quote(number)));
    }
    int count = Integer.parseInt(number);
    if (count < 1 || count > MOST) {
      throw new ConfigException(
          "--ranks %s: from 1 to %d ranks can be priced, not %d"
              .formatted(Quoted.quote(text), MOST, count));
    }
    return count;
  }
}
