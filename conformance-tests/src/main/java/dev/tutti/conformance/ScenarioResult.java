package dev.tutti.conformance;

import java.time.Duration;
import java.util.List;

/**
 * How a scenario ended.
 *
 * @param name the scenario's name
 * @param rules the rules of docs/CONTRACT.md that it holds the backend to
 * @param outcome how it ended
 * @param detail why it failed or was not run, else empty
 * @param notes what rank 0 wrote down, which is the same on every backend
 * @param elapsed how long it took
 */
public record ScenarioResult(
    String name,
    List<String> rules,
    Outcome outcome,
    String detail,
    List<String> notes,
    Duration elapsed) {
  /** Copies the lists. */
  public ScenarioResult {
    rules = List.copyOf(rules);
    notes = List.copyOf(notes);
  }
}
