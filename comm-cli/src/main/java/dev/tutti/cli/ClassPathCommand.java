package dev.tutti.cli;

import dev.tutti.cli.runtime.OwnRuntime;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints the class path that a program needs which uses Tutti. */
@Command(
    name = "classpath",
    description = "Prints the class path for a program that uses Tutti.",
    footer = {
      "",
      "Example:",
      "  javac -cp \"$(tutti classpath)\" -d classes Hello.java",
      "  tutti run -n 4 -- java -cp \"classes:$(tutti classpath)\" Hello"
    })
final class ClassPathCommand implements Runnable, Verbosity.Aware {
  @Mixin private final Verbosity verbosity = new Verbosity();

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  ClassPathCommand() {}

  @Override
  public Verbosity verbosity() {
    return verbosity;
  }

  @Override
  public void run() {
    spec.commandLine().getOut().println(OwnRuntime.joined(OwnRuntime.library()));
  }
}
