package dev.tutti.tcp.schedule;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.config.Nearest;
import dev.tutti.comm.internal.config.Quoted;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The algorithms that the user wants instead of the choice table's; the same on all ranks.
 *
 * @param algorithms the algorithm of each operation that the user named
 */
public record Overrides(Map<OperationKind, Algorithm> algorithms) {
  /** Nothing but the choice table. */
  public static final Overrides NONE = new Overrides(Map.of());

  /** Copies the map. */
  public Overrides {
    algorithms = Map.copyOf(algorithms);
  }

  /**
   * Reads items such as {@code allReduce:ring}, in upper or lower case. The uneven form of an
   * operation goes by the name of the even one.
   *
   * @param items the items of the key {@code algo}
   * @throws ConfigException if an item names no operation, an algorithm that does not do it, or an
   *     operation that an earlier item named
   */
  public static Overrides parse(List<String> items) {
    String origin = "algo=" + String.join("+", items) + ": ";
    Map<OperationKind, Algorithm> algorithms = new EnumMap<>(OperationKind.class);
    for (String item : items) {
      String[] parts = item.split(":", -1);
      if (parts.length != 2) {
        throw new ConfigException(
            origin
                + Quoted.quote(item)
                + " is not an operation and its algorithm; write them as in allReduce:ring, and + between two of them");
      }
      OperationKind operation = operation(parts[0], origin);
      if (algorithms.put(operation, algorithm(operation, parts[1], origin)) != null) {
        throw new ConfigException(
            origin + operation.label() + " is given twice; give it one algorithm");
      }
    }
    return new Overrides(algorithms);
  }

  private static OperationKind operation(String name, String origin) {
    List<OperationKind> known =
        Arrays.stream(OperationKind.values()).filter(kind -> !choices(kind).isEmpty()).toList();
    for (OperationKind kind : known) {
      if (kind.label().equalsIgnoreCase(name)) {
        return kind;
      }
    }
    throw new ConfigException(
        origin
            + "unknown operation "
            + Quoted.quote(name)
            + ". "
            + Nearest.hint(name, known.stream().map(OperationKind::label).toList()));
  }

  private static Algorithm algorithm(OperationKind operation, String name, String origin) {
    for (Algorithm algorithm : choices(operation)) {
      if (algorithm.label().equalsIgnoreCase(name)) {
        return algorithm;
      }
    }
    boolean exists =
        Arrays.stream(Algorithm.values())
            .anyMatch(algorithm -> algorithm.label().equalsIgnoreCase(name));
    String what =
        exists
            ? name + " does not do " + operation.label()
            : "unknown algorithm " + Quoted.quote(name) + " for " + operation.label();
    throw new ConfigException(
        origin
            + what
            + ". "
            + Nearest.hint(name, choices(operation).stream().map(Algorithm::label).toList()));
  }

  /**
   * Returns the algorithms that can be named for an operation. A batch is its own algorithm, and a
   * group of one needs none: nothing can be chosen there.
   */
  public static List<Algorithm> choices(OperationKind operation) {
    return Planner.algorithms(operation).stream()
        .filter(each -> each != Algorithm.SINGLE_RANK && each != Algorithm.POINT_TO_POINT)
        .toList();
  }
}
