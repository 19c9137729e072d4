package dev.tutti.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every rule of docs/CONTRACT.md has a test, and every test's rule is there. */
class ContractTest {
  private static final Path CONTRACT = Path.of("..", "docs", "CONTRACT.md");
  private static final String BEGIN = "<!-- tests -->\n";
  private static final String END = "<!-- /tests -->";

  /** Set to write the table instead of comparing it. */
  private static final String WRITE = "tutti.contract.write";

  @Test
  void everyRuleHasATestAndEveryTestARule() throws Exception {
    List<String> rules = rules();
    Map<String, Set<String>> tests = tests();
    assertThat(rules).hasSizeGreaterThan(30).doesNotHaveDuplicates();
    assertThat(tests.keySet()).containsExactlyInAnyOrderElementsOf(rules);
  }

  @Test
  void theTableNamesThem() throws Exception {
    StringBuilder table = new StringBuilder("| rule | held by |\n| --- | --- |\n");
    Map<String, Set<String>> tests = tests();
    for (String rule : rules()) {
      table.append("| %s | %s |\n".formatted(rule, String.join(", ", tests.get(rule))));
    }
    String text = Files.readString(CONTRACT);
    int begin = text.indexOf(BEGIN) + BEGIN.length();
    int end = text.indexOf(END);
    if (Boolean.getBoolean(WRITE)) {
      Files.writeString(CONTRACT, text.substring(0, begin) + table + text.substring(end));
    } else {
      assertThat(text.substring(begin, end))
          .as("the table at the end of %s; write it with -D%s=true", CONTRACT, WRITE)
          .isEqualTo(table.toString());
    }
  }

  @Test
  void everyScenarioHoldsToARule() {
    assertThat(Scenario.all()).hasSizeGreaterThan(40);
    assertThat(Scenario.all()).allSatisfy(scenario -> assertThat(scenario.rules()).isNotEmpty());
    assertThat(Scenario.all().stream().map(Scenario::name)).doesNotHaveDuplicates();
  }

  static List<String> rules() throws IOException {
    List<String> rules = new ArrayList<>();
    Matcher rule =
        Pattern.compile("^- \\*\\*([OMRF]\\d+)\\*\\* ", Pattern.MULTILINE)
            .matcher(Files.readString(CONTRACT));
    while (rule.find()) {
      rules.add(rule.group(1));
    }
    return rules;
  }

  private static Map<String, Set<String>> tests() throws Exception {
    Map<String, Set<String>> tests = new LinkedHashMap<>();
    for (Class<?> type : classes()) {
      for (Field field : type.getDeclaredFields()) {
        if (field.isAnnotationPresent(Rule.class)) {
          note(tests, field, cases(field));
        }
      }
      for (Method method : type.getDeclaredMethods()) {
        String name = method.getName();
        note(
            tests,
            method,
            method.isAnnotationPresent(Needs.class)
                ? "`" + name + "`"
                : "`" + type.getSimpleName() + "." + name + "`");
      }
    }
    return tests;
  }

  /** Returns what cases of an enum's constant are called. */
  private static String cases(Field constant) throws IllegalAccessException {
    return switch (constant.get(null)) {
      case OperationKind kind -> "cases of `" + kind.text() + "`";
      case Values values -> "cases of " + values + " values";
      case Memory memory -> "cases in " + memory + " memory";
      case Blocks blocks -> "cases of " + blocks.name().toLowerCase(Locale.ROOT) + " blocks";
      case Object other -> throw new AssertionError("no kind of case: " + other);
    };
  }

  private static void note(Map<String, Set<String>> tests, AnnotatedElement element, String text) {
    Rule rule = element.getAnnotation(Rule.class);
    for (String number : rule == null ? new String[0] : rule.value()) {
      tests.computeIfAbsent(number, key -> new TreeSet<>()).add(text);
    }
  }

  private static List<Class<?>> classes() throws Exception {
    List<Class<?>> classes = new ArrayList<>();
    for (Class<?> root : List.of(Rule.class, ContractTest.class)) {
      Path folder = folder(root);
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.naturalOrder()).toList()) {
          String name = folder.relativize(file).toString().replace('/', '.');
          if (name.startsWith("dev.tutti.conformance.") && name.endsWith(".class")) {
            classes.add(Class.forName(name.substring(0, name.length() - ".class".length())));
          }
        }
      }
    }
    return classes;
  }

  private static Path folder(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
