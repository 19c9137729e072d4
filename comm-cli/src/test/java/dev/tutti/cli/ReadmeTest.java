package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.internal.Backends;
import dev.tutti.comm.internal.config.ConfigDocs;
import dev.tutti.comm.spi.BackendProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * README.md and docs/CONFIG.md say what is so: their key tables are those of the code, the program
 * of README.md runs. With {@code -Dtutti.docs=write} the tables are written anew instead.
 */
@Timeout(100)
class ReadmeTest {
  private static final Path HOUSE = Path.of("..");
  private static final Path README = HOUSE.resolve("README.md");
  private static final Pattern PROGRAM =
      Pattern.compile("```java\n((?:(?!```).)*class Pi .*?)```", Pattern.DOTALL);
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(?:#[^)]*)?\\)");

  @TempDir Path folder;

  private static List<BackendProvider> providers() {
    return Backends.load().providers().stream()
        .filter(provider -> !provider.name().equals("faulty"))
        .toList();
  }

  @Test
  void theKeyTablesAreThoseOfTheCode() throws IOException {
    for (Path document : List.of(README, HOUSE.resolve("docs/CONFIG.md"))) {
      String text = Files.readString(document);
      String updated = ConfigDocs.update(text, providers());
      if ("write".equals(System.getProperty("tutti.docs"))) {
        Files.writeString(document, updated);
      } else {
        assertThat(text)
            .as("%s; ./tutti test -pl comm-cli -am -Dtest=ReadmeTest -Dtutti.docs=write", document)
            .isEqualTo(updated);
      }
    }
    String readme = Files.readString(README);
    assertThat(ConfigDocs.names(providers()))
        .contains("group", "mpi", "tcp")
        .allSatisfy(name -> assertThat(readme).contains("<!-- keys:" + name + " -->"));
  }

  @Test
  void theProgramRuns() throws Exception {
    Matcher program = PROGRAM.matcher(Files.readString(README));
    assertThat(program.find()).isTrue();
    String source = program.group(1);
    assertThat(source.lines().count()).isLessThanOrEqualTo(20);
    Files.writeString(folder.resolve("Pi.java"), source);
    Process tutti =
        Tutti.start(
            Map.of("CLASSPATH", ""),
            folder,
            "run",
            "-n",
            "2",
            "--timeout",
            "60s",
            "--",
            "java",
            "Pi.java");
    try (Stream<String> lines = tutti.inputReader().lines()) {
      assertThat(lines.toList())
          .containsExactlyInAnyOrder(
              "[0] rank 0 of 2 over tcp: pi = 3.141592654",
              "[1] rank 1 of 2 over tcp: pi = 3.141592654");
    }
    assertThat(tutti.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(tutti.exitValue()).isZero();
    // No warning of Java's, no note about options.
    assertThat(tutti.errorReader().lines()).isEmpty();
  }

  @Test
  void whatIsLinkedIsThere() throws IOException {
    Matcher links = LINK.matcher(Files.readString(README));
    assertThat(links.results().map(link -> link.group(1)).toList())
        .isNotEmpty()
        .allSatisfy(link -> assertThat(HOUSE.resolve(link)).exists());
  }
}
