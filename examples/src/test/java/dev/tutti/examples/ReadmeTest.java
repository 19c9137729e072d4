package dev.tutti.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The commands that examples/README.md shows print what it shows. */
class ReadmeTest {
  private static final Path README = Path.of("README.md");
  private static final Pattern SHOWN =
      Pattern.compile("\\$ \\./tutti run -n (\\d) -- java (.*)\n((?:\\[\\d] .*\n)+)");

  private static List<MatchResult> shown() throws IOException {
    Matcher commands = SHOWN.matcher(Files.readString(README));
    return commands.results().toList();
  }

  @TestFactory
  Stream<DynamicTest> whatIsShownIsWhatIsPrinted() throws IOException {
    return shown().stream()
        .map(
            command ->
                DynamicTest.dynamicTest(
                    command.group(2),
                    () ->
                        assertThat(
                                Program.runSource(
                                    Integer.parseInt(command.group(1)),
                                    List.of(command.group(2).split(" "))))
                            .containsExactlyInAnyOrderElementsOf(
                                command.group(3).lines().toList())));
  }

  @Test
  void everyExampleIsShown() throws IOException {
    List<String> commands = shown().stream().map(command -> command.group(2)).toList();
    try (Stream<Path> files = Files.list(Path.of("src/main/java/dev/tutti/examples"))) {
      List<String> examples =
          files
              .map(file -> "examples/" + file)
              .filter(file -> !file.endsWith("package-info.java"))
              .toList();
      assertThat(examples)
          .isNotEmpty()
          .allSatisfy(
              example ->
                  assertThat(commands).anySatisfy(shown -> assertThat(shown).startsWith(example)));
    }
  }
}
