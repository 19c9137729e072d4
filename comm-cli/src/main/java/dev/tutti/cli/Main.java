package dev.tutti.cli;

import dev.tutti.cli.text.Terminal;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.config.Units;
import java.time.Duration;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.TypeConversionException;

/** The command {@code tutti}. */
public final class Main {
  private static final int WIDTH = 100;

  private Main() {}

  /**
   * Runs the command and ends the process with its exit code.
   *
   * @param arguments see {@code tutti --help}
   */
  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  /** Runs the command and returns its exit code. */
  static int run(String... arguments) {
    return commandLine().execute(arguments);
  }

  /** Returns the command, ready to be run. */
  static CommandLine commandLine() {
    CommandLine line = new CommandLine(new TuttiCommand());
    line.registerConverter(Duration.class, Main::duration);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setUsageHelpWidth(WIDTH);
    line.setColorScheme(
        Help.defaultColorScheme(Terminal.hasColours() ? Help.Ansi.ON : Help.Ansi.OFF));
    line.setParameterExceptionHandler(Complaints::badUsage);
    line.setExecutionExceptionHandler(Complaints::failed);
    // Whatever follows the program's name is the program's own.
    Objects.requireNonNull(line.getSubcommands().get("run")).setStopAtPositional(true);
    return line;
  }

  private static Duration duration(String text) {
    try {
      return Units.parseDuration(text);
    } catch (ConfigException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
