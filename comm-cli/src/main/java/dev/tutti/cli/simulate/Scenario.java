package dev.tutti.cli.simulate;

import dev.tutti.cli.bench.BenchOperation;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.internal.config.Nearest;
import dev.tutti.comm.internal.config.Quoted;
import dev.tutti.tcp.schedule.Algorithm;
import dev.tutti.tcp.schedule.Limits;
import dev.tutti.tcp.schedule.OperationKind;
import dev.tutti.tcp.schedule.Schedules;
import dev.tutti.tcp.simulate.Price;
import dev.tutti.tcp.simulate.Pricing;
import dev.tutti.tcp.simulate.Workload;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One operation with one size, on so many ranks.
 *
 * @param operation the operation
 * @param ranks how many ranks
 * @param asked the size that was asked for, of the larger buffer
 */
public record Scenario(OperationKind operation, int ranks, long asked) {
  /** Of a group of {@code tcp} as it is by default: half of its scratch is the schedules'. */
  static final Limits LIMITS =
      new Limits(
          Limits.DEFAULT.chunkBytes(),
          Limits.DEFAULT.scratchBytes() / 2,
          Limits.DEFAULT.smallBytes());

  /**
   * What there is to say of a scenario.
   *
   * @param scenario the scenario
   * @param algorithm the algorithm that is priced: the choice table's, or the one asked for
   * @param prices the price of each algorithm that can do it, in the order in which they are listed
   */
  record Row(Scenario scenario, Algorithm algorithm, Map<Algorithm, Price> prices) {
    /** Returns the price of the algorithm. */
    Price price() {
      return price(algorithm);
    }

    Price price(Algorithm each) {
      Price price = prices.get(each);
      if (price == null) {
        throw new IllegalArgumentException("not priced: " + each.label());
      }
      return price;
    }

    /** Returns the cheapest algorithm, the priced one if it is as cheap as any. */
    Algorithm best() {
      Algorithm best = algorithm;
      for (Algorithm each : prices.keySet()) {
        if (price(each).time().compareTo(price(best).time()) < 0) {
          best = each;
        }
      }
      return best;
    }

    /** Returns size / time in GB/s; 0 where nothing is moved. */
    double algorithmBandwidth() {
      long nanos = price().time().toNanos();
      return nanos == 0 ? 0 : (double) scenario.bytes() / nanos;
    }

    /** Returns algbw times the factor of nccl-tests. */
    double busBandwidth() {
      return algorithmBandwidth() * scenario.measured().busFactor(scenario.ranks());
    }
  }

  /** Returns the size of the larger buffer: blocks are equal, and a barrier has none. */
  long bytes() {
    long count = measured().count(asked, DataType.FLOAT32, ranks);
    return measured().bytes(count, DataType.FLOAT32, ranks);
  }

  /** Returns what is priced. */
  Workload workload() {
    return new Workload(operation, ranks, bytes(), LIMITS);
  }

  /** Returns the operation as {@code tutti bench} measures it. */
  BenchOperation measured() {
    return Arrays.stream(BenchOperation.values())
        .filter(each -> each.label().equals(operation.label()))
        .findFirst()
        .orElseThrow();
  }

  /** Prices a scenario by every algorithm that can do it. */
  Row price(Pricing pricing, @Nullable Algorithm wanted) {
    Map<Algorithm, Price> prices = new LinkedHashMap<>();
    for (Algorithm each : algorithms()) {
      prices.put(each, pricing.price(workload(), each));
    }
    return wanted != null && prices.containsKey(wanted)
        ? new Row(this, wanted, prices)
        : new Row(this, Pricing.chosen(workload()), prices);
  }

  /** Returns the algorithms that can do this. */
  List<Algorithm> algorithms() {
    return Schedules.algorithms(workload().request(0));
  }

  /**
   * Reads operations.
   *
   * @param text names separated by commas
   * @throws ConfigException if there is no such operation, or it has no algorithms
   */
  public static List<OperationKind> operations(String text) {
    List<OperationKind> found = new ArrayList<>();
    for (String item : text.split(",", -1)) {
      found.add(operation(item.strip()));
    }
    return found;
  }

  private static OperationKind operation(String name) {
    List<String> known = new ArrayList<>();
    for (OperationKind kind : OperationKind.values()) {
      if (kind == OperationKind.BATCH) {
        continue;
      }
      if (kind.label().equalsIgnoreCase(name)) {
        return kind;
      }
      known.add(kind.label());
    }
    throw new ConfigException(
        "--op: unknown operation " + Quoted.quote(name) + ". " + Nearest.hint(name, known));
  }

  /**
   * Reads the name of an algorithm.
   *
   * @param operations those one of which it must do
   * @throws ConfigException if there is no such algorithm, or it does none of the operations
   */
  public static Algorithm algorithm(String name, List<OperationKind> operations) {
    List<String> known = new ArrayList<>();
    for (OperationKind operation : operations) {
      for (Algorithm each : new Scenario(operation, 2, 8).algorithms()) {
        if (each.label().equalsIgnoreCase(name)) {
          return each;
        }
        known.add(each.label());
      }
    }
    throw new ConfigException(
        "--algo: no algorithm %s for %s. %s"
            .formatted(
                Quoted.quote(name),
                String.join(", ", operations.stream().map(OperationKind::label).toList()),
                Nearest.hint(name, known)));
  }
}
