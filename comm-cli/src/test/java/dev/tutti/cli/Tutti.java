package dev.tutti.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tutti.cli.runtime.OwnRuntime;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The command in a process of its own, as users start it. */
final class Tutti {
  private static final int PATIENCE_SECONDS = 50;

  private Tutti() {}

  /** How a run ended. */
  record Outcome(int exitCode, String out, String err) {}

  /** Runs the command and waits for its end. */
  static Outcome run(String... arguments) throws Exception {
    return run(Map.of(), arguments);
  }

  /** Runs the command with some variables and waits for its end. */
  static Outcome run(Map<String, String> environment, String... arguments) throws Exception {
    Process process = start(environment, Path.of("."), arguments);
    try {
      CompletableFuture<String> errors =
          CompletableFuture.supplyAsync(() -> text(process.getErrorStream()));
      String output = text(process.getInputStream());
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("did not end: tutti " + List.of(arguments) + "\n" + output);
      }
      return new Outcome(process.exitValue(), output, errors.get());
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  /** Starts the command in a folder. */
  static Process start(Map<String, String> environment, Path folder, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(OwnRuntime.java().toString());
    command.addAll(OwnRuntime.javaOptions());
    command.addAll(List.of("-XX:+UseSerialGC", "-cp", classPath()));
    command.add(Main.class.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    // What surrounds the tests must not choose a backend for them.
    builder.environment().keySet().removeIf(name -> name.startsWith("TUTTI_"));
    builder.environment().putAll(environment);
    return builder.start();
  }

  /** What the tests run from, without the logger that ArchUnit brings and Netty would greet. */
  private static String classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> !entry.contains("slf4j"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String text(InputStream stream) {
    try (stream) {
      return new String(stream.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
