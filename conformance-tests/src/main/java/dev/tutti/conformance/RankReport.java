package dev.tutti.conformance;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one rank saw of a case list or of a scenario.
 *
 * @param rank the rank
 * @param size the group's size
 * @param backend the name of the backend that was chosen
 * @param results how each case ended, in the order of the list
 * @param notes what a scenario wrote down, to be compared between ranks or backends
 * @param failure why the scenario failed here, or why the rank gave up; null if neither
 */
public record RankReport(
    int rank,
    int size,
    String backend,
    List<CaseResult> results,
    List<String> notes,
    @Nullable String failure) {
  private static final String FORMAT = "tutti-conformance 1";
  private static final String END = "end";

  /** Copies the lists. */
  public RankReport {
    results = List.copyOf(results);
    notes = List.copyOf(notes);
  }

  /** Returns this report with a failure, unless it tells of one that came before. */
  RankReport failedWith(String later) {
    return new RankReport(
        rank, size, backend, results, notes, failure == null || size == 0 ? later : failure);
  }

  /** Returns the report as lines of text, of which {@link #parse} makes it again. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(FORMAT);
    lines.add("rank\t" + rank + '\t' + size + '\t' + escaped(backend));
    for (CaseResult result : results) {
      lines.add(
          "case\t%d\t%s\t%s\t%s"
              .formatted(
                  result.index(),
                  result.outcome(),
                  Long.toHexString(result.digest()),
                  escaped(result.detail())));
    }
    notes.forEach(note -> lines.add("note\t" + escaped(note)));
    if (failure != null) {
      lines.add("failure\t" + escaped(failure));
    }
    lines.add(END);
    return lines;
  }

  /**
   * Returns the report that {@link #lines} wrote.
   *
   * @throws IllegalArgumentException if these are not its lines, or not all of them
   */
  static RankReport parse(List<String> lines) {
    if (lines.size() < 3 || !lines.getFirst().equals(FORMAT) || !lines.getLast().equals(END)) {
      throw new IllegalArgumentException(
          "%d lines are no whole report of a rank".formatted(lines.size()));
    }
    String[] head = lines.get(1).split("\t", -1);
    List<CaseResult> results = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    String failure = null;
    for (String line : lines.subList(2, lines.size() - 1)) {
      String[] parts = line.split("\t", -1);
      switch (parts[0]) {
        case "case" ->
            results.add(
                new CaseResult(
                    Integer.parseInt(parts[1]),
                    Outcome.valueOf(parts[2]),
                    Long.parseUnsignedLong(parts[3], 16),
                    plain(parts[4])));
        case "note" -> notes.add(plain(parts[1]));
        case "failure" -> failure = plain(parts[1]);
        default -> throw new IllegalArgumentException("no line of a rank's report: " + line);
      }
    }
    return new RankReport(
        Integer.parseInt(head[1]),
        Integer.parseInt(head[2]),
        plain(head[3]),
        results,
        notes,
        failure);
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "");
  }

  private static String plain(String text) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\') {
        i++;
        char escaped = text.charAt(i);
        c = escaped == 't' ? '\t' : escaped == 'n' ? '\n' : escaped;
      }
      plain.append(c);
    }
    return plain.toString();
  }
}
