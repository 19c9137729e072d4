package dev.tutti.cli;

import dev.tutti.comm.DataType;
import dev.tutti.conformance.MatrixReport;
import dev.tutti.conformance.MatrixReport.Row;
import dev.tutti.conformance.Outcome;
import dev.tutti.conformance.ScenarioResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/** Shows the suite's reports to people. */
final class ConformanceText {
  private static final int NAME_WIDTH = 16;
  private static final int CELL_WIDTH = 10;
  private static final String NO_TYPE = "-";

  private ConformanceText() {}

  /**
   * Returns one backend's matrix, its scenarios and its failures.
   *
   * @param most how many failures are shown
   */
  static String matrix(MatrixReport report, int most) {
    StringBuilder text = new StringBuilder();
    text.append(
        "# %s, %d ranks (%s), seed %d: cases passed, by operation and type\n"
            .formatted(
                report.plan().config(),
                report.plan().ranks(),
                report.plan().processes() ? "processes" : "threads",
                report.plan().seed()));
    text.append(padded("operation", NAME_WIDTH));
    for (DataType type : DataType.values()) {
      text.append(right(type.name().toLowerCase(Locale.ROOT)));
    }
    text.append('\n');
    TreeSet<String> reasons = new TreeSet<>();
    rows(report).forEach((operation, cells) -> text.append(line(operation, cells)));
    for (Row row : report.rows()) {
      if (row.refused() > 0) {
        reasons.add(row.operation() + " " + row.type() + ": " + row.reason());
      }
    }
    reasons.forEach(reason -> text.append("# refused: ").append(reason).append('\n'));
    report.scenarios().forEach(scenario -> text.append(line(scenario)));
    List<String> failures = report.failures();
    failures.stream().limit(most).forEach(f -> text.append("FAIL ").append(f).append('\n'));
    if (failures.size() > most) {
      text.append("FAIL and ").append(failures.size() - most).append(" more; -v shows all\n");
    }
    text.append(
        String.format(
            Locale.ROOT,
            "# %s: %s; %d cases passed, %d refused, %d failed, %d not run; %d of %d scenarios passed; %.1f s\n\n",
            report.plan().config(),
            report.passed() ? "passed" : "FAILED",
            report.casesPassed(),
            report.casesRefused(),
            report.casesFailed(),
            report.casesNotRun(),
            report.scenarios().stream().filter(s -> s.outcome() == Outcome.PASSED).count(),
            report.scenarios().size(),
            report.elapsed().toMillis() / 1000.0));
    return text.toString();
  }

  private static Map<String, Map<String, Row>> rows(MatrixReport report) {
    Map<String, Map<String, Row>> rows = new LinkedHashMap<>();
    for (Row row : report.rows()) {
      rows.computeIfAbsent(row.operation(), key -> new LinkedHashMap<>()).put(row.type(), row);
    }
    return rows;
  }

  private static String line(String operation, Map<String, Row> cells) {
    StringBuilder line = new StringBuilder(padded(operation, NAME_WIDTH));
    Row untyped = cells.get(NO_TYPE);
    if (untyped != null) {
      return line.append(right(cell(untyped))).append('\n').toString();
    }
    for (DataType type : DataType.values()) {
      Row row = cells.get(type.name());
      line.append(right(row == null ? "" : cell(row)));
    }
    return line.toString().stripTrailing() + "\n";
  }

  private static String cell(Row row) {
    if (row.failed() > 0) {
      return row.failed() + " FAIL";
    }
    if (row.notRun() > 0) {
      return row.notRun() + " not run";
    }
    if (row.refused() > 0) {
      return row.passed() == 0 ? "refused" : row.passed() + "+" + row.refused() + "r";
    }
    return Integer.toString(row.passed());
  }

  private static String line(ScenarioResult scenario) {
    String outcome =
        switch (scenario.outcome()) {
          case PASSED -> "passed";
          case FAILED -> "FAIL";
          default -> "not run";
        };
    return "scenario %-40s %-8s %s"
            .formatted(scenario.name(), outcome, scenario.detail())
            .stripTrailing()
        + "\n";
  }

  /** Returns whether the backends' exact results are the same bits; empty for one backend. */
  static String agreement(List<MatrixReport> reports) {
    StringBuilder text = new StringBuilder();
    for (int i = 1; i < reports.size(); i++) {
      MatrixReport first = reports.getFirst();
      MatrixReport other = reports.get(i);
      int differ = first.disagreements(other).size();
      text.append(
          "# %s and %s hold the same bits in %d of %d exact cases\n"
              .formatted(
                  first.plan().config(),
                  other.plan().config(),
                  first.comparable(other) - differ,
                  first.comparable(other)));
    }
    disagreements(reports).forEach(line -> text.append("FAIL ").append(line).append('\n'));
    return text.toString();
  }

  /** Returns each exact case in which a backend's bits are not the first one's. */
  static List<String> disagreements(List<MatrixReport> reports) {
    List<String> all = new ArrayList<>();
    for (int i = 1; i < reports.size(); i++) {
      all.addAll(reports.getFirst().disagreements(reports.get(i)));
    }
    return all;
  }

  private static String padded(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }

  private static String right(String text) {
    return " ".repeat(Math.max(1, CELL_WIDTH - text.length())) + text;
  }
}
