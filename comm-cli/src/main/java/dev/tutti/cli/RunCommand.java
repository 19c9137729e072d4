package dev.tutti.cli;

import dev.tutti.comm.CommConfig;
import dev.tutti.comm.internal.Backends;
import dev.tutti.comm.internal.config.Units;
import dev.tutti.comm.internal.launch.LaunchResult;
import dev.tutti.comm.internal.launch.Launcher;
import dev.tutti.comm.spi.BackendProvider;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Starts several processes of one program, as the ranks of a job on this host. */
@Command(
    name = "run",
    sortOptions = false,
    description = "Starts N processes of a program on this host, the ranks of one job.",
    footer = {
      "",
      "The program finds its place by ProcessGroup.init(…); programs that do not use Tutti find it in",
      "RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT, as torchrun sets",
      "them. Each line of output has its rank in front; standard input is empty. When a rank fails, the",
      "others have --grace to end, and are then ended; so are all, with all that they started, when this",
      "command is (Ctrl-C, SIGTERM, SIGHUP).",
      "",
      "A bare 'java' is the Java that runs this command, with the options that Tutti needs; Tutti's",
      "classes are added to the end of CLASSPATH (which counts unless -cp is given; then add",
      "\"$(tutti classpath)\" to it). -v shows what is started.",
      "",
      "Examples:",
      "  tutti run -n 4 -- java Hello.java",
      "  tutti run -n 2 --backend 'tcp?iface=lo' --timeout 30s -- java -jar app.jar --epochs 3",
      "  tutti run -n 3 -- sh -c 'echo I am rank $RANK of $WORLD_SIZE'",
      "",
      "Exit code: 0 if all ranks ended with 0, else that of the rank that failed first (128 + the",
      "signal's number if one ended it); 124 if --timeout ran out, 126 if the command cannot be",
      "executed, 127 if there is none, 2 for a wrong command line."
    })
final class RunCommand implements Callable<Integer>, Verbosity.Aware {
  @Mixin private final Verbosity verbosity = new Verbosity();

  @Spec private CommandSpec spec;

  @Option(
      names = {"-n", "--ranks"},
      required = true,
      paramLabel = "N",
      description = "How many ranks.")
  private int ranks;

  @Option(
      names = "--backend",
      paramLabel = "CONFIG",
      description =
          "The config string for programs that name none, such as 'tcp?iface=eth0': sets"
              + " TUTTI_BACKEND.")
  private @Nullable String backend;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      description = "Ends all ranks after this time, such as 30s. Default: never.")
  private @Nullable Duration timeout;

  @Option(
      names = "--grace",
      paramLabel = "DURATION",
      defaultValue = "5s",
      description = "How long the others may go on when a rank has failed. Default: 5s.")
  private Duration grace;

  @Option(names = "--no-prefix", description = "Leaves the rank in front of each line out.")
  private boolean withoutPrefix;

  @Parameters(
      arity = "1..*",
      paramLabel = "COMMAND",
      description = "The program and its arguments; everything after the first word is its own.")
  private List<String> command;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  RunCommand() {}

  @Override
  public Verbosity verbosity() {
    return verbosity;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (ranks < 1) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "-n " + ranks + ": at least one rank is needed");
    }
    BackendProvider.Starter starter = starter(System.getenv());
    PrintWriter errors = spec.commandLine().getErr();
    Program program = Program.find(command, System.getenv());
    if (program.problem() != null) {
      errors.println("tutti run: " + program.problem());
      return program.problemCode();
    }
    Launcher launcher = Launcher.of(ranks, program.command()).grace(grace).prefix(!withoutPrefix);
    program.environment().forEach(launcher::env);
    if (backend != null) {
      launcher.env(CommConfig.VARIABLE, backend);
    }
    if (timeout != null) {
      launcher.timeout(timeout);
    }
    if (starter != null) {
      launcher.through(starter);
      errors.println("tutti run: the ranks are started by " + String.join(" ", starter.command()));
      errors.flush();
    }
    if (verbosity.isVerbose()) {
      errors.println(
          "tutti run: starting " + ranks + " of: " + String.join(" ", program.command()));
      for (Map.Entry<String, String> variable : program.environment().entrySet()) {
        errors.println("tutti run: with " + variable.getKey() + "=" + variable.getValue());
      }
    }
    LaunchResult result = launcher.run();
    report(result, errors);
    return result.exitCode();
  }

  /**
   * Returns what has to start the ranks of the config that programs are told. Whether its backends
   * are there is for the program to say, which may have others.
   */
  private BackendProvider.@Nullable Starter starter(Map<String, String> environment) {
    String config = backend == null ? environment.get(CommConfig.VARIABLE) : backend;
    return config == null || config.isBlank()
        ? null
        : Backends.load().starter(CommConfig.parse(config), ranks);
  }

  private void report(LaunchResult result, PrintWriter errors) {
    String elapsed = String.format(Locale.ROOT, "%.1f s", result.elapsed().toMillis() / 1000.0);
    if (result.timedOut()) {
      errors.println(
          "tutti run: ended all ranks after --timeout "
              + (timeout == null ? elapsed : Units.formatDuration(timeout)));
    } else if (result.failedRank() >= 0) {
      List<String> last = result.lastLines();
      errors.println(
          "tutti run: rank %d of %d failed first, with exit code %d; all had ended after %s; %s"
              .formatted(
                  result.failedRank(),
                  ranks,
                  result.exitCode(),
                  elapsed,
                  last.isEmpty() ? "it had printed nothing" : "its last lines were:"));
      last.forEach(line -> errors.println("  | " + line));
    } else if (verbosity.isVerbose()) {
      errors.println("tutti run: all ranks ended with 0 after " + elapsed);
    }
    errors.flush();
  }
}
