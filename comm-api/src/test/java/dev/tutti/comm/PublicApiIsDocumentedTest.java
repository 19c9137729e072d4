package dev.tutti.comm;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Everything public or protected in the exported packages has a Javadoc comment.
 *
 * <p>The compiler's own check says it, but asks in the same breath for a {@code @return} below each
 * "Returns …": of what it finds only the absent comments count here.
 */
class PublicApiIsDocumentedTest {
  private static final Path SOURCES = Path.of("src/main/java");
  private static final List<String> EXPORTED = List.of("dev/tutti/comm", "dev/tutti/comm/spi");

  private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
  private final Locale locale = Locale.getDefault();

  /** The compiler's findings differ by their text alone. */
  @BeforeEach
  void speakEnglish() {
    Locale.setDefault(Locale.ENGLISH);
  }

  @AfterEach
  void speakAsBefore() {
    Locale.setDefault(locale);
  }

  @Test
  void exportedPackagesAreDocumented() throws IOException {
    List<Path> sources = new ArrayList<>();
    for (String folder : EXPORTED) {
      try (Stream<Path> found = Files.list(SOURCES.resolve(folder))) {
        found.filter(p -> p.toString().endsWith(".java")).forEach(sources::add);
      }
    }
    assertThat(sources).hasSizeGreaterThan(20);
    try (var files = compiler.getStandardFileManager(null, null, null)) {
      assertThat(undocumented(files.getJavaFileObjectsFromPaths(sources))).isEmpty();
    }
  }

  @Test
  void anAbsentCommentIsFound() throws IOException {
    String text =
        """
        package dev.tutti.comm;
        /** A type. */
        public class Sample {
          /** A comment without a tag. */
          public int documented() { return 1; }
          public int bare() { return 2; }
          int internal() { return 3; }
        }
        """;
    var source =
        new SimpleJavaFileObject(URI.create("mem:///Sample.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
          }
        };
    assertThat(undocumented(List.of(source))).singleElement().asString().contains("Sample.java:6");
  }

  private List<String> undocumented(Iterable<? extends JavaFileObject> sources) throws IOException {
    var found = new DiagnosticCollector<JavaFileObject>();
    var task =
        compiler.getTask(
            null,
            null,
            found,
            List.of(
                "-proc:none",
                "-implicit:none",
                "-Xmaxwarns",
                "10000",
                "-Xdoclint:missing/protected",
                "--source-path",
                SOURCES.toString(),
                "--class-path",
                System.getProperty("java.class.path")),
            null,
            sources);
    ((JavacTask) task).analyze();
    return found.getDiagnostics().stream()
        .filter(d -> d.getMessage(Locale.ENGLISH).equals("no comment"))
        .map(d -> d.getSource().getName() + ":" + d.getLineNumber())
        .toList();
  }
}
