package dev.tutti.cli.bench;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes one line for each case, backend and place, as RFC 4180 says, as soon as the case is
 * complete.
 */
final class CsvWriter implements Bench.Listener {
  private static final String HEADING =
      "backend,ranks,processes,operation,place,size_bytes,count,type,redop,root,"
          + "time_us,p99_us,algbw_gbs,busbw_gbs,wrong,iterations,rounds,unsupported";

  private final BenchPlan plan;
  private final PrintStream out;
  private List<Ensemble> ensembles = List.of();

  CsvWriter(BenchPlan plan, PrintStream out) {
    this.plan = plan;
    this.out = out;
  }

  @Override
  public void ready(List<Ensemble> ready) {
    ensembles = ready;
    out.println(HEADING);
  }

  @Override
  public void begin(BenchPlan.Table table) {}

  @Override
  public void step(BenchCase item, Ensemble ensemble) {}

  @Override
  public void row(Bench.Row row) {
    for (int i = 0; i < row.backends().size(); i++) {
      for (Map.Entry<Place, Measured> entry : row.backends().get(i).entrySet()) {
        out.println(line(row.item(), ensembles.get(i), entry.getKey(), entry.getValue()));
      }
    }
    out.flush();
  }

  private String line(BenchCase item, Ensemble ensemble, Place place, Measured found) {
    BenchOperation operation = item.operation();
    List<String> cells = new ArrayList<>();
    cells.add(quoted(ensemble.config()));
    cells.add(Integer.toString(plan.ranks()));
    cells.add(Integer.toString(ensemble.isOneProcess() ? 1 : plan.ranks()));
    cells.add(operation.label());
    cells.add(place.label());
    cells.add(Long.toString(item.bytes()));
    cells.add(Long.toString(item.count()));
    cells.add(Words.word(plan.type()));
    cells.add(operation.reduces() ? Words.word(plan.op()) : "none");
    cells.add(Integer.toString(operation.isRooted() ? plan.root() : -1));
    if (found.isTimed()) {
      double algbw = found.algorithmBandwidth(item.bytes());
      cells.add(number(found.micros()));
      cells.add(number(found.p99Micros()));
      cells.add(number(algbw));
      cells.add(number(algbw * operation.busFactor(plan.ranks())));
      cells.add(Long.toString(found.wrong()));
    } else {
      cells.addAll(List.of("", "", "", "", ""));
    }
    cells.add(Long.toString(found.iterations()));
    cells.add(Integer.toString(plan.effort().rounds()));
    String reason = found.unsupported();
    cells.add(reason == null ? "" : quoted(reason));
    return String.join(",", cells);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.4f", value);
  }

  private static String quoted(String text) {
    return text.matches("[\\w.:?=&-]*") ? text : "\"" + text.replace("\"", "\"\"") + "\"";
  }

  @Override
  public void end(BenchPlan.Table table) {}

  @Override
  public void finished(List<Ensemble> done) {}

  @Override
  public void close() {
    out.flush();
  }
}
