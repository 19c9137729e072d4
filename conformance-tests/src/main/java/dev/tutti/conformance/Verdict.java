package dev.tutti.conformance;

import dev.tutti.conformance.MatrixReport.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
  private final Map<Integer, Long> digests = new TreeMap<>();
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
        verdict.failures.add("scenario " + scenario.name() + ": " + scenario.detail());
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
        plan, backend, rows, scenarios, verdict.failures, verdict.digests, elapsed);
  }

  private void judge(Case spec, int place) {
    List<CaseResult> results = new ArrayList<>();
    for (RankReport report : reports) {
      if (place < report.results().size()) {
        results.add(report.results().get(place));
      }
    }
    String type = spec.operation() == OperationKind.BARRIER ? "-" : spec.type().name();
    Tally tally =
        tallies.computeIfAbsent(List.of(spec.operation().text(), type), key -> new Tally());
    boolean incomplete = results.size() < plan.ranks() && !has(results, Outcome.FAILED);
    if (incomplete || all(results, Outcome.NOT_RUN)) {
      tally.notRun++;
    } else if (all(results, Outcome.REFUSED)) {
      tally.refused++;
      tally.reason = tally.reason.isEmpty() ? results.getFirst().detail() : tally.reason;
    } else if (all(results, Outcome.PASSED)) {
      String difference = difference(spec, results);
      if (difference == null) {
        tally.passed++;
        digests.put(spec.index(), combined(results));
      } else {
        tally.failed++;
        failures.add(difference + repeat(spec));
      }
    } else {
      tally.failed++;
      failures.add(failure(spec, results) + repeat(spec));
    }
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
    return ". Repeat it: tutti conformance --backends %s -n %d%s --seed %d --case %d"
        .formatted(
            plan.config(),
            plan.ranks(),
            plan.processes() ? " --processes" : "",
            plan.seed(),
            spec.index());
  }

  private static long combined(List<CaseResult> results) {
    long digest = Digest.EMPTY;
    for (CaseResult result : results) {
      digest = Digest.mix(digest, result.digest());
    }
    return digest;
  }
}
