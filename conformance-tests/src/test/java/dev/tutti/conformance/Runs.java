package dev.tutti.conformance;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The cases' reports, each made once, for several tests to look at. */
final class Runs {
  private static final Map<Plan, MatrixReport> REPORTS = new ConcurrentHashMap<>();

  private Runs() {}

  /** Returns the report of all cases with ranks that are threads. */
  static MatrixReport threads(String backend, int ranks) {
    return of(Plan.of(backend, ranks).scenarios(false));
  }

  /** Returns the report of all cases with ranks that are processes. */
  static MatrixReport processes(String backend, int ranks) {
    return of(Plan.of(backend, ranks).scenarios(false).processes(true));
  }

  private static MatrixReport of(Plan plan) {
    return REPORTS.computeIfAbsent(plan, p -> Conformance.run(p, Progress.SILENT));
  }
}
