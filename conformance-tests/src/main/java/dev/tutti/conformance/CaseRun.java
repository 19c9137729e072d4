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
    List<Case> all = cases.cases();
    for (int from = 0; from < all.size(); ) {
      int to = from + 1;
      while (to < all.size() && all.get(to).flight() == all.get(from).flight()) {
        to++;
      }
      progress.at(from, all.size(), all.get(from).operation().text());
      run.fly(all.subList(from, to));
      from = to;
    }
    return new RankReport(
        group.rank(), group.size(), group.backend(), run.results, List.of(), run.broken);
  }

  /** Issues all, waits for them from the last one on, and looks at each. */
  private void fly(List<Case> flight) {
    List<Trial> trials = new ArrayList<>();
    List<@Nullable CaseResult> refusals = new ArrayList<>();
    for (Case spec : flight) {
      Trial trial = new Trial(spec, group, cases.seed());
      trials.add(trial);
      refusals.add(broken == null ? issue(spec, trial) : notRun(spec));
    }
    for (int i = flight.size() - 1; i > 0; i--) {
      if (refusals.get(i) == null) {
        trials.get(i).await(CASE_LIMIT);
      }
    }
    for (int i = 0; i < flight.size(); i++) {
      CaseResult refusal = refusals.get(i);
      results.add(refusal == null ? end(flight.get(i), trials.get(i)) : refusal);
    }
  }

  /** Returns how the case ended, if it did not come under way. */
  private @Nullable CaseResult issue(Case spec, Trial trial) {
    try {
      trial.issue();
      return null;
    } catch (UnsupportedOperationException e) {
      return new CaseResult(
          spec.index(), Outcome.REFUSED, Digest.EMPTY, String.valueOf(e.getMessage()));
    } catch (CommException e) {
      return broken(spec, e);
    } catch (IllegalArgumentException | IllegalStateException e) {
      return failed(spec, "was not accepted: " + e);
    }
  }

  private CaseResult end(Case spec, Trial trial) {
    if (broken != null && !trial.isDone()) {
      return notRun(spec);
    }
    try {
      if (!trial.join(CASE_LIMIT)) {
        broken = "a case did not end within " + CASE_LIMIT.toSeconds() + " s";
        group.abort();
        return failed(spec, "did not complete within " + CASE_LIMIT.toSeconds() + " s");
      }
    } catch (CommException e) {
      return broken == null ? broken(spec, e) : notRun(spec);
    }
    String wrong = trial.verify();
    return wrong == null
        ? new CaseResult(spec.index(), Outcome.PASSED, trial.digest(), "")
        : failed(spec, wrong);
  }

  private CaseResult broken(Case spec, CommException cause) {
    broken = "the group broke in case " + spec.index() + ": " + cause.getMessage();
    return failed(spec, "failed: " + cause);
  }

  private static CaseResult notRun(Case spec) {
    return new CaseResult(spec.index(), Outcome.NOT_RUN, Digest.EMPTY, "");
  }

  private CaseResult failed(Case spec, String why) {
    String text =
        "%s; on rank %d/%d of backend %s, seed %d: %s"
            .formatted(spec, group.rank(), group.size(), group.backend(), cases.seed(), why);
    return new CaseResult(spec.index(), Outcome.FAILED, Digest.EMPTY, text);
  }
}
