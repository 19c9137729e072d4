package dev.tutti.cli.simulate;

import dev.tutti.cli.text.Bar;
import dev.tutti.comm.internal.config.Units;
import dev.tutti.tcp.schedule.Algorithm;
import dev.tutti.tcp.schedule.OperationKind;
import dev.tutti.tcp.simulate.Network;
import dev.tutti.tcp.simulate.Pricing;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Every operation with every size on every number of ranks.
 *
 * @param operations what is priced
 * @param sizes sizes in bytes
 * @param ranks numbers of ranks
 * @param network what they have between them
 * @param algorithm the algorithm to price instead of the choice table's, or null
 */
public record Simulation(
    List<OperationKind> operations,
    List<Long> sizes,
    List<Integer> ranks,
    Network network,
    @Nullable Algorithm algorithm) {

  /** Copies the lists. */
  public Simulation {
    operations = List.copyOf(operations);
    sizes = List.copyOf(sizes);
    ranks = List.copyOf(ranks);
  }

  /**
   * Prices everything.
   *
   * @param progress whether a bar is shown
   */
  public Priced run(boolean progress) {
    List<Scenario> scenarios = new ArrayList<>();
    for (OperationKind operation : operations) {
      for (long size : operation == OperationKind.BARRIER ? List.of(0L) : sizes) {
        for (int count : ranks) {
          scenarios.add(new Scenario(operation, count, size));
        }
      }
    }
    if (!progress) {
      return price(scenarios, null);
    }
    try (Bar bar = new Bar("simulate", scenarios.size())) {
      return price(scenarios, bar);
    }
  }

  private Priced price(List<Scenario> scenarios, @Nullable Bar bar) {
    Pricing pricing = new Pricing(network);
    List<Scenario.Row> rows = new ArrayList<>();
    for (Scenario scenario : scenarios) {
      if (bar != null) {
        bar.at(
            rows.size(),
            "%s %s, %d ranks"
                .formatted(
                    scenario.operation().label(),
                    Units.formatBytes(scenario.asked()),
                    scenario.ranks()));
      }
      rows.add(scenario.price(pricing, algorithm));
    }
    return new Priced(network, rows);
  }

  /** What was found, ready to be written. */
  public static final class Priced {
    private final PriceTable table;
    private final List<Scenario.Row> rows;

    private Priced(Network network, List<Scenario.Row> rows) {
      this.table = new PriceTable(network, rows);
      this.rows = rows;
    }

    /**
     * Prints a table.
     *
     * @param all whether every algorithm's price is printed, not only the best
     */
    public void print(PrintWriter out, boolean all) {
      table.print(out, all);
    }

    /** Returns everything as JSON. */
    public String json() {
      return table.json();
    }

    /** Draws a plot, see {@link Plot#check}. */
    public void plot(String file) throws IOException {
      Plot.write(file, rows);
    }
  }
}
