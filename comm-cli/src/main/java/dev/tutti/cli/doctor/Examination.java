package dev.tutti.cli.doctor;

import dev.tutti.cli.text.Json;
import dev.tutti.comm.internal.Backends;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;

/**
 * What was found here.
 *
 * @param machine the machine and the Java runtime
 * @param backends the backends
 * @param config the config string that a program would find
 * @param variables the variables of launchers and networks that are set
 */
public record Examination(
    List<Finding> machine, List<Finding> backends, Finding config, Map<String, String> variables) {
  private static final int NAME_WIDTH = 22;
  private static final int STATE_WIDTH = 9;

  /**
   * Looks at everything.
   *
   * @param environment the environment's variables
   * @param properties the system's properties
   */
  public static Examination of(Map<String, String> environment, Properties properties) {
    Backends backends = Backends.load();
    return new Examination(
        Machine.examine(),
        Surroundings.backends(backends),
        Surroundings.config(backends, environment, properties),
        Surroundings.variables(environment));
  }

  /** Returns whether nothing is missing. */
  public boolean isWell() {
    return all().stream().noneMatch(finding -> finding.state() == Finding.State.MISSING);
  }

  private List<Finding> all() {
    List<Finding> all = new ArrayList<>(machine);
    all.addAll(backends);
    all.add(config);
    return all;
  }

  /** Returns the findings for people. */
  public String text() {
    StringBuilder text = new StringBuilder();
    machine.forEach(finding -> append(text, finding));
    text.append("\nbackends\n");
    backends.forEach(finding -> append(text, finding));
    text.append("\nwhat a program finds here\n");
    append(text, config);
    append(
        text,
        Finding.ok(
            "launcher",
            variables.isEmpty()
                ? "no variable of a launcher is set: a program is one rank"
                : "sets"));
    variables.forEach(
        (name, value) ->
            text.append(" ".repeat(NAME_WIDTH + STATE_WIDTH)).append(name + "=" + value + "\n"));
    return text.toString();
  }

  private static void append(StringBuilder text, Finding finding) {
    String state =
        finding.state() == Finding.State.MISSING
            ? finding.state().name()
            : finding.state().name().toLowerCase(Locale.ROOT);
    text.append(padded("  " + finding.name(), NAME_WIDTH)).append(padded(state, STATE_WIDTH));
    text.append(finding.text()).append('\n');
    if (finding.nextStep() != null) {
      text.append(" ".repeat(NAME_WIDTH + STATE_WIDTH)).append("-> ");
      text.append(finding.nextStep()).append('\n');
    }
  }

  private static String padded(String text, int width) {
    return text + " ".repeat(Math.max(1, width - text.length()));
  }

  /**
   * Returns the findings for programs.
   *
   * @param version this Tutti's version
   */
  public String json(String version) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("tutti", version);
    report.put("well", isWell());
    report.put("machine", machine.stream().map(Examination::map).toList());
    report.put("backends", backends.stream().map(Examination::map).toList());
    report.put("config", map(config));
    report.put("variables", variables);
    return Json.write(report);
  }

  private static Map<String, Object> map(Finding finding) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", finding.name());
    map.put("state", finding.state().name().toLowerCase(Locale.ROOT));
    map.put("text", finding.text());
    if (finding.nextStep() != null) {
      map.put("nextStep", finding.nextStep());
    }
    return map;
  }
}
