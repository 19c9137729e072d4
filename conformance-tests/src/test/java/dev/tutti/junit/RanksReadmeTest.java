package dev.tutti.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.testkit.engine.EngineTestKit;

/** The test class that README.md shows compiles as it stands there, and passes. */
class RanksReadmeTest {
  private static final Pattern SHOWN =
      Pattern.compile(
          "```java\n((?:(?!```).)*class (\\w+)(?:(?!```).)*@Ranks(?:(?!```).)*)```",
          Pattern.DOTALL);

  @TempDir Path folder;

  @Test
  void whatIsShownPasses() throws Exception {
    Matcher shown = SHOWN.matcher(Files.readString(Path.of("../README.md")));
    assertThat(shown.find()).isTrue();
    String name = shown.group(2);
    Path source = Files.writeString(folder.resolve(name + ".java"), shown.group(1));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      assertThat(
              compiler
                  .getTask(null, files, null, null, null, files.getJavaFileObjects(source))
                  .call())
          .isTrue();
    }
    try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      EngineTestKit.engine("junit-jupiter")
          .selectors(selectClass(loader.loadClass(name)))
          .execute()
          .testEvents()
          .assertStatistics(counts -> counts.started(3).succeeded(3));
    }
  }
}
