package dev.tutti.cli.bench;

import dev.tutti.comm.CommConfig;
import dev.tutti.comm.internal.config.Units;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Prints the findings for people: lines with the columns of nccl-tests, or one line for each
 * operation. Lines that are no findings begin with {@code #}.
 */
final class TablePrinter implements Bench.Listener {
  private static final String MISSING = "n/a";
  private static final String CASE = "%10s%11s%9s%7s%6s";
  private static final String GROUP = "%10s%10s%8s%8s%8s";
  private static final int GROUP_WIDTH = 44;

  private final BenchPlan plan;
  private final Map<String, Object> machine;
  private final PrintStream out;
  private final boolean atOnce;
  private final long start = System.nanoTime();
  private final StringBuilder pending = new StringBuilder();
  private final List<Bench.Row> compact = new ArrayList<>();
  private final TreeSet<String> refusals = new TreeSet<>();
  private List<Ensemble> ensembles = List.of();
  private BenchPlan.@Nullable Table table;
  private @Nullable BenchOperation operation;
  private int backendWidth;
  private long wrong;

  /**
   * @param plan what is measured
   * @param machine what it is measured on
   * @param out where to print
   * @param atOnce whether lines are printed as they come, else each table when it is complete
   */
  TablePrinter(BenchPlan plan, Map<String, Object> machine, PrintStream out, boolean atOnce) {
    this.plan = plan;
    this.machine = machine;
    this.out = out;
    this.atOnce = atOnce;
  }

  @Override
  public void ready(List<Ensemble> ready) {
    ensembles = ready;
    for (Ensemble ensemble : ready) {
      backendWidth = Math.max(backendWidth, name(ensemble).length());
    }
    List<String> facts = new ArrayList<>();
    machine.forEach(
        (name, value) -> facts.add(name.equals("cores") ? value + " cores" : "" + value));
    line("# " + String.join(", ", facts));
    line(
        "# %d rank%s on this host, %s, %s"
            .formatted(
                plan.ranks(),
                plan.ranks() == 1 ? "" : "s",
                Words.word(plan.type()),
                plan.heap() ? "Java arrays" : "native memory"));
    for (Ensemble ensemble : ready) {
      line(
          String.format(
              Locale.ROOT,
              "# %s: %s, groups ready %.2f s after the start of %s",
              ensemble.config().startsWith(CommConfig.AUTO)
                  ? ensemble.config() + " (chose " + ensemble.backend() + ")"
                  : ensemble.config(),
              ensemble.isOneProcess()
                  ? "the ranks are threads of one process (*)"
                  : "a process for each rank",
              seconds(ensemble.startup()),
              ensemble.isOneProcess() ? "that process" : "the processes"));
    }
    int cores = Runtime.getRuntime().availableProcessors();
    boolean oversubscribed = plan.ranks() > cores;
    if (oversubscribed) {
      line(
          "# note: %d ranks on %d cores: oversubscribed, ranks wait for a core as much as for each other"
              .formatted(plan.ranks(), cores));
    }
    flush();
  }

  private String name(Ensemble ensemble) {
    return ensemble.config() + (ensemble.isOneProcess() ? "*" : "");
  }

  @Override
  public void begin(BenchPlan.Table next) {
    table = next;
    operation = null;
    compact.clear();
  }

  @Override
  public void step(BenchCase item, Ensemble ensemble) {}

  @Override
  public void row(Bench.Row row) {
    for (int i = 0; i < row.backends().size(); i++) {
      for (Measured found : row.backends().get(i).values()) {
        wrong += found.wrong();
        String reason = found.unsupported();
        if (reason != null) {
          refusals.add(ensembles.get(i).config() + ": " + reason);
        }
      }
    }
    if (table != null && table.form() == BenchPlan.Form.COMPACT) {
      compact.add(row);
      return;
    }
    if (row.item().operation() != operation) {
      operation = row.item().operation();
      heading(operation);
    }
    for (int i = 0; i < row.backends().size(); i++) {
      line(fullLine(row, i));
    }
    if (atOnce) {
      flush();
    }
  }

  @Override
  public void end(BenchPlan.Table done) {
    if (done.form() == BenchPlan.Form.COMPACT) {
      compactTable(done);
    }
    flush();
  }

  private boolean comparesBackends() {
    return ensembles.size() > 1;
  }

  // --- a line for each size ------------------------------------------------------------------

  private void heading(BenchOperation next) {
    String pad = comparesBackends() ? " ".repeat(backendWidth + 1) : "";
    String backend = comparesBackends() ? " " + padded("backend", backendWidth) : "";
    StringBuilder places = new StringBuilder();
    StringBuilder names = new StringBuilder();
    StringBuilder units = new StringBuilder();
    for (Place place : next.places()) {
      places.append(centered(place.label(), GROUP_WIDTH));
      names.append(GROUP.formatted("time", "p99", "algbw", "busbw", "#wrong"));
      units.append(GROUP.formatted("(us)", "(us)", "(GB/s)", "(GB/s)", ""));
    }
    line("#");
    line("# " + next.label());
    line("#" + CASE.formatted("", "", "", "", "") + pad + places);
    line(
        "#"
            + CASE.formatted("size", "count", "type", "redop", "root")
            + backend
            + names
            + (comparesBackends() ? "   ratio" : ""));
    line("#" + CASE.formatted("(B)", "(elements)", "", "", "") + pad + units);
  }

  private String fullLine(Bench.Row row, int backend) {
    BenchCase item = row.item();
    BenchOperation measured = item.operation();
    StringBuilder line = new StringBuilder();
    line.append(
        " "
            + CASE.formatted(
                item.bytes(),
                item.count(),
                Words.word(plan.type()),
                measured.reduces() ? Words.word(plan.op()) : "none",
                measured.isRooted() ? plan.root() : -1));
    if (comparesBackends()) {
      line.append(' ').append(padded(name(ensembles.get(backend)), backendWidth));
    }
    for (Measured found : row.backends().get(backend).values()) {
      if (!found.isTimed()) {
        line.append(GROUP.formatted(MISSING, MISSING, MISSING, MISSING, MISSING));
      } else {
        double algbw = found.algorithmBandwidth(item.bytes());
        line.append(
            GROUP.formatted(
                micros(found.micros()),
                micros(found.p99Micros()),
                bandwidth(algbw),
                bandwidth(algbw * measured.busFactor(plan.ranks())),
                found.wrong()));
      }
    }
    if (comparesBackends()) {
      line.append("%8s".formatted(ratio(row, backend)));
    }
    return line.toString();
  }

  /**
   * Returns a backend's time as a multiple of the first one's; out of place where there is such a
   * form.
   */
  private static String ratio(Bench.Row row, int backend) {
    Measured first = main(row.backends().getFirst());
    Measured own = main(row.backends().get(backend));
    return first == null || own == null
        ? MISSING
        : String.format(Locale.ROOT, "%.2f", own.micros() / first.micros());
  }

  private static @Nullable Measured main(Map<Place, Measured> places) {
    return places.values().stream().filter(Measured::isTimed).findFirst().orElse(null);
  }

  // --- a line for each operation -------------------------------------------------------------

  private void compactTable(BenchPlan.Table done) {
    StringBuilder sizes = new StringBuilder();
    StringBuilder names = new StringBuilder();
    for (long bytes : done.bytes()) {
      sizes.append(centered(Units.formatBytes(bytes), 28));
      names.append("%10s%10s%8s".formatted("time us", "p99 us", "busbw"));
    }
    String backend = comparesBackends() ? " " + padded("backend", backendWidth) : "";
    line("#");
    line("# other operations, " + (plan.op() + " where they reduce").toLowerCase(Locale.ROOT));
    line("#" + " ".repeat(14 + backend.length()) + sizes);
    line("# " + padded("operation", 13) + backend + names + "  #wrong");
    Map<BenchOperation, List<Bench.Row>> byOperation = new LinkedHashMap<>();
    for (Bench.Row row : compact) {
      byOperation.computeIfAbsent(row.item().operation(), key -> new ArrayList<>()).add(row);
    }
    byOperation.forEach(
        (each, rows) -> {
          for (int i = 0; i < ensembles.size(); i++) {
            line(compactLine(each, rows, i));
          }
        });
  }

  private String compactLine(BenchOperation each, List<Bench.Row> rows, int backend) {
    StringBuilder line = new StringBuilder("  ").append(padded(each.label(), 13));
    if (comparesBackends()) {
      line.append(' ').append(padded(name(ensembles.get(backend)), backendWidth));
    }
    long elements = 0;
    for (Bench.Row row : rows) {
      Measured found = main(row.backends().get(backend));
      for (Measured place : row.backends().get(backend).values()) {
        elements += place.wrong();
      }
      if (found == null) {
        line.append("%10s%10s%8s".formatted(MISSING, MISSING, MISSING));
      } else {
        double busbw = found.algorithmBandwidth(row.item().bytes()) * each.busFactor(plan.ranks());
        line.append(
            "%10s%10s%8s"
                .formatted(
                    micros(found.micros()),
                    micros(found.p99Micros()),
                    each.isEmpty() ? "" : bandwidth(busbw)));
      }
    }
    int missing = table == null || !each.isEmpty() ? 0 : table.bytes().size() - rows.size();
    return line.append(" ".repeat(28 * missing)).append("%8d".formatted(elements)).toString();
  }

  // --- the end -------------------------------------------------------------------------------

  @Override
  public void finished(List<Ensemble> done) {
    line("#");
    line(
        "# time, p99: median and 99th percentile of back-to-back calls on rank 0 (of rooted operations on the");
    line(
        "#   slowest rank, of pingPong half the round trip); median of %d round%s%s"
            .formatted(
                plan.effort().rounds(),
                plan.effort().rounds() == 1 ? "" : "s",
                comparesBackends() ? ", the backends taking turns" : ""));
    line(
        "# algbw = size / time; busbw = algbw x 2(n-1)/n for allReduce, x (n-1)/n for reduceScatter, allGather,");
    line(
        "#   allToAll, gather and scatter, x 1 for the others, as in nccl-tests; 1 GB/s is 10^9 bytes a second");
    if (comparesBackends()) {
      line("# ratio: time as a multiple of " + ensembles.getFirst().config() + "'s");
    }
    if (done.stream().anyMatch(Ensemble::isOneProcess)) {
      line("# * the ranks are threads of one process");
    }
    for (String refusal : refusals) {
      line("# n/a: " + refusal);
    }
    for (Ensemble ensemble : done) {
      line("# " + ensemble.config() + ": " + memory(ensemble.memory()));
    }
    line(
        String.format(
            Locale.ROOT,
            "# %s; took %.1f s",
            wrong == 0 ? "every result was right" : "WRONG ELEMENTS: " + wrong,
            seconds(Duration.ofNanos(System.nanoTime() - start))));
    flush();
  }

  private static String memory(List<Ensemble.PoolMemory> ranks) {
    Ensemble.PoolMemory first = ranks.getFirst();
    long allocated = 0;
    long waits = 0;
    for (Ensemble.PoolMemory rank : ranks) {
      allocated = Math.max(allocated, rank.allocatedBytes());
      waits += rank.waits();
    }
    return first.slots() == 0
        ? "a group holds no memory of its own"
        : "a group may hold %d x %s and held %s at most; %d waits for a slot"
            .formatted(
                first.slots(),
                Units.formatBytes(first.slotBytes()),
                Units.formatBytes(allocated),
                waits);
  }

  @Override
  public void close() {
    flush();
  }

  private void line(String text) {
    pending.append(text.stripTrailing()).append('\n');
  }

  private void flush() {
    out.print(pending);
    out.flush();
    pending.setLength(0);
  }

  private static String micros(double micros) {
    String form = micros < 100 ? "%.2f" : micros < 10_000 ? "%.1f" : "%.0f";
    return String.format(Locale.ROOT, form, micros);
  }

  private static String bandwidth(double gigabytes) {
    return String.format(Locale.ROOT, gigabytes < 100 ? "%.2f" : "%.0f", gigabytes);
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  private static String padded(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }

  private static String centered(String text, int width) {
    int left = (width - text.length()) / 2;
    return padded(" ".repeat(Math.max(0, left)) + text, width);
  }
}
