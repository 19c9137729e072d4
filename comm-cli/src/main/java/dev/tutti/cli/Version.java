package dev.tutti.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IVersionProvider;

/**
 * Which Tutti this is: its version and, where it runs from a clone of its repository, the commit.
 */
final class Version implements IVersionProvider {
  private static final String RESOURCE = "version.properties";
  private static final int ABBREVIATED = 12;
  private static final String SYMBOLIC = "ref: ";

  @Override
  public String[] getVersion() {
    return new String[] {
      "tutti " + describe(), "Java " + System.getProperty("java.runtime.version")
    };
  }

  /** Returns the version and, where it is known, the commit. */
  static String describe() {
    String commit = commit();
    return number() + (commit == null ? "" : " (commit " + commit + ")");
  }

  /** Returns the version's number. */
  static String number() {
    try (InputStream stream = Version.class.getResourceAsStream(RESOURCE)) {
      Properties properties = new Properties();
      properties.load(stream);
      return properties.getProperty("version", "unknown");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the commit that is checked out where the classes lie, or null if they lie in no clone.
   */
  private static @Nullable String commit() {
    try {
      return commit(
          Path.of(Version.class.getProtectionDomain().getCodeSource().getLocation().toURI()));
    } catch (URISyntaxException | RuntimeException e) {
      return null;
    }
  }

  /**
   * Returns the commit that is checked out in the clone around a folder, or null if there is none.
   */
  static @Nullable String commit(Path classes) {
    try {
      for (Path folder = classes; folder != null; folder = folder.getParent()) {
        Path git = folder.resolve(".git");
        if (Files.exists(git)) {
          return head(git);
        }
      }
    } catch (IOException | RuntimeException e) {
      // It is a courtesy only.
    }
    return null;
  }

  private static @Nullable String head(Path git) throws IOException {
    Path folder = git;
    if (Files.isRegularFile(git)) {
      // A work tree of its own: the file says where its folder is.
      String line = Files.readString(git).strip();
      folder = git.resolveSibling(line.substring(line.indexOf(' ') + 1));
    }
    String head = Files.readString(folder.resolve("HEAD")).strip();
    if (!head.startsWith(SYMBOLIC)) {
      return abbreviated(head);
    }
    String name = head.substring(SYMBOLIC.length());
    Path common = folder;
    if (Files.exists(folder.resolve("commondir"))) {
      common = folder.resolve(Files.readString(folder.resolve("commondir")).strip());
    }
    if (Files.exists(common.resolve(name))) {
      return abbreviated(Files.readString(common.resolve(name)).strip());
    }
    Path packed = common.resolve("packed-refs");
    if (!Files.exists(packed)) {
      return null;
    }
    try (Stream<String> lines = Files.lines(packed)) {
      return lines
          .filter(line -> line.endsWith(" " + name))
          .findFirst()
          .map(line -> line.substring(0, ABBREVIATED))
          .orElse(null);
    }
  }

  private static @Nullable String abbreviated(String hash) {
    return hash.isEmpty() ? null : hash.substring(0, Math.min(ABBREVIATED, hash.length()));
  }
}
