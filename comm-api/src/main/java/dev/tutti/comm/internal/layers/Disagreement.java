package dev.tutti.comm.internal.layers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Whether the calls of all ranks fit together, and the words for how they do not. */
final class Disagreement {
  private static final String NEXT_STEP = "; all ranks must make the same calls in the same order";

  private Disagreement() {}

  /**
   * Returns what is wrong with the calls of all ranks, with each call and who made it; null if they
   * fit together.
   *
   * @param calls one a rank, in rank order
   */
  static @Nullable String of(List<Call> calls) {
    if (calls.stream().map(Call::agreed).distinct().count() > 1) {
      return "the ranks' calls differ: " + whoCalled(calls) + NEXT_STEP;
    }
    for (int from = 0; from < calls.size(); from++) {
      for (int to = 0; to < calls.get(from).out().size(); to++) {
        long sent = calls.get(from).out().count(to);
        long taken = calls.get(to).in().count(from);
        if (sent != taken) {
          return "the ranks' counts differ: rank %d has %d elements for rank %d, which takes %d from it: %s%s"
              .formatted(from, sent, to, taken, whoCalled(calls), NEXT_STEP);
        }
      }
    }
    return null;
  }

  /** Equal calls are told once, in the order of the first rank that made them. */
  private static String whoCalled(List<Call> calls) {
    Map<String, List<Integer>> callers = new LinkedHashMap<>();
    for (int rank = 0; rank < calls.size(); rank++) {
      callers.computeIfAbsent(calls.get(rank).text(), text -> new ArrayList<>()).add(rank);
    }
    return callers.entrySet().stream()
        .map(
            e ->
                "%s called %s%s"
                    .formatted(ranks(e.getValue()), numbers(calls, e.getValue()), e.getKey()))
        .collect(Collectors.joining("; "));
  }

  /** Numbers count sends and receives too, so that equal calls may differ in them. */
  private static String numbers(List<Call> calls, List<Integer> ranks) {
    String numbers =
        ranks.stream()
            .map(rank -> calls.get(rank).sequence())
            .filter(sequence -> sequence >= 0)
            .distinct()
            .map(sequence -> "#" + sequence)
            .collect(Collectors.joining("/"));
    return numbers.isEmpty() ? "" : numbers + " ";
  }

  /** Returns "rank 3", or "ranks 0-2, 5". */
  private static String ranks(List<Integer> ranks) {
    StringBuilder text = new StringBuilder(ranks.size() == 1 ? "rank " : "ranks ");
    for (int i = 0; i < ranks.size(); ) {
      int last = i;
      while (last + 1 < ranks.size() && ranks.get(last + 1) == ranks.get(last) + 1) {
        last++;
      }
      text.append(i == 0 ? "" : ", ").append(ranks.get(i));
      if (last > i) {
        text.append(last > i + 1 ? "-" : ", ").append(ranks.get(last));
      }
      i = last + 1;
    }
    return text.toString();
  }
}
