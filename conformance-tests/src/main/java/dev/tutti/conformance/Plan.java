package dev.tutti.conformance;

import dev.tutti.comm.CommConfig;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What to run, on what. Immutable; the methods that are named after a setting return a changed
 * copy.
 *
 * @param config the config string, such as {@code tcp?iface=lo}
 * @param ranks how many ranks
 * @param processes whether each rank is a process of its own, instead of a thread of this one
 * @param seed of the cases' values
 * @param only the one case to run, instead of all
 * @param operations the operations whose cases are run, by name; empty for all
 * @param scenarios whether the scenarios are run too, after the cases
 * @param act the name of the one scenario to run, without any cases, instead of all
 * @param leftOut the scenarios that are left out, each with the reason
 * @param limit how long the cases may take, before all ranks are stopped
 */
public record Plan(
    String config,
    int ranks,
    boolean processes,
    long seed,
    OptionalInt only,
    Set<String> operations,
    boolean scenarios,
    Optional<String> act,
    Map<String, String> leftOut,
    Duration limit) {
  /**
   * Copies the map.
   *
   * @throws IllegalArgumentException if there is no rank
   */
  public Plan {
    if (ranks < 1) {
      throw new IllegalArgumentException("ranks is " + ranks + "; at least one is needed");
    }
    operations = Set.copyOf(operations);
    leftOut = Map.copyOf(leftOut);
  }

  /**
   * Returns the plan of the whole suite, with ranks that are threads of this process.
   *
   * @param config the config string
   * @param ranks how many ranks
   */
  public static Plan of(String config, int ranks) {
    return new Plan(
        config,
        ranks,
        false,
        1,
        OptionalInt.empty(),
        Set.of(),
        true,
        Optional.empty(),
        Map.of(),
        Duration.ofMinutes(10));
  }

  /** Returns this plan with ranks that are processes, or threads. */
  public Plan processes(boolean own) {
    return new Plan(config, ranks, own, seed, only, operations, scenarios, act, leftOut, limit);
  }

  /** Returns this plan with another seed. */
  public Plan seed(long other) {
    return new Plan(
        config, ranks, processes, other, only, operations, scenarios, act, leftOut, limit);
  }

  /**
   * Returns this plan with one case alone, and no scenarios: to look into a failure.
   *
   * @param index the case's number
   */
  public Plan only(int index) {
    return new Plan(
        config,
        ranks,
        processes,
        seed,
        OptionalInt.of(index),
        operations,
        false,
        act,
        leftOut,
        limit);
  }

  /**
   * Returns this plan with the cases of some operations, which keep their numbers.
   *
   * @param names the operations' names, such as {@code allReduce}
   * @throws IllegalArgumentException if there is no such operation
   */
  public Plan operations(Set<String> names) {
    List<String> known = Stream.of(OperationKind.values()).map(OperationKind::text).toList();
    for (String name : names) {
      if (!known.contains(name)) {
        throw new IllegalArgumentException(
            "no operation \"%s\"; there are %s".formatted(name, known));
      }
    }
    return new Plan(config, ranks, processes, seed, only, names, scenarios, act, leftOut, limit);
  }

  /** Returns this plan with or without the scenarios. */
  public Plan scenarios(boolean wanted) {
    return new Plan(config, ranks, processes, seed, only, operations, wanted, act, leftOut, limit);
  }

  /**
   * Returns this plan with one scenario alone, and no cases: to look into a failure.
   *
   * @param name the scenario's name
   * @throws IllegalArgumentException if there is none
   */
  public Plan scenario(String name) {
    return new Plan(
        config,
        ranks,
        processes,
        seed,
        only,
        operations,
        true,
        Optional.of(Scenario.named(name).name()),
        leftOut,
        limit);
  }

  /**
   * Returns this plan without a scenario.
   *
   * @param scenario its name
   * @param reason why, for the report
   */
  public Plan leaveOut(String scenario, String reason) {
    Map<String, String> more = new LinkedHashMap<>(leftOut);
    more.put(scenario, reason);
    return new Plan(config, ranks, processes, seed, only, operations, scenarios, act, more, limit);
  }

  /** Returns this plan with another limit. */
  public Plan limit(Duration other) {
    return new Plan(
        config, ranks, processes, seed, only, operations, scenarios, act, leftOut, other);
  }

  /**
   * Returns whether the config asks for reductions in rank order: these have cases of their own.
   */
  public boolean isRanked() {
    return CommConfig.parse(config).order() == CommConfig.Order.RANKED;
  }

  /** Returns the case list that all ranks run. */
  public CaseList cases() {
    CaseList all = isRanked() ? CaseList.ranked(seed, ranks) : CaseList.of(seed, ranks);
    return act.isEmpty() ? all.chosen(only, operations) : all.filtered(none -> false);
  }

  /** Returns the scenarios that are played, or left out with a reason. */
  List<Scenario> acts() {
    return act.isPresent()
        ? List.of(Scenario.named(act.get()))
        : scenarios ? Scenario.all() : List.of();
  }
}
