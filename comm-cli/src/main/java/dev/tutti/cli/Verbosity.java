package dev.tutti.cli;

import picocli.CommandLine.Option;

/** The options that every command has. */
final class Verbosity {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  @SuppressWarnings("UnusedVariable") // picocli acts on it
  private boolean help;

  @Option(
      names = {"-v", "--verbose"},
      description = "Says more of what is done, and shows the stack of a failure.")
  private boolean verbose;

  /** A command that has these options. */
  interface Aware {
    /** Returns the options. */
    Verbosity verbosity();
  }

  /** Returns whether the user wants to see more. */
  boolean isVerbose() {
    return verbose;
  }
}
