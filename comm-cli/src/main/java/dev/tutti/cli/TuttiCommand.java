package dev.tutti.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command itself, which only has subcommands. */
@Command(
    name = "tutti",
    versionProvider = Version.class,
    subcommands = {
      RunCommand.class,
      BenchCommand.class,
      SimulateCommand.class,
      ConformanceCommand.class,
      DoctorCommand.class,
      ConfigCommand.class,
      ClassPathCommand.class,
      HelpCommand.class
    },
    description = "Collective communication between processes on the JVM.",
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Examples:",
      "  tutti bench                              how fast allReduce is here, between two processes",
      "  tutti bench --backends tcp,local -n 4    two backends side by side",
      "  tutti run -n 4 -- java Hello.java        four processes of one program",
      "  tutti doctor                             what is here, what is missing, how to get it",
      "",
      "Exit code: 0 done; 1 a check failed; 2 wrong command line or config; 3 could not be done;",
      "'tutti run' has its program's exit code, see 'tutti run --help'."
    })
final class TuttiCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  @SuppressWarnings("UnusedVariable") // picocli acts on it
  private boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Shows the version.")
  @SuppressWarnings("UnusedVariable") // picocli acts on it
  private boolean version;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  TuttiCommand() {}

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(),
        "what is to be done? One of: " + String.join(", ", spec.subcommands().keySet()));
  }
}
