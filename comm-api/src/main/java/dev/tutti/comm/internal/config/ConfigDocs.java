package dev.tutti.comm.internal.config;

import dev.tutti.comm.spi.BackendProvider;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The tables of the config string's keys, made from their declarations: Markdown for documents,
 * plain text for {@code --help}.
 *
 * <p>A document holds a table between two marks, {@code <!-- keys:tcp -->} and {@code <!--
 * /keys:tcp -->}, each on a line of its own; the group's own table is called {@code group}. What
 * lies between is generated.
 */
public final class ConfigDocs {
  private static final String GROUP = "group";
  private static final int WIDTH = 80;
  private static final int LEAST_WIDTH = 30;
  private static final int MARGIN = 2;

  private ConfigDocs() {}

  /**
   * Returns a document with its tables renewed. A table of a backend without a provider here is
   * left as it is.
   *
   * @param document the Markdown text
   * @param providers the providers whose keys are known
   * @throws IllegalArgumentException if a mark that opens a table is not followed by the one that
   *     closes it
   */
  public static String update(String document, Collection<? extends BackendProvider> providers) {
    String updated = document;
    for (Map.Entry<String, List<BackendProvider.Key>> section : sections(providers).entrySet()) {
      String open = "<!-- keys:" + section.getKey() + " -->\n";
      String close = "<!-- /keys:" + section.getKey() + " -->\n";
      int from = updated.indexOf(open);
      if (from < 0) {
        continue;
      }
      from += open.length();
      int to = updated.indexOf(close, from);
      if (to < 0) {
        throw new IllegalArgumentException(open.strip() + " is not closed by " + close.strip());
      }
      updated =
          updated.substring(0, from)
              + "\n"
              + markdown(section.getValue())
              + "\n"
              + updated.substring(to);
    }
    return updated;
  }

  /**
   * Returns the names of the tables that a document should hold: the group's and each provider's,
   * except where there are no keys.
   *
   * @param providers the providers whose keys are known
   */
  public static List<String> names(Collection<? extends BackendProvider> providers) {
    return List.copyOf(sections(providers).keySet());
  }

  /**
   * Returns the table of some keys in Markdown, with a line break at its end.
   *
   * @param keys the keys, in the table's order
   */
  public static String markdown(List<BackendProvider.Key> keys) {
    StringBuilder table =
        new StringBuilder("| key | value | default | what it does |\n| --- | --- | --- | --- |\n");
    for (BackendProvider.Key key : keys) {
      String value = key.defaultValue();
      table.append("| `").append(key.name()).append("` | ").append(cell(KeySyntax.kind(key)));
      table.append(" | ").append(value == null ? "" : "`" + cell(value) + "`").append(" | ");
      table.append(cell(key.description())).append(" |\n");
    }
    return table.toString();
  }

  /**
   * Returns all tables as plain text of at most 80 columns: the group's keys, then each backend's.
   *
   * @param providers the providers whose keys are known
   */
  public static String plainText(Collection<? extends BackendProvider> providers) {
    StringBuilder text = new StringBuilder();
    sections(providers)
        .forEach(
            (name, keys) -> {
              String title = name.equals(GROUP) ? "Keys of the group" : "Keys of " + name;
              text.append(text.isEmpty() ? "" : "\n").append(title).append(":\n");
              text.append(plainText(keys));
            });
    return text.toString();
  }

  private static String plainText(List<BackendProvider.Key> keys) {
    int column = 0;
    for (BackendProvider.Key key : keys) {
      column = Math.max(column, MARGIN + usage(key).length() + MARGIN);
    }
    StringBuilder text = new StringBuilder();
    for (BackendProvider.Key key : keys) {
      String value = key.defaultValue();
      String description = key.description() + (value == null ? "" : " (default " + value + ")");
      String left = " ".repeat(MARGIN) + usage(key);
      for (String line : wrapped(description, Math.max(LEAST_WIDTH, WIDTH - column))) {
        text.append(left).append(" ".repeat(column - left.length())).append(line).append('\n');
        left = "";
      }
    }
    return text.toString();
  }

  private static String usage(BackendProvider.Key key) {
    return key.name() + "=" + KeySyntax.placeholder(key);
  }

  private static List<String> wrapped(String text, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : text.split(" ", -1)) {
      if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return lines;
  }

  private static Map<String, List<BackendProvider.Key>> sections(
      Collection<? extends BackendProvider> providers) {
    Map<String, List<BackendProvider.Key>> backends = new TreeMap<>();
    for (BackendProvider provider : providers) {
      if (!provider.keys().isEmpty()) {
        backends.put(provider.name(), provider.keys());
      }
    }
    Map<String, List<BackendProvider.Key>> sections = new LinkedHashMap<>();
    sections.put(GROUP, GroupKeys.ALL);
    sections.putAll(backends);
    return sections;
  }

  private static String cell(String text) {
    return text.replace("|", "\\|");
  }
}
