package dev.tutti.conformance;

import dev.tutti.comm.CommConfig;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.internal.Backends;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The suite's front door: runs cases and scenarios on a backend, and says what came of them.
 *
 * {@snippet :
 * MatrixReport report = Conformance.run(Plan.of("tcp", 4).processes(true), Progress.SILENT);
 * report.failures().forEach(System.out::println);
 * }
 */
public final class Conformance {
  /** How long one scenario may take before its ranks are stopped. */
  private static final Duration SCENARIO_LIMIT = Duration.ofSeconds(90);

  private Conformance() {}

  /**
   * Starts the ranks of a plan, runs it and stops them.
   *
   * @param plan what to run
   * @param progress told how far it has come
   */
  public static MatrixReport run(Plan plan, Progress progress) {
    long start = System.nanoTime();
    RankLauncher launcher = plan.processes() ? new ProcessLauncher() : new ThreadLauncher();
    List<Scenario> acts = plan.acts();
    int cases = plan.cases().cases().size();
    int total = cases + acts.size();
    Launched launched =
        cases == 0
            ? new Launched(List.of(), List.of())
            : launcher.launch(
                ConfigKeys.withDefault(plan.config(), "timeout", "20s"),
                plan.ranks(),
                new Assignment.Cases(plan.seed(), plan.isRanked(), plan.only(), plan.operations()),
                plan.limit(),
                (done, ofCases, current) -> progress.at(done, total, current));
    List<ScenarioResult> played = new ArrayList<>();
    for (Scenario act : acts) {
      progress.at(cases + played.size(), total, act.name());
      played.add(play(plan, act));
    }
    progress.at(total, total, "");
    return Verdict.of(plan, launched, played, Duration.ofNanos(System.nanoTime() - start));
  }

  /**
   * Runs a case list on one rank of a group that exists; all ranks call with the same list. How a
   * test holds a group of its own making to the contract.
   *
   * @param group the group; of the size that the list is for
   * @param cases what to run
   * @param progress told how far this rank has come
   * @throws IllegalArgumentException if the list is for another size
   */
  public static RankReport run(ProcessGroup group, CaseList cases, Progress progress) {
    return CaseRun.of(group, cases, progress);
  }

  /**
   * Plays one scenario, with as many ranks as it needs.
   *
   * @param plan the config, whether ranks are processes, and what is left out
   * @param scenario what to play
   */
  public static ScenarioResult play(Plan plan, Scenario scenario) {
    String reason = plan.leftOut().get(scenario.name());
    if (reason == null && scenario.needsProcesses() && !plan.processes()) {
      reason = "needs ranks that are processes";
    }
    if (reason != null) {
      return new ScenarioResult(
          scenario.name(), scenario.rules(), Outcome.NOT_RUN, reason, List.of(), Duration.ZERO);
    }
    long start = System.nanoTime();
    RankLauncher launcher = plan.processes() ? new ProcessLauncher() : new ThreadLauncher();
    Launched launched =
        launcher.launch(
            scenario.config(plan.config()),
            scenario.ranks(),
            new Assignment.Play(scenario, plan.processes(), Leftovers.now()),
            SCENARIO_LIMIT,
            Progress.SILENT);
    return judged(scenario, launched, Duration.ofNanos(System.nanoTime() - start));
  }

  private static ScenarioResult judged(Scenario scenario, Launched launched, Duration elapsed) {
    List<String> wrong = new ArrayList<>();
    List<String> notes = List.of();
    for (RankReport report : launched.reports()) {
      if (report.failure() != null) {
        wrong.add("rank %d/%d: %s".formatted(report.rank(), report.size(), report.failure()));
      }
      if (report.rank() == 0) {
        notes = report.notes();
      }
    }
    wrong.addAll(launched.troubles());
    int expected = scenario.ranks() - (scenario.needsProcesses() ? 1 : 0);
    if (wrong.isEmpty() && launched.reports().size() != expected) {
      wrong.add(
          "%d ranks came to the end instead of %d".formatted(launched.reports().size(), expected));
    }
    return new ScenarioResult(
        scenario.name(),
        scenario.rules(),
        wrong.isEmpty() ? Outcome.PASSED : Outcome.FAILED,
        String.join("; ", wrong),
        notes,
        elapsed);
  }

  /**
   * Returns whether this process has the backends that a config names.
   *
   * @param config the config string
   * @throws dev.tutti.comm.ConfigException if it cannot be read
   */
  public static Availability availability(String config) {
    Backends backends = Backends.load();
    for (CommConfig.Entry entry : CommConfig.parse(config).entries()) {
      if (entry.backend().equals(CommConfig.AUTO)) {
        continue;
      }
      BackendProvider provider = backends.provider(entry.backend());
      if (provider == null) {
        return Availability.no(
            "no backend \"%s\" is on the class path or module path".formatted(entry.backend()),
            "add its jar; there are "
                + backends.providers().stream().map(BackendProvider::name).toList());
      }
      Availability answer =
          backends
              .startable()
              .getOrDefault(provider.name(), Availability.no("it does not answer", null));
      if (!answer.isAvailable()) {
        return answer;
      }
    }
    return Availability.yes();
  }
}
