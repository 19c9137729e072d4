package dev.tutti.comm.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.spi.BackendProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ConfigDocsTest {
  @Test
  void writesMarkdown() {
    assertThat(ConfigDocs.markdown(DeclaredKeys.DEMO.keys()))
        .isEqualTo(
            """
            | key | value | default | what it does |
            | --- | --- | --- | --- |
            | `label` | text | `plain` | a text |
            | `iface` | list |  | interfaces |
            | `nodelay` | on or off | `on` | whether small messages leave at once |
            | `channels` | whole number | `2` | connections to each peer |
            | `buffer` | size | `1MiB` | size of a slot |
            | `linger` | duration | `2s` | how long closing may take |
            | `algorithm` | ring or tree | `ring` | which \\| algorithm |
            | `token` | text |  | has to be given |
            """);
  }

  @Test
  void writesPlainText() {
    assertThat(ConfigDocs.plainText(List.of(DeclaredKeys.PLAIN, DeclaredKeys.DEMO)))
        .isEqualTo(
            """
            Keys of the group:
              timeout=TIME       how long one operation, or setting a group up, may take
                                 before it fails (default 5min)
              order=fast|ranked  order of floating-point reductions: as is fastest, or by
                                 rank (the same bits on every backend) (default fast)
              debug=off|detail   detail: before data moves, all ranks check that they made
                                 the same call (default off)
              scratch=SIZE       memory that a group may hold for chunks on their way
                                 (default 16MiB)

            Keys of demo:
              label=TEXT           a text (default plain)
              iface=A+B            interfaces
              nodelay=on|off       whether small messages leave at once (default on)
              channels=N           connections to each peer (default 2)
              buffer=SIZE          size of a slot (default 1MiB)
              linger=TIME          how long closing may take (default 2s)
              algorithm=ring|tree  which | algorithm (default ring)
              token=TEXT           has to be given
            """);
  }

  @Test
  void renewsTheTablesBetweenTheirMarks() {
    String document =
        """
        Before.
        <!-- keys:demo -->
        stale
        <!-- /keys:demo -->
        Between.
        <!-- keys:elsewhere -->
        kept
        <!-- /keys:elsewhere -->
        """;

    String updated = ConfigDocs.update(document, List.of(DeclaredKeys.DEMO));

    assertThat(updated)
        .startsWith("Before.\n<!-- keys:demo -->\n\n| key |")
        .contains("| has to be given |\n\n<!-- /keys:demo -->\nBetween.\n")
        .contains("<!-- keys:elsewhere -->\nkept\n<!-- /keys:elsewhere -->")
        .doesNotContain("stale");
    assertThat(ConfigDocs.update(updated, List.of(DeclaredKeys.DEMO))).isEqualTo(updated);
  }

  @Test
  void refusesATableWithoutEnd() {
    assertThatThrownBy(() -> ConfigDocs.update("<!-- keys:group -->\n", List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("<!-- keys:group --> is not closed by <!-- /keys:group -->");
  }

  /** The page is renewed by running this test with {@code -Dtutti.docs.write=true}. */
  @Test
  void thePageHoldsTheTablesOfTheKeysThatThereAre() throws IOException {
    List<BackendProvider> providers = new ArrayList<>();
    ServiceLoader.load(BackendProvider.class).forEach(providers::add);
    Path page = page();
    String document = Files.readString(page);
    String updated = ConfigDocs.update(document, providers);
    if (Boolean.getBoolean("tutti.docs.write") && !updated.equals(document)) {
      Files.writeString(page, updated);
      document = updated;
    }

    assertThat(document)
        .as("%s is stale: run this test with -Dtutti.docs.write=true", page)
        .isEqualTo(updated)
        .contains(
            ConfigDocs.names(providers).stream()
                .map(name -> "<!-- keys:" + name + " -->\n")
                .toList());
  }

  private static Path page() {
    Path folder = Path.of("").toAbsolutePath();
    while (folder != null) {
      Path page = folder.resolve("docs").resolve("CONFIG.md");
      if (Files.exists(page)) {
        return page;
      }
      folder = folder.getParent();
    }
    throw new AssertionError(
        "docs/CONFIG.md is not in " + Path.of("").toAbsolutePath() + " or above");
  }
}
