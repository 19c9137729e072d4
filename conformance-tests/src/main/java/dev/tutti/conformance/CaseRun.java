package dev.tutti.conformance;

import dev.tutti.comm.CommException;
import dev.tutti.comm.ProcessGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One rank's way through a case list: a case that fails does not stop it, a broken group does. */
final class CaseRun {
  /** The last net: a group has its own timeout, unless its backend is what hangs. */
  private static final Duration CASE_LIMIT = Duration.ofSeconds(60);

  private final ProcessGroup group;
  private final CaseList cases;
  private final List<CaseResult> results = new ArrayList<>();
  private @Nullable String broken;

  private CaseRun(ProcessGroup group, CaseList cases) {
    this.group = group;
    this.cases = cases;
  }

  static RankReport of(ProcessGroup group, CaseList cases, Progress progress) {
    if (group.size() != cases.size()) {
      throw new IllegalArgumentException(
          "the case list is for groups of %d, not of %d ranks"
              .formatted(cases.size(), group.size()));
    }
    CaseRun run = new CaseRun(group, cases);
    int done = 0;
    for (Case spec : cases.cases()) {
      progress.at(done++, cases.cases().size(), spec.operation().text());
      run.results.add(
          run.broken == null
              ? run.attempt(spec)
              : new CaseResult(spec.index(), Outcome.NOT_RUN, Digest.EMPTY, ""));
    }
    return new RankReport(
        group.rank(), group.size(), group.backend(), run.results, List.of(), run.broken);
  }

  private CaseResult attempt(Case spec) {
    Trial trial = new Trial(spec, group, cases.seed());
    try {
      trial.issue();
      if (!trial.join(CASE_LIMIT)) {
        broken = "a case did not end within " + CASE_LIMIT.toSeconds() + " s";
        group.abort();
        return failed(spec, "did not complete within " + CASE_LIMIT.toSeconds() + " s");
      }
    } catch (UnsupportedOperationException e) {
      return new CaseResult(
          spec.index(), Outcome.REFUSED, Digest.EMPTY, String.valueOf(e.getMessage()));
    } catch (CommException e) {
      broken = "the group broke in case " + spec.index() + ": " + e.getMessage();
      return failed(spec, "failed: " + e);
    } catch (IllegalArgumentException | IllegalStateException e) {
      return failed(spec, "was not accepted: " + e);
    }
    String wrong = trial.verify();
    return wrong == null
        ? new CaseResult(spec.index(), Outcome.PASSED, trial.digest(), "")
        : failed(spec, wrong);
  }

  private CaseResult failed(Case spec, String why) {
    String text =
        "%s; on rank %d/%d of backend %s, seed %d: %s"
            .formatted(spec, group.rank(), group.size(), group.backend(), cases.seed(), why);
    return new CaseResult(spec.index(), Outcome.FAILED, Digest.EMPTY, text);
  }
}
