package dev.tutti.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TcpConformanceTest extends BackendConformanceTest {
  @Override
  String backend() {
    return "tcp";
  }

  @Test
  void everyCasePassesBetweenProcesses() {
    MatrixReport report = Runs.processes("tcp", 3);
    assertThat(report.failures()).isEmpty();
    assertThat(report.casesPassed()).isEqualTo(CASES.get(3));
  }

  static Stream<Scenario> scenariosForProcesses() {
    List<String> also =
        List.of(
            "groupsMayBeJoinedInOppositeOrders",
            "aStalledRankIsTimedOut",
            "anAbortEndsAllRanks",
            "differentOperatorsAreSeen",
            "callsThatNoMessageShowsAreSeen",
            "theEndsOfMessagesAreCompared",
            "callsThatFitPassTheCheck",
            "closeDeliversWhatWasIssued",
            "nothingIsLeftBehind");
    return Scenario.all().stream()
        .filter(scenario -> scenario.needsProcesses() || also.contains(scenario.name()));
  }

  @ParameterizedTest
  @MethodSource("scenariosForProcesses")
  void scenariosPassBetweenProcesses(Scenario scenario) {
    ScenarioResult result = Conformance.play(Plan.of("tcp", 3).processes(true), scenario);
    assertThat(result.detail()).isEmpty();
    assertThat(result.outcome()).isEqualTo(Outcome.PASSED);
  }

  /** Also where what they wait for is the others' calls. */
  @Rule({"F4", "F7", "F12"})
  @ParameterizedTest
  @ValueSource(strings = {"aKilledRankIsNamed", "anAbortEndsAllRanks"})
  void endsAreToldDuringACheck(String scenario) {
    Plan plan = Plan.of("tcp?debug=detail", 3).processes(true);
    ScenarioResult result = Conformance.play(plan, Scenario.named(scenario));
    assertThat(result.detail()).isEmpty();
    assertThat(result.outcome()).isEqualTo(Outcome.PASSED);
  }

  @Rule("R8")
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void resultsAreThoseOfLocal(int ranks) {
    MatrixReport tcp = Runs.threads("tcp", ranks);
    MatrixReport local = Runs.threads("local", ranks);
    long exact = tcp.plan().cases().cases().stream().filter(c -> c.values().isExact()).count();
    assertThat(tcp.disagreements(local)).isEmpty();
    assertThat((long) tcp.comparable(local)).isEqualTo(exact);
  }

  @Rule("R8")
  @Test
  void resultsBetweenProcessesAreThoseBetweenThreads() {
    assertThat(Runs.processes("tcp", 3).disagreements(Runs.threads("tcp", 3))).isEmpty();
  }

  /** The layout of ranks does not show. */
  @Rule("R9")
  @Test
  void rankedResultsAreTheSameEverywhere() {
    MatrixReport local = Runs.threads("local?order=ranked", 3);
    MatrixReport tcp = Runs.threads("tcp?order=ranked", 3);
    MatrixReport processes = Runs.processes("tcp?order=ranked", 3);
    assertThat(tcp.disagreements(local)).isEmpty();
    assertThat(processes.disagreements(local)).isEmpty();
    assertThat(processes.comparable(local)).isEqualTo(RANKED_CASES);
  }

  @Rule("F1")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "wrongArgumentsAreRefused",
        "memoryOutOfReachIsRefused",
        "bitwiseOperatorsOnFloatsAreRefused",
        "closedGroupsRefuseEveryCall"
      })
  void refusalsReadAsOnLocal(String scenario) {
    Scenario misuse = Scenario.named(scenario);
    List<String> onTcp = Conformance.play(Plan.of("tcp", 3), misuse).notes();
    List<String> onLocal = Conformance.play(Plan.of("local", 3), misuse).notes();
    assertThat(onTcp).isNotEmpty().isEqualTo(onLocal);
  }
}
