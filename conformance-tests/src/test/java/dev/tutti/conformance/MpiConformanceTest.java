package dev.tutti.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The suite on MPI, whose ranks are processes that mpirun starts. */
@Timeout(600)
class MpiConformanceTest {
  @BeforeEach
  void backendIsThere() {
    Required.backend("mpi");
  }

  @Rule({"M7", "M9", "M10"})
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void everyCasePasses(int ranks) {
    MatrixReport report = Runs.processes("mpi", ranks);
    assertThat(report.failures()).isEmpty();
    assertThat(report.backend()).isEqualTo("mpi");
    assertThat(report.casesPassed()).isEqualTo(BackendConformanceTest.CASES.get(ranks));
    assertThat(report.casesRefused() + report.casesFailed() + report.casesNotRun()).isZero();
  }

  @Rule("R8")
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void resultsAreThoseOfLocalAndTcp(int ranks) {
    MatrixReport mpi = Runs.processes("mpi", ranks);
    long exact = mpi.plan().cases().cases().stream().filter(c -> c.values().isExact()).count();
    for (String other : List.of("local", "tcp")) {
      MatrixReport report = Runs.threads(other, ranks);
      assertThat(mpi.disagreements(report)).isEmpty();
      assertThat((long) mpi.comparable(report)).isEqualTo(exact);
    }
  }

  /** What depends on processes, on threads in MPI, or on communicators; the slow tests play all. */
  static Stream<Scenario> scenarios() {
    List<String> also =
        List.of(
            "groupsMayBeJoinedInOppositeOrders",
            "groupsMayBeUsedByDifferentThreads",
            "worksMayBeJoinedByManyThreads",
            "splitNumbersRanksAnew",
            "subgroupsOutliveTheirParent",
            "abortedSubgroupsLeaveTheirParentUsable",
            "memoryMayComeFromAnySharedArena",
            "messagesCrossInBoundedMemory",
            "wrongArgumentsAreRefused",
            "aStalledRankIsTimedOut",
            "anAbortEndsAllRanks",
            "differentMessagesAreSeen",
            "differentOperatorsAreSeen",
            "closeDeliversWhatWasIssued",
            "closeTellsWhatWasNotDelivered",
            "nothingIsLeftBehind");
    return Scenario.all().stream()
        .filter(scenario -> scenario.needsProcesses() || also.contains(scenario.name()));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void scenariosPass(Scenario scenario) {
    check(scenario);
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("dev.tutti.conformance.Scenario#all")
  void everyScenarioPasses(Scenario scenario) {
    check(scenario);
  }

  /**
   * MPI has no frames that could tell: what F8 leaves to the backend, the check must find (F12).
   */
  private static void check(Scenario scenario) {
    boolean mismatch = scenario.name().toLowerCase(Locale.ROOT).contains("different");
    boolean seen = mismatch && scenario.name().endsWith("AreSeen");
    Plan plan = Plan.of(seen ? "mpi?debug=detail" : "mpi", 3).processes(true);
    ScenarioResult result = Conformance.play(plan, scenario);
    assertThat(result.detail()).isEmpty();
    assertThat(result.outcome()).isEqualTo(Outcome.PASSED);
  }
}
