package dev.tutti.conformance;

import dev.tutti.comm.ReduceOp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What came of a plan, over all ranks.
 *
 * @param plan what was run
 * @param backend the name of the backend that was chosen; empty if there was none
 * @param rows the cases' outcomes for each operation and type
 * @param scenarios the scenarios' outcomes
 * @param failures every failure as a text that says where and how to repeat it; empty if all is
 *     well
 * @param results how each case ended, over all ranks; the digests of exact values are the same on
 *     every backend
 * @param elapsed how long it took
 */
public record MatrixReport(
    Plan plan,
    String backend,
    List<Row> rows,
    List<ScenarioResult> scenarios,
    List<String> failures,
    List<CaseResult> results,
    Duration elapsed) {

  /**
   * The outcomes of one operation with one type.
   *
   * @param operation the operation's name
   * @param type the type's name, or {@code -} for an operation without elements
   * @param passed how many cases passed
   * @param refused how many the backend refused
   * @param failed how many failed
   * @param notRun how many were not tried, since the group had broken
   * @param reason why the first one was refused, or empty
   */
  public record Row(
      String operation,
      String type,
      int passed,
      int refused,
      int failed,
      int notRun,
      String reason) {}

  /** Copies the collections. */
  public MatrixReport {
    rows = List.copyOf(rows);
    scenarios = List.copyOf(scenarios);
    failures = List.copyOf(failures);
    results = List.copyOf(results);
  }

  /** Returns whether nothing failed and everything was tried. */
  public boolean passed() {
    return failures.isEmpty();
  }

  /** Returns how many cases passed. */
  public int casesPassed() {
    return rows.stream().mapToInt(Row::passed).sum();
  }

  /** Returns how many cases the backend refused. */
  public int casesRefused() {
    return rows.stream().mapToInt(Row::refused).sum();
  }

  /** Returns how many cases failed. */
  public int casesFailed() {
    return rows.stream().mapToInt(Row::failed).sum();
  }

  /** Returns how many cases were not tried. */
  public int casesNotRun() {
    return rows.stream().mapToInt(Row::notRun).sum();
  }

  /**
   * Returns the cases of exact values whose results differ from those of another backend.
   *
   * @param other the report of the same cases, of the same seed and number of ranks
   * @throws IllegalArgumentException if it is of other cases
   */
  public List<String> disagreements(MatrixReport other) {
    if (other.plan.ranks() != plan.ranks() || other.plan.seed() != plan.seed()) {
      throw new IllegalArgumentException(
          "%d ranks with seed %d and %d ranks with seed %d do not run the same cases"
              .formatted(plan.ranks(), plan.seed(), other.plan.ranks(), other.plan.seed()));
    }
    List<String> differences = new ArrayList<>();
    Map<Integer, Long> digests = digests();
    Map<Integer, Long> others = other.digests();
    for (Case spec : plan.cases().cases()) {
      Long here = digests.get(spec.index());
      Long there = others.get(spec.index());
      if (spec.values().isExact() && here != null && there != null && !here.equals(there)) {
        differences.add(
            "%s: digest %x on %s, %x on %s".formatted(spec, here, backend, there, other.backend));
      }
    }
    return differences;
  }

  /** Returns how many cases of exact values passed here and there, so that they can be compared. */
  public int comparable(MatrixReport other) {
    Map<Integer, Long> digests = digests();
    Map<Integer, Long> others = other.digests();
    return (int)
        plan.cases().cases().stream()
            .filter(spec -> spec.values().isExact())
            .filter(spec -> digests.containsKey(spec.index()))
            .filter(spec -> others.containsKey(spec.index()))
            .count();
  }

  /** Returns the digest of each case that passed, by its number. */
  private Map<Integer, Long> digests() {
    Map<Integer, Long> digests = new HashMap<>();
    for (CaseResult result : results) {
      if (result.outcome() == Outcome.PASSED) {
        digests.put(result.index(), result.digest());
      }
    }
    return digests;
  }

  /** Returns the report as one JSON object. */
  public String json() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("config", plan.config());
    object.put("backend", backend);
    object.put("ranks", plan.ranks());
    object.put("processes", plan.processes());
    object.put("seed", plan.seed());
    object.put("elapsedMillis", elapsed.toMillis());
    object.put("passed", passed());
    List<Object> matrix = new ArrayList<>();
    for (Row row : rows) {
      Map<String, Object> cells = new LinkedHashMap<>();
      cells.put("operation", row.operation());
      cells.put("type", row.type());
      cells.put("passed", row.passed());
      cells.put("refused", row.refused());
      cells.put("failed", row.failed());
      cells.put("notRun", row.notRun());
      cells.put("reason", row.reason());
      matrix.add(cells);
    }
    object.put("matrix", matrix);
    List<Object> cases = new ArrayList<>();
    Map<Integer, CaseResult> ends = new HashMap<>();
    results.forEach(result -> ends.put(result.index(), result));
    for (Case spec : plan.cases().cases()) {
      CaseResult end = ends.get(spec.index());
      if (end != null) {
        cases.add(json(spec, end));
      }
    }
    object.put("cases", cases);
    List<Object> acts = new ArrayList<>();
    for (ScenarioResult result : scenarios) {
      Map<String, Object> act = new LinkedHashMap<>();
      act.put("name", result.name());
      act.put("rules", result.rules());
      act.put("outcome", result.outcome().name());
      act.put("detail", result.detail());
      act.put("elapsedMillis", result.elapsed().toMillis());
      acts.add(act);
    }
    object.put("scenarios", acts);
    object.put("failures", failures);
    return Json.text(object);
  }

  private static Map<String, Object> json(Case spec, CaseResult end) {
    Map<String, Object> entry = new LinkedHashMap<>();
    ReduceOp op = spec.op();
    entry.put("case", spec.index());
    entry.put("operation", spec.operation().text());
    entry.put("type", spec.type().name());
    entry.put("op", op == null ? "" : op.toString());
    entry.put("count", spec.count());
    entry.put("root", spec.root());
    entry.put("inPlace", spec.inPlace());
    entry.put("memory", spec.memory().toString());
    entry.put("blocks", spec.blocks().name().toLowerCase(Locale.ROOT));
    entry.put("values", spec.values().toString());
    entry.put("variant", spec.variant());
    entry.put("flight", spec.flight());
    entry.put("outcome", end.outcome().name());
    entry.put("digest", Long.toHexString(end.digest()));
    entry.put("detail", end.detail());
    return entry;
  }
}
