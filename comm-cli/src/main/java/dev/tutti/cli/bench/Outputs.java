package dev.tutti.cli.bench;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the findings go.
 *
 * @param machine what was measured on, by name: versions, cores, system
 * @param table takes the tables for people, or null
 * @param progress whether a progress bar is shown on standard error
 * @param csv takes a line for each finding, or null
 * @param json takes all findings as one object, or null
 */
public record Outputs(
    Map<String, Object> machine,
    @Nullable PrintStream table,
    boolean progress,
    @Nullable PrintStream csv,
    @Nullable PrintStream json) {

  /** Returns those who write, in the order in which they are to be told. */
  List<Bench.Listener> listeners(BenchPlan plan) {
    List<Bench.Listener> listeners = new ArrayList<>();
    if (progress) {
      // First, so that the bar is gone before a table is printed.
      listeners.add(new Progress(plan));
    }
    if (table != null) {
      listeners.add(new TablePrinter(plan, machine, table, !progress));
    }
    if (csv != null) {
      listeners.add(new CsvWriter(plan, csv));
    }
    if (json != null) {
      listeners.add(new JsonReport(plan, machine, json));
    }
    return listeners;
  }
}
