package dev.tutti.cli.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Keeps the medians of a bench, for those who reckon with them. */
public final class Medians implements Bench.Listener {
  /** What a median belongs to: the backend's place in the plan, the operation, the size. */
  private record Key(int backend, BenchOperation operation, long bytes) {}

  private final Map<Key, Double> micros = new HashMap<>();
  private final List<String> refusals = new ArrayList<>();

  private Medians() {}

  /**
   * Measures.
   *
   * @param plan what to measure; of operations that can be in place or not, the latter is kept
   * @throws BenchFailedException if a rank failed, or a backend does not have an operation, or a
   *     result was wrong
   */
  public static Medians of(BenchPlan plan) {
    Medians medians = new Medians();
    List<Bench.Listener> listeners = List.of(medians);
    if (!Bench.run(plan, listeners)) {
      throw new BenchFailedException(
          "a result was wrong; 'tutti bench' with the same options shows which", null);
    }
    if (!medians.refusals.isEmpty()) {
      throw new BenchFailedException(String.join("; ", medians.refusals), null);
    }
    return medians;
  }

  /** Returns a median in µs. */
  public double micros(int backend, BenchOperation operation, long bytes) {
    Double found = micros.get(new Key(backend, operation, bytes));
    if (found == null) {
      throw new IllegalArgumentException(
          "not measured: " + operation.label() + " of " + bytes + " bytes");
    }
    return found;
  }

  /** Returns the sizes of an operation with their medians, in the order of the sizes. */
  List<Line.Sample> samples(int backend, BenchOperation operation) {
    return micros.entrySet().stream()
        .filter(each -> each.getKey().backend() == backend)
        .filter(each -> each.getKey().operation() == operation)
        .map(each -> new Line.Sample(each.getKey().bytes(), each.getValue()))
        .sorted((a, b) -> Long.compare(a.bytes(), b.bytes()))
        .toList();
  }

  @Override
  public void row(Bench.Row row) {
    for (int backend = 0; backend < row.backends().size(); backend++) {
      Place place = row.item().operation().places().getFirst();
      Measured found = row.backends().get(backend).get(place);
      if (found == null || !found.isTimed()) {
        refusals.add(
            row.item().operation().label()
                + ": "
                + (found == null ? "not measured" : found.unsupported()));
      } else {
        Key key = new Key(backend, row.item().operation(), row.item().bytes());
        micros.put(key, found.micros());
      }
    }
  }

  @Override
  public void ready(List<Ensemble> ensembles) {}

  @Override
  public void begin(BenchPlan.Table table) {}

  @Override
  public void step(BenchCase item, Ensemble ensemble) {}

  @Override
  public void end(BenchPlan.Table table) {}

  @Override
  public void finished(List<Ensemble> ensembles) {}

  @Override
  public void close() {}
}
