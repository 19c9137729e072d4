package dev.tutti.cli.runtime;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The Java, its options, and the jars and class folders that this command runs from. */
public final class OwnRuntime {
  /** One class of each part that only the command itself needs, not a program that uses Tutti. */
  private static final List<String> COMMAND_ONLY =
      List.of(
          "dev/tutti/cli/Main.class",
          "dev/tutti/conformance/Conformance.class",
          "picocli/CommandLine.class",
          "org/HdrHistogram/Histogram.class",
          "me/tongfei/progressbar/ProgressBar.class",
          "org/knowm/xchart/XYChart.class",
          "de/erichseifert/vectorgraphics2d/VectorGraphics2D.class",
          "org/jline/terminal/Terminal.class",
          "org/jline/nativ/JLineNativeLoader.class");

  private OwnRuntime() {}

  /** Returns everything that the command runs from, as absolute paths. */
  public static List<Path> all() {
    Set<Path> entries = new LinkedHashSet<>();
    for (String property : List.of("java.class.path", "jdk.module.path")) {
      for (String entry : System.getProperty(property, "").split(File.pathSeparator, -1)) {
        if (!entry.isEmpty()) {
          add(entries, Path.of(entry).toAbsolutePath().normalize(), property);
        }
      }
    }
    return List.copyOf(entries);
  }

  /** A folder on the module path is full of jars, or one module's classes. */
  private static void add(Set<Path> entries, Path entry, String property) {
    boolean folderOfJars =
        property.equals("jdk.module.path")
            && Files.isDirectory(entry)
            && !Files.exists(entry.resolve("module-info.class"));
    if (!folderOfJars) {
      entries.add(entry);
      return;
    }
    try (Stream<Path> jars = Files.list(entry)) {
      jars.filter(jar -> jar.toString().endsWith(".jar")).sorted().forEach(entries::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns what a program that uses Tutti needs: the library, its backends and their libraries.
   */
  public static List<Path> library() {
    List<Path> entries = new ArrayList<>(all());
    ClassLoader loader = OwnRuntime.class.getClassLoader();
    for (String name : COMMAND_ONLY) {
      URL found = loader.getResource(name);
      if (found != null) {
        entries.remove(origin(found, name));
      }
    }
    return entries;
  }

  /** Returns the jar or folder in which a class was found. */
  private static Path origin(URL found, String name) {
    String text = found.toString();
    if (text.startsWith("jar:")) {
      text = text.substring("jar:".length(), text.indexOf("!/"));
    } else {
      text = text.substring(0, text.length() - name.length());
    }
    try {
      return Path.of(new URI(text)).toAbsolutePath().normalize();
    } catch (URISyntaxException e) {
      throw new IllegalStateException("no file: " + found, e);
    }
  }

  /** Returns entries joined as the option {@code -cp} takes them. */
  public static String joined(List<Path> entries) {
    return String.join(File.pathSeparator, entries.stream().map(Path::toString).toList());
  }

  /** Returns the {@code java} that runs this command. */
  public static Path java() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }

  /**
   * Returns the options of {@code java} without which the library, on the class path, draws
   * warnings.
   */
  public static List<String> javaOptions() {
    return List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");
  }

  /**
   * Returns the start of a command line that runs a class of this command as this process runs: on
   * the class path or on the module path.
   *
   * @param main the class
   */
  public static List<String> command(Class<?> main) {
    List<String> command = new ArrayList<>();
    command.add(java().toString());
    String modulePath = System.getProperty("jdk.module.path");
    Module module = main.getModule();
    if (module.isNamed() && modulePath != null) {
      command.add("--sun-misc-unsafe-memory-access=allow");
      command.add("--enable-native-access=" + String.join(",", nativeModules()));
      // Netty's native parts are found only so.
      command.addAll(List.of("--add-modules=ALL-MODULE-PATH", "-p", modulePath));
      command.addAll(List.of("-m", module.getName() + "/" + main.getName()));
    } else {
      command.addAll(javaOptions());
      command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    }
    return command;
  }

  /** Returns the modules here that call into native code. */
  private static List<String> nativeModules() {
    return ModuleLayer.boot().modules().stream()
        .map(Module::getName)
        .filter(name -> name.startsWith("dev.tutti.") || name.startsWith("io.netty."))
        .sorted()
        .toList();
  }
}
