package dev.tutti.cli;

import dev.tutti.cli.bench.BenchFailedException;
import dev.tutti.comm.BackendUnavailableException;
import dev.tutti.comm.CommException;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.config.Nearest;
import dev.tutti.comm.internal.config.Quoted;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * What the command says, on standard error, when it cannot do what was asked; and its exit code.
 */
final class Complaints {
  private Complaints() {}

  /** Says what is wrong with the command line, what was most likely meant, and where help is. */
  static int badUsage(ParameterException problem, String[] arguments) {
    CommandLine line = problem.getCommandLine();
    String name = line.getCommandSpec().qualifiedName();
    PrintWriter errors = line.getErr();
    errors.println(name + ": " + message(problem));
    errors.println("Try '" + name + " --help'.");
    return ExitCode.USAGE;
  }

  private static String message(ParameterException problem) {
    String word = unknownWord(problem);
    if (word != null) {
      CommandSpec command = problem.getCommandLine().getCommandSpec();
      boolean option = word.startsWith("-");
      Collection<String> known =
          option ? options(command) : List.copyOf(command.subcommands().keySet());
      if (option || !known.isEmpty()) {
        String bare = option ? word.replaceFirst("=.*", "") : word;
        return "unknown %s %s. %s"
            .formatted(
                option ? "option" : "command", Quoted.quote(bare), Nearest.hint(bare, known));
      }
      return "does not take the argument " + Quoted.quote(word);
    }
    return String.valueOf(problem.getMessage());
  }

  /**
   * Returns the word that no option or command has, or null if that is not the problem. An option
   * that is missing may be one that was meant by an unknown one, or that stands behind it.
   */
  private static @Nullable String unknownWord(ParameterException problem) {
    if (problem instanceof UnmatchedArgumentException unmatched) {
      return unmatched.getUnmatched().getFirst();
    }
    if (problem instanceof MissingParameterException) {
      return problem.getCommandLine().getUnmatchedArguments().stream()
          .filter(word -> word.startsWith("-"))
          .findFirst()
          .orElse(null);
    }
    return null;
  }

  private static List<String> options(CommandSpec command) {
    List<String> names = new ArrayList<>();
    command.options().stream()
        .filter(option -> !option.hidden())
        .forEach(option -> names.add(option.longestName()));
    return names;
  }

  /** Says why a command failed; a failure that nobody foresaw comes with its stack. */
  static int failed(Exception problem, CommandLine line, ParseResult parsed) {
    PrintWriter errors = line.getErr();
    boolean foreseen =
        problem instanceof ConfigException
            || problem instanceof BackendUnavailableException
            || problem instanceof CommException
            || problem instanceof BenchFailedException
            || problem instanceof IOException;
    String message = foreseen ? problem.getMessage() : "unexpected: " + problem;
    errors.println(line.getCommandSpec().qualifiedName() + ": " + message);
    boolean verbose =
        line.getCommand() instanceof Verbosity.Aware command && command.verbosity().isVerbose();
    if (!foreseen || verbose) {
      problem.printStackTrace(errors);
    }
    errors.flush();
    return problem instanceof ConfigException ? ExitCode.USAGE : ExitCode.CANNOT;
  }
}
