package dev.tutti.comm.internal.rendezvous;

import dev.tutti.comm.ConfigException;
import java.util.ArrayList;
import java.util.List;

/**
 * Slurm's compact lists: of hosts, {@code gpu[01-03,7],login}, and of tasks per node, {@code
 * 2(x3),1}.
 *
 * @see <a href="https://slurm.schedmd.com/scontrol.html">scontrol show hostnames, which expands the
 *     first</a>
 */
final class SlurmNodes {
  private static final int MAX_NODES = 1 << 20;

  private SlurmNodes() {}

  /**
   * Expands a list of hosts.
   *
   * @param name the variable that holds it, for messages
   * @throws ConfigException if it is none
   */
  static List<String> hosts(String name, String list) {
    List<String> hosts = new ArrayList<>();
    for (String part : split(name, list)) {
      expand(name, list, part, hosts);
    }
    if (hosts.isEmpty()) {
      throw wrong(name, list);
    }
    return hosts;
  }

  /**
   * Returns how many tasks run on a node.
   *
   * @param name the variable that holds the list, for messages
   * @param node the node's index in the list of hosts
   * @return the count, or -1 if the list does not reach that far
   */
  static int tasksOn(String name, String list, int node) {
    int index = 0;
    for (String part : list.split(",", -1)) {
      int open = part.indexOf("(x");
      String count = open < 0 ? part : part.substring(0, open);
      int times = 1;
      if (open >= 0) {
        if (!part.endsWith(")")) {
          throw wrong(name, list);
        }
        times = number(name, list, part.substring(open + 2, part.length() - 1));
      }
      if (node < index + times) {
        return number(name, list, count);
      }
      index += times;
    }
    return -1;
  }

  /** Splits at the commas that are not within brackets. */
  private static List<String> split(String name, String list) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int from = 0;
    for (int i = 0; i <= list.length(); i++) {
      char c = i == list.length() ? ',' : list.charAt(i);
      if (c == '[') {
        depth++;
      } else if (c == ']') {
        depth--;
      } else if (c == ',' && (depth == 0 || i == list.length())) {
        parts.add(list.substring(from, i).strip());
        from = i + 1;
      }
    }
    if (depth != 0) {
      throw wrong(name, list);
    }
    return parts;
  }

  /** Expands the first bracket of a part and, by recursion, those behind it. */
  private static void expand(String name, String list, String part, List<String> into) {
    int open = part.indexOf('[');
    int close = part.indexOf(']');
    if (open < 0 && close < 0) {
      if (part.isEmpty() || into.size() >= MAX_NODES) {
        throw wrong(name, list);
      }
      into.add(part);
      return;
    }
    if (open < 0 || close < open) {
      throw wrong(name, list);
    }
    String before = part.substring(0, open);
    String after = part.substring(close + 1);
    for (String range : part.substring(open + 1, close).split(",", -1)) {
      int dash = range.indexOf('-');
      String first = dash < 0 ? range : range.substring(0, dash);
      String last = dash < 0 ? range : range.substring(dash + 1);
      int from = number(name, list, first);
      int to = number(name, list, last);
      if (to < from || to - from >= MAX_NODES) {
        throw wrong(name, list);
      }
      for (int i = from; i <= to; i++) {
        String digits = Integer.toString(i);
        String zeros = "0".repeat(Math.max(0, first.length() - digits.length()));
        expand(name, list, before + zeros + digits + after, into);
      }
    }
  }

  private static int number(String name, String list, String digits) {
    try {
      int number = Integer.parseInt(digits);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw wrong(name, list);
  }

  private static ConfigException wrong(String name, String list) {
    return new ConfigException(
        name + "=" + list + " is not a list of Slurm's, such as gpu[01-03,7],login or 2(x3),1");
  }
}
