package dev.tutti.cli.bench;

import dev.tutti.cli.text.Json;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes everything that was found as one JSON object, once all is done. */
final class JsonReport implements Bench.Listener {
  private static final double NANOS = 1e9;

  private final BenchPlan plan;
  private final Map<String, Object> machine;
  private final PrintStream out;
  private final long start = System.nanoTime();
  private final List<Object> results = new ArrayList<>();
  private List<Ensemble> ensembles = List.of();
  private long wrong;

  JsonReport(BenchPlan plan, Map<String, Object> machine, PrintStream out) {
    this.plan = plan;
    this.machine = machine;
    this.out = out;
  }

  @Override
  public void ready(List<Ensemble> ready) {
    ensembles = ready;
  }

  @Override
  public void begin(BenchPlan.Table table) {}

  @Override
  public void step(BenchCase item, Ensemble ensemble) {}

  @Override
  public void row(Bench.Row row) {
    for (int i = 0; i < row.backends().size(); i++) {
      String backend = ensembles.get(i).config();
      row.backends()
          .get(i)
          .forEach((place, found) -> results.add(result(row.item(), backend, place, found)));
    }
  }

  private Map<String, Object> result(BenchCase item, String backend, Place place, Measured found) {
    BenchOperation operation = item.operation();
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("backend", backend);
    result.put("operation", operation.label());
    result.put("place", place.label());
    result.put("sizeBytes", item.bytes());
    result.put("count", item.count());
    if (operation.reduces()) {
      result.put("redop", Words.word(plan.op()));
    }
    if (operation.isRooted()) {
      result.put("root", plan.root());
    }
    String reason = found.unsupported();
    if (reason != null) {
      result.put("unsupported", reason);
    }
    if (found.isTimed()) {
      double algbw = found.algorithmBandwidth(item.bytes());
      result.put("timeMicros", found.micros());
      result.put("p99Micros", found.p99Micros());
      result.put("algbwGBs", algbw);
      result.put("busbwGBs", algbw * operation.busFactor(plan.ranks()));
      result.put("wrong", found.wrong());
      result.put("iterations", found.iterations());
      wrong += found.wrong();
    }
    return result;
  }

  @Override
  public void end(BenchPlan.Table table) {}

  @Override
  public void finished(List<Ensemble> done) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("machine", machine);
    report.put("ranks", plan.ranks());
    report.put("type", Words.word(plan.type()));
    report.put("buffers", plan.heap() ? "heap" : "native");
    report.put("rounds", plan.effort().rounds());
    report.put("backends", done.stream().map(this::backend).toList());
    report.put("results", results);
    report.put("wrong", wrong);
    report.put("elapsedSeconds", (System.nanoTime() - start) / NANOS);
    out.print(Json.write(report));
  }

  private Map<String, Object> backend(Ensemble ensemble) {
    Map<String, Object> backend = new LinkedHashMap<>();
    backend.put("config", ensemble.config());
    backend.put("backend", ensemble.backend());
    backend.put("processes", ensemble.isOneProcess() ? 1 : plan.ranks());
    backend.put("startupSeconds", seconds(ensemble.startup()));
    backend.put(
        "memory",
        ensemble.memory().stream()
            .map(
                pool -> {
                  Map<String, Object> memory = new LinkedHashMap<>();
                  memory.put("slots", pool.slots());
                  memory.put("slotBytes", pool.slotBytes());
                  memory.put("allocatedBytes", pool.allocatedBytes());
                  memory.put("waits", pool.waits());
                  return memory;
                })
            .toList());
    return backend;
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / NANOS;
  }

  @Override
  public void close() {
    out.flush();
  }
}
