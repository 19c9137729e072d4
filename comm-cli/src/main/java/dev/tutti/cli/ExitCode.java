package dev.tutti.cli;

/** What the command's exit code says. */
final class ExitCode {
  /** All went well. */
  static final int OK = 0;

  /**
   * It ran, and what was checked is not right: a wrong element, a failed case, something missing.
   */
  static final int CHECK_FAILED = 1;

  /** The command line or the config string is wrong; nothing was started. */
  static final int USAGE = 2;

  /** It could not be carried out: a backend cannot be had, a rank died, a time ran out. */
  static final int CANNOT = 3;

  /** {@code tutti run}: the time given by {@code --timeout} ran out. */
  static final int TIMED_OUT = 124;

  /** {@code tutti run}: the command is there but cannot be executed. */
  static final int NOT_EXECUTABLE = 126;

  /** {@code tutti run}: there is no such command. */
  static final int NOT_FOUND = 127;

  private ExitCode() {}
}
