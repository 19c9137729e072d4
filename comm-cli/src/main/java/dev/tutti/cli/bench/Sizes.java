package dev.tutti.cli.bench;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.config.Quoted;
import dev.tutti.comm.internal.config.Units;
import java.util.ArrayList;
import java.util.List;

/** Message sizes as the command line writes them: {@code 8,1KiB,64KiB} or {@code 8..64MiB}. */
public final class Sizes {
  private static final String RANGE = "..";

  private Sizes() {}

  /**
   * Reads sizes: items separated by commas, each a size or a range {@code from..to}. A range begins
   * with its first size, is multiplied by the factor at each step, and always holds its last one.
   *
   * @param text for example {@code 8..64MiB}
   * @param factor the step of a range, at least 2
   * @return the sizes in bytes, in the order written
   * @throws ConfigException if the text is no such list
   */
  public static List<Long> parse(String text, int factor) {
    if (factor < 2) {
      throw new ConfigException("--factor " + factor + " is too small: a range grows by 2 or more");
    }
    List<Long> sizes = new ArrayList<>();
    for (String item : text.split(",", -1)) {
      int dots = item.indexOf(RANGE);
      if (dots < 0) {
        sizes.add(size(text, item));
      } else {
        long from = size(text, item.substring(0, dots));
        long to = size(text, item.substring(dots + RANGE.length()));
        addRange(sizes, item, from, to, factor);
      }
    }
    return List.copyOf(sizes);
  }

  private static void addRange(List<Long> sizes, String item, long from, long to, int factor) {
    if (from < 1 || from > to) {
      throw new ConfigException(
          Quoted.quote(item)
              + " is no range of sizes: it begins with 1 B or more and does not shrink, for example"
              + " 8..64MiB");
    }
    for (long size = from; size < to; size *= factor) {
      sizes.add(size);
      if (size > to / factor) {
        break;
      }
    }
    sizes.add(to);
  }

  private static long size(String text, String item) {
    try {
      return Units.parseBytes(item.strip());
    } catch (ConfigException e) {
      throw new ConfigException("--sizes " + Quoted.quote(text) + ": " + e.getMessage(), e);
    }
  }
}
