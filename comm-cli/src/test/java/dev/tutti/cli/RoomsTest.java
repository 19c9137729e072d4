package dev.tutti.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.tutti.trespasser.Trespasser;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Which room of the house may see which other: a backend sees the contract alone and no backend
 * sees another. A room is named by the third part of its packages, {@code dev.tutti.ROOM}.
 */
public class RoomsTest {
  private static final Set<String> CONTRACT = Set.of("comm");
  private static final Set<String> BACKENDS = Set.of("tcp", "mpi", "nccl", "cuda");

  /** What each room sees beside itself; a room that is not listed is a backend. */
  private static final Map<String, Set<String>> SEES =
      Map.of(
          "comm", Set.of(),
          "conformance", CONTRACT,
          "nccl", Set.of("comm", "cuda"),
          "cli", union(BACKENDS, Set.of("comm", "conformance")),
          "benchmarks", union(BACKENDS, CONTRACT),
          "examples", union(BACKENDS, CONTRACT));

  private static final ArchRule ROOMS_SEE_ONLY_THEIR_OWN =
      classes().should(seeOnlyRoomsOf(SEES)).because("DESIGN: a backend sees comm-api only");

  private static final ArchRule CONTRACT_STANDS_ON_THE_JDK =
      classes()
          .that()
          .resideInAPackage("dev.tutti.comm..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("dev.tutti.comm..", "java..", "javax..", "jdk..", "org.jspecify..");

  private static final ArchRule PACKAGES_ARE_NULL_MARKED =
      classes().should(lieInNullMarkedPackages());

  private static final JavaClasses HOUSE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.tutti");

  @Test
  void everyRoomWasRead() {
    Set<String> rooms =
        HOUSE.stream()
            .map(RoomsTest::room)
            .filter(name -> !name.isEmpty())
            .collect(Collectors.toSet());
    assertThat(rooms)
        .contains("comm", "tcp", "mpi", "conformance", "cli")
        .doesNotContain("trespasser", "benchmarks");
  }

  @Test
  void roomsSeeOnlyWhatTheyMay() {
    ROOMS_SEE_ONLY_THEIR_OWN.check(HOUSE);
  }

  @Test
  void contractStandsOnTheJdkAlone() {
    CONTRACT_STANDS_ON_THE_JDK.check(HOUSE);
  }

  @Test
  void everyPackageIsNullMarked() {
    PACKAGES_ARE_NULL_MARKED.check(HOUSE);
  }

  @Test
  void aTrespasserIsCaught() {
    JavaClasses trespasser = new ClassFileImporter().importClasses(Trespasser.class);
    assertThat(ROOMS_SEE_ONLY_THEIR_OWN.evaluate(trespasser).getFailureReport().getDetails())
        .isNotEmpty()
        .allSatisfy(line -> assertThat(line).contains("trespasser sees cli"));
    assertThat(PACKAGES_ARE_NULL_MARKED.evaluate(trespasser).hasViolation()).isTrue();
  }

  private static ArchCondition<JavaClass> seeOnlyRoomsOf(Map<String, Set<String>> sees) {
    return new ArchCondition<>("see only the rooms that they may") {
      @Override
      public void check(JavaClass item, ConditionEvents events) {
        String from = room(item);
        for (Dependency dependency : item.getDirectDependenciesFromSelf()) {
          String to = room(dependency.getTargetClass().getBaseComponentType());
          boolean allowed =
              to.isEmpty() || to.equals(from) || sees.getOrDefault(from, CONTRACT).contains(to);
          events.add(
              new SimpleConditionEvent(
                  item, allowed, from + " sees " + to + ": " + dependency.getDescription()));
        }
      }
    };
  }

  private static ArchCondition<JavaClass> lieInNullMarkedPackages() {
    return new ArchCondition<>("lie in packages that package-info.java marks @NullMarked") {
      @Override
      public void check(JavaClass item, ConditionEvents events) {
        boolean marked =
            item.getPackageName().isEmpty() || item.getPackage().isAnnotatedWith(NullMarked.class);
        events.add(
            new SimpleConditionEvent(
                item, marked, item.getPackageName() + " is not @NullMarked: " + item.getName()));
      }
    };
  }

  /** Returns "tcp" for a class of {@code dev.tutti.tcp} or below, "" for one of another house. */
  private static String room(JavaClass type) {
    String[] parts = type.getPackageName().split("\\.", 4);
    return parts.length >= 3 && parts[0].equals("dev") && parts[1].equals("tutti") ? parts[2] : "";
  }

  private static Set<String> union(Set<String> some, Set<String> more) {
    return Stream.concat(some.stream(), more.stream()).collect(Collectors.toUnmodifiableSet());
  }
}
