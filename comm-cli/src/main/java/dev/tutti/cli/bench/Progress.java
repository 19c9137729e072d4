package dev.tutti.cli.bench;

import dev.tutti.cli.text.Bar;
import dev.tutti.comm.internal.config.Units;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says on standard error what is being measured and how much of a table is left. */
final class Progress implements Bench.Listener {
  private final BenchPlan plan;
  private @Nullable Bar bar;
  private int done;

  Progress(BenchPlan plan) {
    this.plan = plan;
  }

  @Override
  public void ready(List<Ensemble> ensembles) {}

  @Override
  public void begin(BenchPlan.Table table) {
    bar = new Bar("bench", plan.measurements(table));
    done = 0;
  }

  @Override
  public void step(BenchCase item, Ensemble ensemble) {
    if (bar != null) {
      String size = Units.formatBytes(item.bytes());
      bar.at(done, "%s %s %s".formatted(ensemble.config(), item.operation().label(), size));
      done++;
    }
  }

  @Override
  public void row(Bench.Row row) {}

  @Override
  public void end(BenchPlan.Table table) {
    close();
  }

  @Override
  public void finished(List<Ensemble> ensembles) {}

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
      bar = null;
    }
  }
}
