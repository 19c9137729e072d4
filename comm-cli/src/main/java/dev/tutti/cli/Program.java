package dev.tutti.cli;

import dev.tutti.cli.runtime.OwnRuntime;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The program that {@code tutti run} starts: looked for before anything is started, and, if it is
 * {@code java}, given what Tutti needs.
 *
 * @param command the program and its arguments as they are started
 * @param environment the variables that are set for it
 * @param problem why it cannot be started, or null if it can
 * @param problemCode the exit code that says so, as a shell has it
 */
record Program(
    List<String> command,
    Map<String, String> environment,
    @Nullable String problem,
    int problemCode) {
  private static final String JAVA = "java";
  private static final String CLASSPATH = "CLASSPATH";
  private static final String PATH = "PATH";

  /**
   * Finds a program.
   *
   * @param words the program and its arguments as the user wrote them
   * @param environment the environment's variables
   */
  static Program find(List<String> words, Map<String, String> environment) {
    String name = words.getFirst();
    String path = environment.getOrDefault(PATH, "");
    Map<String, String> variables = new LinkedHashMap<>();
    // What the ranks start in turn, by a script for example, is to find the same Java and Tutti.
    Path bin = OwnRuntime.java().getParent();
    if (!path.startsWith(bin + File.pathSeparator)) {
      variables.put(PATH, bin + (path.isEmpty() ? "" : File.pathSeparator + path));
    }
    String classPath = environment.getOrDefault(CLASSPATH, "");
    variables.put(
        CLASSPATH,
        // Java takes the working directory where no class path is set; so it still does.
        (classPath.isEmpty() ? "." : classPath)
            + File.pathSeparator
            + OwnRuntime.joined(OwnRuntime.library()));
    List<String> command = new ArrayList<>(words);
    if (name.equals(JAVA)) {
      command.set(0, OwnRuntime.java().toString());
      command.addAll(1, OwnRuntime.javaOptions());
      return new Program(command, variables, null, 0);
    }
    return located(name, path, command, variables);
  }

  private static Program located(
      String name, String path, List<String> command, Map<String, String> variables) {
    if (name.isEmpty()) {
      return broken(command, "the command is empty", ExitCode.NOT_FOUND);
    }
    boolean isPath = name.contains(File.separator);
    List<String> folders = isPath ? List.of("") : List.of(path.split(File.pathSeparator, -1));
    Path found = null;
    for (String folder : folders) {
      try {
        Path candidate = Path.of(folder, name);
        if (Files.isRegularFile(candidate)) {
          if (Files.isExecutable(candidate)) {
            return new Program(command, variables, null, 0);
          }
          found = candidate;
        } else if (isPath && Files.isDirectory(candidate)) {
          return broken(command, name + " is a folder, not a program", ExitCode.NOT_EXECUTABLE);
        }
      } catch (InvalidPathException e) {
        // No folder of this name can exist.
      }
    }
    if (found != null) {
      return broken(
          command,
          found + " is no program that may be executed; make it one with: chmod +x " + found,
          ExitCode.NOT_EXECUTABLE);
    }
    return broken(
        command,
        isPath
            ? "command not found: there is no file " + name
            : "command not found: there is no " + name + " in the folders of PATH",
        ExitCode.NOT_FOUND);
  }

  private static Program broken(List<String> command, String problem, int code) {
    return new Program(command, Map.of(), problem, code);
  }
}
