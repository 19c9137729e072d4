package dev.tutti.cli;

import dev.tutti.cli.doctor.Machine;
import dev.tutti.cli.text.Bar;
import dev.tutti.cli.text.Json;
import dev.tutti.cli.text.Terminal;
import dev.tutti.comm.CommConfig;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.Backends;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.conformance.CaseList;
import dev.tutti.conformance.Conformance;
import dev.tutti.conformance.MatrixReport;
import dev.tutti.conformance.Plan;
import dev.tutti.conformance.Progress;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs the conformance suite on backends, and compares their results bit by bit. */
@Command(
    name = "conformance",
    sortOptions = false,
    description = "Runs the conformance suite on backends, and compares their results bit by bit.",
    footer = {
      "",
      "Prints for each operation and type how many cases passed, were refused by the backend, or",
      "failed; then the scenarios (misuse, ordering, concurrency, failure), and whether the backends'",
      "results of exact cases are the same bits. A backend of your own is found once its jar is on the",
      "class path.",
      "",
      "Examples:",
      "  tutti conformance                          each backend here, four ranks as threads",
      "  tutti conformance --backends tcp -n 3 --processes",
      "  tutti conformance --backends tcp,local -n 3 --only allReduce --no-scenarios",
      "  tutti conformance --backends tcp -n 3 --seed 1 --case 1234",
      "  tutti conformance --backends tcp --scenario aBarrierHoldsEveryRank",
      "",
      "Exit code: 0 if all passed and agreed, 1 if not, 2 for a wrong command line, 3 if a backend",
      "cannot be had."
    })
final class ConformanceCommand implements Callable<Integer>, Verbosity.Aware {
  private static final String ONE_PROCESS = "local";
  private static final String STANDARD_OUTPUT = "-";
  private static final int SHOWN = 20;

  @Mixin private final Verbosity verbosity = new Verbosity();

  @Spec private CommandSpec spec;

  @Option(
      names = {"-n", "--ranks"},
      paramLabel = "N",
      defaultValue = "4",
      description = "How many ranks. Default: ${DEFAULT-VALUE}.")
  private int ranks;

  @Option(
      names = "--backends",
      paramLabel = "LIST",
      description =
          "Backends separated by commas, each with its options if it has any. Default: 'local', the"
              + " reference, and each that is available here and that 'auto' could take.")
  private @Nullable String backends;

  @Option(
      names = "--processes",
      description =
          "Each rank is a process. Default: a thread, where the backend can hold many in a process.")
  private boolean processes;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "The seed of the cases' values. Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--case",
      paramLabel = "INDEX",
      description = "Runs this one case, whose number a failure named.")
  private @Nullable Integer only;

  @Option(
      names = "--scenario",
      paramLabel = "NAME",
      description = "Plays this one scenario, which a failure named, and runs no cases.")
  private @Nullable String scenario;

  @Option(
      names = "--only",
      paramLabel = "LIST",
      split = ",",
      description = "Runs the cases of these operations alone, such as allReduce,broadcast.")
  private Set<String> operations = Set.of();

  @Option(names = "--no-scenarios", description = "Leaves the scenarios out.")
  private boolean withoutScenarios;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Writes the reports as JSON; '-' for standard output in the tables' place.")
  private @Nullable String json;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  ConformanceCommand() {}

  @Override
  public Verbosity verbosity() {
    return verbosity;
  }

  @Override
  public Integer call() throws IOException {
    List<Plan> plans = plans();
    PrintWriter out = spec.commandLine().getOut();
    boolean quiet = STANDARD_OUTPUT.equals(json);
    List<MatrixReport> reports = new ArrayList<>();
    for (Plan plan : plans) {
      MatrixReport report = run(plan);
      reports.add(report);
      if (!quiet) {
        out.print(
            ConformanceText.matrix(report, verbosity.isVerbose() ? Integer.MAX_VALUE : SHOWN));
        out.flush();
      }
    }
    String agreement = ConformanceText.agreement(reports);
    if (!quiet) {
      out.print(agreement);
      out.flush();
    }
    if (json != null) {
      writeJson(reports);
    }
    boolean agree = ConformanceText.disagreements(reports).isEmpty();
    return agree && reports.stream().allMatch(MatrixReport::passed)
        ? ExitCode.OK
        : ExitCode.CHECK_FAILED;
  }

  private List<Plan> plans() {
    Backends known = Backends.load();
    List<Plan> plans = new ArrayList<>();
    for (String config : backends == null ? defaults(known) : List.of(backends.split(",", -1))) {
      if (ranks < 1) {
        throw new ConfigException("-n " + ranks + ": at least one rank is needed");
      }
      CommConfig checked = CommConfig.parse(config).check(known.providers());
      Availabilities.require(config, checked, known);
      plans.add(wanted(Plan.of(config, ranks).processes(ownProcesses(checked, known))));
    }
    return plans;
  }

  private Plan wanted(Plan all) {
    try {
      Plan plan = all.seed(seed).operations(operations).scenarios(!withoutScenarios);
      if (scenario != null) {
        return plan.scenario(scenario);
      }
      if (only != null) {
        CaseList _ = plan.only(only).cases();
        return plan.only(only);
      }
      return plan;
    } catch (IllegalArgumentException e) {
      throw new ConfigException(String.valueOf(e.getMessage()), e);
    }
  }

  private boolean ownProcesses(CommConfig config, Backends known) {
    boolean needed = false;
    for (CommConfig.Entry entry : config.entries()) {
      if (entry.backend().equals(ONE_PROCESS)) {
        return false;
      }
      BackendProvider provider = known.provider(entry.backend());
      needed |=
          provider != null && provider.placement() != BackendProvider.Placement.MANY_PER_PROCESS;
    }
    return processes || needed;
  }

  private static List<String> defaults(Backends known) {
    List<String> names = new ArrayList<>(List.of(ONE_PROCESS));
    for (BackendProvider provider : known.providers()) {
      if (provider.priority() > 0 && provider.startable().isAvailable()) {
        names.add(provider.name());
      }
    }
    return names;
  }

  private MatrixReport run(Plan plan) {
    if (!Terminal.showsProgress()) {
      return Conformance.run(plan, Progress.SILENT);
    }
    try (Bar bar = new Bar(plan.config(), 1)) {
      return Conformance.run(plan, bar::at);
    }
  }

  private void writeJson(List<MatrixReport> reports) throws IOException {
    Map<String, Object> machine = new LinkedHashMap<>();
    machine.put("tutti", "Tutti " + Version.describe());
    machine.putAll(Machine.facts());
    List<String> texts = reports.stream().map(MatrixReport::json).toList();
    String text =
        "{\"machine\":%s,\n\"reports\":[%s],\n\"disagreements\":%s}\n"
            .formatted(
                Json.write(machine).strip(),
                String.join(",\n", texts),
                Json.write(ConformanceText.disagreements(reports)).strip());
    if (STANDARD_OUTPUT.equals(json)) {
      spec.commandLine().getOut().print(text);
      spec.commandLine().getOut().flush();
    } else {
      Files.writeString(Path.of(Objects.requireNonNull(json)), text);
    }
  }
}
