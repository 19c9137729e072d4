package dev.tutti.cli;

import dev.tutti.cli.doctor.Examination;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Says what is here, what is missing and how to get it. */
@Command(
    name = "doctor",
    description = "Says what is here, what is missing, and how to get it.",
    footer = {
      "",
      "Looks at the machine (Java, cores, memory, /dev/shm, limits, network), at each backend, and at",
      "the config and the launcher that a program would find when it is started as this command was.",
      "Starts nothing and changes nothing.",
      "",
      "Examples:",
      "  tutti doctor",
      "  tutti run -n 2 -- tutti doctor        what each rank of a job sees",
      "",
      "Exit code: 0 if all is well, 1 if something is missing."
    })
final class DoctorCommand implements Callable<Integer>, Verbosity.Aware {
  @Mixin private final Verbosity verbosity = new Verbosity();

  @Spec private CommandSpec spec;

  @Option(names = "--json", description = "Prints one JSON object.")
  private boolean json;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  DoctorCommand() {}

  @Override
  public Verbosity verbosity() {
    return verbosity;
  }

  @Override
  public Integer call() {
    Examination examination = Examination.of(System.getenv(), System.getProperties());
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.print(examination.json(Version.describe()));
    } else {
      out.println("tutti " + Version.describe());
      out.print(examination.text());
    }
    out.flush();
    return examination.isWell() ? ExitCode.OK : ExitCode.CHECK_FAILED;
  }
}
