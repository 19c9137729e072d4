package dev.tutti.cli.simulate;

import dev.tutti.cli.bench.Fit;
import dev.tutti.cli.text.Json;
import dev.tutti.comm.internal.config.Units;
import dev.tutti.tcp.schedule.Algorithm;
import dev.tutti.tcp.simulate.Network;
import dev.tutti.tcp.simulate.Price;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Writes what scenarios cost, as a table for people and as JSON for programs. */
public final class PriceTable {
  private static final double NANOS = 1e9;
  private static final String SAME = "=";

  private final Network network;
  private final List<Scenario.Row> rows;

  PriceTable(Network network, List<Scenario.Row> rows) {
    this.network = network;
    this.rows = List.copyOf(rows);
  }

  /** Returns the network in words. */
  static String describe(Network network) {
    return Fit.describe(network)
        + (network.cores() == 0
            ? "; each rank on cores of its own"
            : "; all ranks on one host of " + network.cores() + " cores");
  }

  /**
   * Prints a line a scenario.
   *
   * @param all whether every algorithm's price is printed, not only the best
   */
  void print(PrintWriter out, boolean all) {
    out.println("# " + describe(network));
    String operation = "";
    for (Scenario.Row row : rows) {
      if (!row.scenario().operation().label().equals(operation)) {
        operation = row.scenario().operation().label();
        heading(out, operation);
      }
      line(out, row);
      if (all) {
        others(out, row);
      }
    }
    ending(out);
    out.flush();
  }

  private static void heading(PrintWriter out, String operation) {
    out.println("#");
    out.println("# " + operation + ", float32, not in place");
    out.printf(
        "#%5s%12s  %-19s%12s%8s%8s  %-12s  %-19s%12s%6s%n",
        "ranks",
        "size",
        "algorithm",
        "time",
        "algbw",
        "busbw",
        "method",
        "best by price",
        "time",
        "gain");
    out.printf(
        "#%5s%12s  %-19s%12s%8s%8s  %-12s  %-19s%12s%n",
        "", "", "", "(us)", "(GB/s)", "(GB/s)", "", "", "(us)");
  }

  private static void line(PrintWriter out, Scenario.Row row) {
    Algorithm best = row.best();
    boolean isBest = best == row.algorithm();
    Price price = row.price();
    out.println(
        String.format(
                Locale.ROOT,
                "%6d%12s  %-19s%12s%8.2f%8.2f  %-12s  %-19s%12s%6s",
                row.scenario().ranks(),
                Units.formatBytes(row.scenario().bytes()),
                row.algorithm().label(),
                micros(price.time()),
                row.algorithmBandwidth(),
                row.busBandwidth(),
                price.method().label(),
                isBest ? SAME : best.label(),
                isBest ? "" : micros(row.price(best).time()),
                isBest ? "" : gain(price.time(), row.price(best).time()))
            .stripTrailing());
  }

  private static void others(PrintWriter out, Scenario.Row row) {
    row.prices()
        .forEach(
            (algorithm, price) -> {
              if (algorithm != row.algorithm()) {
                out.printf(
                    "%18s  %-19s%12s%16s  %s%n",
                    "", algorithm.label(), micros(price.time()), "", price.method().label());
              }
            });
  }

  private static String gain(Duration time, Duration best) {
    double gain = (double) time.toNanos() / Math.max(1, best.toNanos());
    return String.format(Locale.ROOT, gain < 100 ? "%.2f" : "%.0f", gain);
  }

  static String micros(Duration duration) {
    double micros = duration.toNanos() / 1000.0;
    return String.format(Locale.ROOT, micros < 10_000 ? "%.2f" : "%.0f", micros);
  }

  private void ending(PrintWriter out) {
    Set<Price.Method> methods = new TreeSet<>();
    rows.forEach(row -> row.prices().values().forEach(price -> methods.add(price.method())));
    out.println("#");
    out.println(
        "# algorithm: what the choice table takes, or --algo; gain: its time / the best one's");
    for (Price.Method method : methods) {
      out.println("# " + method.label() + ": " + explain(method));
    }
  }

  private static String explain(Price.Method method) {
    return switch (method) {
      case SIMULATED -> "every step of every rank was carried out";
      case SYMMETRY ->
          "the ranks' schedules are one another's images (32 of them compared where there are more than"
              + " 500,000 steps), so one rank's steps stand for all";
      case EXTRAPOLATED ->
          "too many steps; the times of a half and a quarter of the ranks go on as a power of the ranks";
    };
  }

  /** Returns the rows with every algorithm's price as JSON. */
  String json() {
    List<Object> results = new ArrayList<>();
    for (Scenario.Row row : rows) {
      Map<String, Object> result = new LinkedHashMap<>();
      result.put("operation", row.scenario().operation().label());
      result.put("ranks", row.scenario().ranks());
      result.put("sizeBytes", row.scenario().bytes());
      result.put("algorithm", row.algorithm().label());
      result.put("timeMicros", row.price().time().toNanos() / 1000.0);
      result.put("algbwGBs", row.algorithmBandwidth());
      result.put("busbwGBs", row.busBandwidth());
      result.put("method", row.price().method().label());
      result.put("best", row.best().label());
      List<Object> prices = new ArrayList<>();
      row.prices()
          .forEach(
              (algorithm, price) -> {
                Map<String, Object> each = new LinkedHashMap<>();
                each.put("algorithm", algorithm.label());
                each.put("timeMicros", price.time().toNanos() / 1000.0);
                each.put("method", price.method().label());
                prices.add(each);
              });
      result.put("prices", prices);
      results.add(result);
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("network", network(network));
    json.put("results", results);
    return Json.write(json);
  }

  static Map<String, Object> network(Network network) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("alphaSeconds", network.latency().toNanos() / NANOS);
    json.put("betaBytesPerSecond", network.bandwidth());
    json.put("copyBytesPerSecond", network.copyBandwidth());
    json.put("gammaBytesPerSecond", network.reduceBandwidth());
    json.put("overheadSeconds", network.overhead().toNanos() / NANOS);
    json.put("cores", network.cores());
    return json;
  }
}
