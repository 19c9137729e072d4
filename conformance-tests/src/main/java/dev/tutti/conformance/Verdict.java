package dev.tutti.conformance;

import dev.tutti.conformance.MatrixReport.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Puts the ranks' reports of one case list together. */
final class Verdict {
  private static final class Tally {
    int passed;
    int refused;
    int failed;
    int notRun;
    String reason = "";
  }

  private final Plan plan;
  private final List<RankReport> reports;
  private final Map<List<String>, Tally> tallies = new LinkedHashMap<>();
  private final List<CaseResult> results = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();

  private Verdict(Plan plan, List<RankReport> reports) {
    this.plan = plan;
    this.reports = reports;
  }

  /**
   * Returns what came of the cases.
   *
   * @param launched the ranks' reports and what went wrong around them
   */
  static MatrixReport of(
      Plan plan, Launched launched, List<ScenarioResult> scenarios, Duration elapsed) {
    Verdict verdict = new Verdict(plan, launched.reports());
    verdict.failures.addAll(launched.troubles());
    for (RankReport report : launched.reports()) {
      if (report.failure() != null) {
        verdict.failures.add("rank " + report.rank() + " gave up: " + report.failure());
      }
    }
    List<Case> cases = plan.cases().cases();
    for (int i = 0; i < cases.size(); i++) {
      verdict.judge(cases.get(i), i);
    }
    for (ScenarioResult scenario : scenarios) {
      if (scenario.outcome() == Outcome.FAILED) {
        verdict.failures.add(
            "scenario %s: %s. Repeat it: %s --scenario %s"
                .formatted(scenario.name(), scenario.detail(), command(plan), scenario.name()));
      }
    }
    List<Row> rows = new ArrayList<>();
    verdict.tallies.forEach(
        (key, t) ->
            rows.add(
                new Row(
                    key.get(0), key.get(1), t.passed, t.refused, t.failed, t.notRun, t.reason)));
    String backend = launched.reports().isEmpty() ? "" : launched.reports().getFirst().backend();
    return new MatrixReport(
        plan, backend, rows, scenarios, verdict.failures, verdict.results, elapsed);
  }

  private void judge(Case spec, int place) {
    List<CaseResult> ends = new ArrayList<>();
    for (RankReport report : reports) {
      if (place < report.results().size()) {
        ends.add(report.results().get(place));
      }
    }
    CaseResult end = end(spec, ends);
    results.add(end);
    String type = spec.operation() == OperationKind.BARRIER ? "-" : spec.type().name();
    Tally tally =
        tallies.computeIfAbsent(List.of(spec.operation().text(), type), key -> new Tally());
    switch (end.outcome()) {
      case PASSED -> tally.passed++;
      case NOT_RUN -> tally.notRun++;
      case REFUSED -> {
        tally.refused++;
        tally.reason = tally.reason.isEmpty() ? end.detail() : tally.reason;
      }
      case FAILED -> {
        tally.failed++;
        failures.add(end.detail());
      }
    }
  }

  /** Returns how a case ended over all ranks. */
  private CaseResult end(Case spec, List<CaseResult> ends) {
    boolean incomplete = ends.size() < plan.ranks() && !has(ends, Outcome.FAILED);
    if (incomplete || all(ends, Outcome.NOT_RUN)) {
      return new CaseResult(spec.index(), Outcome.NOT_RUN, Digest.EMPTY, "");
    }
    if (all(ends, Outcome.REFUSED)) {
      String reason = ends.getFirst().detail();
      return new CaseResult(spec.index(), Outcome.REFUSED, Digest.EMPTY, reason);
    }
    String wrong = all(ends, Outcome.PASSED) ? difference(spec, ends) : failure(spec, ends);
    return wrong == null
        ? new CaseResult(spec.index(), Outcome.PASSED, combined(ends), "")
        : new CaseResult(spec.index(), Outcome.FAILED, Digest.EMPTY, wrong + repeat(spec));
  }

  private static boolean has(List<CaseResult> results, Outcome outcome) {
    return results.stream().anyMatch(result -> result.outcome() == outcome);
  }

  private static boolean all(List<CaseResult> results, Outcome outcome) {
    return !results.isEmpty() && results.stream().allMatch(result -> result.outcome() == outcome);
  }

  private static String failure(Case spec, List<CaseResult> results) {
    List<String> details =
        results.stream()
            .filter(result -> result.outcome() == Outcome.FAILED)
            .map(CaseResult::detail)
            .toList();
    if (details.isEmpty()) {
      return spec
          + ": ended differently on the ranks: "
          + results.stream().map(CaseResult::outcome).toList();
    }
    return details.size() == 1
        ? details.getFirst()
        : details.getFirst() + " (and it failed on " + (details.size() - 1) + " other ranks)";
  }

  /** Ranks may round as they like, but all alike. */
  private @Nullable String difference(Case spec, List<CaseResult> results) {
    if (spec.operation() != OperationKind.ALL_REDUCE) {
      return null;
    }
    long first = results.getFirst().digest();
    for (int rank = 1; rank < results.size(); rank++) {
      if (results.get(rank).digest() != first) {
        return "%s; seed %d: rank %d holds other bits than rank 0"
            .formatted(spec, plan.seed(), rank);
      }
    }
    return null;
  }

  private String repeat(Case spec) {
    return ". Repeat it: %s -n %d --seed %d --case %d"
        .formatted(command(plan), plan.ranks(), plan.seed(), spec.index());
  }

  private static String command(Plan plan) {
    return "tutti conformance --backends %s%s"
        .formatted(quoted(plan.config()), plan.processes() ? " --processes" : "");
  }

  /** A shell would read more than a word in a config's options. */
  private static String quoted(String config) {
    return config.matches("[\\w:]+") ? config : "'" + config + "'";
  }

  private static long combined(List<CaseResult> results) {
    long digest = Digest.EMPTY;
    for (CaseResult result : results) {
      digest = Digest.mix(digest, result.digest());
    }
    return digest;
  }
}
