package dev.tutti.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.internal.launch.LaunchResult;
import dev.tutti.comm.internal.launch.Launcher;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An example as real processes, started as {@code ./tutti run} does. */
final class Program {
  private static final Path ROOT = Path.of("..");
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private Program() {}

  /** Runs the compiled example; returns its output, each line with its rank in front. */
  static List<String> run(int ranks, Class<?> example, String... arguments)
      throws InterruptedException {
    List<String> words = new ArrayList<>(List.of("-cp", System.getProperty("java.class.path")));
    words.add(example.getName());
    words.addAll(List.of(arguments));
    return run(ranks, words);
  }

  /** Runs a file of source code, which Java compiles, from the repository's root. */
  static List<String> runSource(int ranks, List<String> fileAndArguments)
      throws InterruptedException {
    // Java refuses a file whose class is on the class path already.
    String library =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> !Path.of(entry).startsWith(Path.of("target").toAbsolutePath()))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> words = new ArrayList<>(List.of("-cp", library));
    words.addAll(fileAndArguments);
    return run(ranks, words);
  }

  private static List<String> run(int ranks, List<String> words) throws InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.add("-XX:+UseSerialGC");
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(words);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    LaunchResult result =
        Launcher.of(ranks, command)
            .directory(ROOT)
            // What surrounds the tests must not choose a backend for them.
            .env("TUTTI_BACKEND", "auto")
            .timeout(LIMIT)
            .output(out, err)
            .run();
    assertThat(err.toString(UTF_8)).as("errors of %s: %s", words, result).isEmpty();
    assertThat(result.exitCode()).as("%s", result).isZero();
    return out.toString(UTF_8).lines().toList();
  }
}
