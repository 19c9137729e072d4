package dev.tutti.cli.simulate;

import dev.tutti.cli.bench.BenchPlan;
import dev.tutti.cli.bench.Effort;
import dev.tutti.cli.bench.Fit;
import dev.tutti.cli.bench.Fitting;
import dev.tutti.cli.bench.Medians;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.internal.config.Units;
import dev.tutti.tcp.schedule.Algorithm;
import dev.tutti.tcp.schedule.OperationKind;
import dev.tutti.tcp.simulate.Network;
import dev.tutti.tcp.simulate.Pricing;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Prices compared with measured times: each algorithm is made to run between processes of this
 * host, and priced on the network that was measured there just before.
 *
 * @param config the config of the ranks, of the backend {@code tcp}
 * @param ranks numbers of ranks, each from 2 to {@link #MOST_RANKS}
 * @param operations what is compared
 * @param sizes sizes in bytes
 * @param fit the network, or null to measure it for each number of ranks
 */
public record Prediction(
    String config,
    List<Integer> ranks,
    List<OperationKind> operations,
    List<Long> sizes,
    @Nullable Network fit) {

  /** More processes than this say nothing on one host. */
  private static final int MOST_RANKS = 16;

  /** What a prediction may be wrong by. */
  private static final double FACTOR = 2;

  private static final Effort EFFORT = new Effort(0, -1, Duration.ofMillis(100), 3);
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /** Checks that this host can measure it. */
  public Prediction {
    ranks = List.copyOf(ranks);
    operations = List.copyOf(operations);
    sizes = List.copyOf(sizes);
    if (!config.equals("tcp") && !config.startsWith("tcp?")) {
      throw new ConfigException("--check measures tcp, whose schedules are priced, not " + config);
    }
    if (config.contains("algo=")) {
      throw new ConfigException(
          "--check takes every algorithm by turns; leave algo out of " + config);
    }
    for (int each : ranks) {
      if (each < 2 || each > MOST_RANKS) {
        throw new ConfigException(
            "--check starts processes on this host: --ranks from 2 to %d, not %d"
                .formatted(MOST_RANKS, each));
      }
    }
  }

  /**
   * Measures and compares.
   *
   * @param machine what is measured on, by name
   * @return whether every price was within a factor of two
   */
  public boolean holds(Map<String, Object> machine, PrintWriter out) {
    out.println("# " + machine.get("tutti"));
    int cores = Runtime.getRuntime().availableProcessors();
    int all = 0;
    int within = 0;
    for (int count : ranks) {
      Network network = network(count, cores, machine);
      out.println("#");
      out.println("# " + count + " ranks: " + PriceTable.describe(network));
      out.printf(
          "#%-14s%-20s%9s%14s%14s%8s%n",
          "operation", "algorithm", "size", "measured us", "predicted us", "ratio");
      for (OperationKind operation : operations) {
        for (Algorithm algorithm : algorithms(operation, count)) {
          for (double ratio : compare(operation, algorithm, count, network, out)) {
            all++;
            within += ratio <= FACTOR && ratio >= 1 / FACTOR ? 1 : 0;
          }
          out.flush();
        }
      }
    }
    out.println("#");
    out.println("# measured: medians as of tutti bench; ratio: predicted / measured");
    out.printf("# within a factor of 2: %d of %d%n", within, all);
    out.flush();
    return within == all;
  }

  private Network network(int count, int cores, Map<String, Object> machine) {
    Network found = fit != null ? fit : measured(count, machine).network();
    return new Network(
        found.latency(),
        found.bandwidth(),
        found.copyBandwidth(),
        found.reduceBandwidth(),
        found.overhead(),
        cores);
  }

  private Fit measured(int count, Map<String, Object> machine) {
    return new Fitting(config, count, EFFORT, TIMEOUT).run(machine, null);
  }

  private Set<Algorithm> algorithms(OperationKind operation, int count) {
    Set<Algorithm> algorithms = new LinkedHashSet<>();
    for (long size : sizes(operation)) {
      algorithms.addAll(new Scenario(operation, count, size).algorithms());
    }
    return algorithms;
  }

  /** A barrier moves nothing, whatever the sizes. */
  private List<Long> sizes(OperationKind operation) {
    return operation == OperationKind.BARRIER ? List.of(0L) : sizes;
  }

  private List<Double> compare(
      OperationKind operation, Algorithm algorithm, int count, Network network, PrintWriter out) {
    List<Scenario> scenarios =
        sizes(operation).stream()
            .map(size -> new Scenario(operation, count, size))
            .filter(scenario -> scenario.algorithms().contains(algorithm))
            .toList();
    Medians medians = measure(operation, algorithm, count, scenarios);
    Pricing pricing = new Pricing(network);
    return scenarios.stream()
        .map(
            scenario -> {
              double measured = medians.micros(0, scenario.measured(), scenario.bytes());
              double predicted =
                  pricing.price(scenario.workload(), algorithm).time().toNanos() / 1000.0;
              double ratio = predicted / measured;
              out.printf(
                  Locale.ROOT,
                  " %-14s%-20s%9s%14.2f%14.2f%8.2f%s%n",
                  operation.label(),
                  algorithm.label(),
                  Units.formatBytes(scenario.bytes()),
                  measured,
                  predicted,
                  ratio,
                  ratio > FACTOR || ratio < 1 / FACTOR ? " *" : "");
              return ratio;
            })
        .toList();
  }

  private Medians measure(
      OperationKind operation, Algorithm algorithm, int count, List<Scenario> scenarios) {
    String forced =
        "%s%salgo=%s:%s"
            .formatted(
                config, config.contains("?") ? "&" : "?", operation.label(), algorithm.label());
    BenchPlan.Table table =
        new BenchPlan.Table(
            List.of(scenarios.getFirst().measured()),
            scenarios.stream().map(Scenario::asked).toList(),
            BenchPlan.Form.COMPACT);
    return Medians.of(
        new BenchPlan(
            count,
            List.of(forced),
            List.of(table),
            DataType.FLOAT32,
            ReduceOp.SUM,
            0,
            false,
            EFFORT,
            TIMEOUT));
  }
}
