package dev.tutti.conformance;

import dev.tutti.comm.ProcessGroup;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A play for a few ranks that holds a backend to rules which no single call shows: order,
 * independence, misuse, failure, the end. Each is a method of one of the classes named here.
 */
public final class Scenario {
  private static final List<Class<?>> HOMES =
      List.of(
          OrderScenarios.class,
          GroupScenarios.class,
          ManyGroupsScenarios.class,
          MemoryScenarios.class,
          MisuseScenarios.class,
          OverlapScenarios.class,
          WaitingScenarios.class,
          EveryWaitScenarios.class,
          FailureScenarios.class,
          MismatchScenarios.class,
          DetailScenarios.class,
          EndingScenarios.class,
          SetUpScenarios.class);

  private static final List<Scenario> ALL = find();

  private final Method method;
  private final Needs needs;
  private final List<String> rules;

  private Scenario(Method method, Needs needs) {
    this.method = method;
    this.needs = needs;
    Rule rule = method.getAnnotation(Rule.class);
    this.rules = rule == null ? List.of() : List.of(rule.value());
  }

  /** Returns every scenario, in the order in which they are played. */
  public static List<Scenario> all() {
    return ALL;
  }

  /**
   * Returns a scenario.
   *
   * @param name its name
   * @throws IllegalArgumentException if there is none
   */
  public static Scenario named(String name) {
    return ALL.stream()
        .filter(scenario -> scenario.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no scenario \"%s\"; there are %s"
                        .formatted(name, ALL.stream().map(Scenario::name).toList())));
  }

  private static List<Scenario> find() {
    List<Scenario> found = new ArrayList<>();
    for (Class<?> home : HOMES) {
      List<Scenario> here = new ArrayList<>();
      for (Method method : home.getDeclaredMethods()) {
        Needs needs = method.getAnnotation(Needs.class);
        if (needs != null) {
          here.add(new Scenario(method, needs));
        }
      }
      here.sort(Comparator.comparing(Scenario::name));
      found.addAll(here);
    }
    return List.copyOf(found);
  }

  /** Returns the name, which says what is played. */
  public String name() {
    return method.getName();
  }

  /** Returns the rules of docs/CONTRACT.md that it holds a backend to. */
  public List<String> rules() {
    return rules;
  }

  /** Returns how many ranks take part. */
  public int ranks() {
    return needs.ranks();
  }

  /** Returns whether each rank must be a process of its own, since one of them dies. */
  public boolean needsProcesses() {
    return needs.victim() >= 0;
  }

  /** Returns the rank that dies in the course of the play, or -1. */
  int victim() {
    return needs.victim();
  }

  /** Returns a config string with the group keys that the scenario needs. */
  String config(String base) {
    String config = ConfigKeys.with(base, "timeout", needs.timeout());
    config =
        needs.scratch().isEmpty() ? config : ConfigKeys.with(config, "scratch", needs.scratch());
    return needs.debug().isEmpty() ? config : ConfigKeys.with(config, "debug", needs.debug());
  }

  /**
   * Plays one rank's part.
   *
   * @param group the group of all ranks
   * @param ownProcess whether this rank has a process of its own
   * @param before what the process held before the group was made
   */
  RankReport play(ProcessGroup group, boolean ownProcess, Leftovers before) {
    Stage stage = new Stage(group, ownProcess, before);
    String failure = null;
    try {
      method.invoke(null, stage);
    } catch (InvocationTargetException e) {
      failure = text(e.getCause());
      // The others would wait for this rank.
      group.abort();
    } catch (ReflectiveOperationException e) {
      failure = text(e);
    }
    return new RankReport(
        group.rank(), group.size(), group.backend(), List.of(), stage.notes(), failure);
  }

  private String text(@Nullable Throwable cause) {
    Throwable thrown = Objects.requireNonNull(cause);
    StringBuilder text = new StringBuilder();
    text.append(
        thrown instanceof AssertionError ? String.valueOf(thrown.getMessage()) : thrown.toString());
    String home = method.getDeclaringClass().getName();
    for (StackTraceElement frame : thrown.getStackTrace()) {
      if (frame.getClassName().startsWith(home)) {
        text.append(" (").append(frame).append(')');
        break;
      }
    }
    return text.toString();
  }

  @Override
  public String toString() {
    return name();
  }
}
