package dev.tutti.cli.text;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Whether somebody is looking: a progress bar and colours are for terminals only. */
public final class Terminal {
  private static final int OUTPUT = 1;
  private static final int ERRORS = 2;

  private Terminal() {}

  /**
   * Returns whether standard output may carry colours: it is a terminal, and NO_COLOR is not set.
   */
  public static boolean hasColours() {
    String off = System.getenv("NO_COLOR");
    return isTerminal(OUTPUT) && (off == null || off.isEmpty());
  }

  /** Returns whether standard output is a terminal. */
  public static boolean isOutput() {
    return isTerminal(OUTPUT);
  }

  /**
   * Returns whether standard error, where progress is shown, is a terminal that can move its
   * cursor.
   */
  public static boolean showsProgress() {
    return isTerminal(ERRORS) && !"dumb".equals(System.getenv("TERM"));
  }

  /** Java knows only whether both standard input and output are a terminal; Linux knows of each. */
  @SuppressWarnings("SystemConsoleNull") // it is null again from JDK 25 on
  private static boolean isTerminal(int descriptor) {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return target.startsWith("/dev/pts/")
          || target.startsWith("/dev/tty")
          || target.equals("/dev/console");
    } catch (IOException | UnsupportedOperationException e) {
      Console console = System.console();
      return console != null && console.isTerminal();
    }
  }
}
