package dev.tutti.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommException;
import dev.tutti.comm.LocalRanks;
import dev.tutti.comm.ReduceOp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole suite on one backend, with ranks that are threads; a subclass names the backend. */
@Timeout(240)
abstract class BackendConformanceTest {
  /** How many cases there are for a number of ranks, so that none is lost unseen. */
  static final Map<Integer, Integer> CASES = Map.of(1, 6226, 2, 6330, 3, 6434, 5, 6642);

  private Leftovers before = Leftovers.now();

  /** Four types, three operators, four operations in place and not, five counts. */
  static final int RANKED_CASES = 4 * 3 * (4 * 2) * 5;

  abstract String backend();

  @BeforeEach
  void backendIsThere() {
    Required.backend(backend());
    before = Leftovers.now();
  }

  @Rule("F9")
  @AfterEach
  void nothingIsLeft() {
    assertThat(before.awaitNone(Duration.ofSeconds(10))).as("left after a test").isEmpty();
  }

  /** Whole jobs, one after the other. */
  @Rule("F9")
  @Test
  void jobsComeAndGoWithoutTrace() {
    int jobs = 200;
    for (int i = 0; i < jobs; i++) {
      LocalRanks.run(
          2,
          backend(),
          group -> group.allReduce(CommBuffer.of(new float[100]), ReduceOp.SUM).join());
    }
    assertThat(before.awaitNone(Duration.ofSeconds(10))).as("left after %d jobs", jobs).isEmpty();
  }

  @Rule({"M7", "M9", "M10"})
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void everyCasePasses(int ranks) {
    MatrixReport report = Runs.threads(backend(), ranks);
    assertThat(report.failures()).isEmpty();
    assertThat(report.backend()).isEqualTo(backend());
    assertThat(report.casesPassed()).isEqualTo(CASES.get(ranks));
    assertThat(report.casesRefused() + report.casesFailed() + report.casesNotRun()).isZero();
  }

  /** In rank order every backend has the bits of the model, and so of every other backend. */
  @Rule("R9")
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void everyRankedCasePasses(int ranks) {
    MatrixReport report = Runs.threads(backend() + "?order=ranked", ranks);
    assertThat(report.failures()).isEmpty();
    assertThat(report.casesPassed()).isEqualTo(RANKED_CASES);
  }

  /** Too short for anything to succeed for sure, but not for an end. */
  @Rule("F3")
  @Test
  void aTimeoutOfAMillisecondEndsSoon() {
    for (int i = 0; i < 5; i++) {
      long start = System.nanoTime();
      List<String> ends = Collections.synchronizedList(new ArrayList<>());
      Throwable thrown =
          catchThrowable(
              () ->
                  LocalRanks.run(
                      3,
                      backend() + "?timeout=1ms",
                      group -> {
                        for (int k = 0; k < 100; k++) {
                          group.allReduce(CommBuffer.of(new float[10]), ReduceOp.SUM).join();
                        }
                        ends.add("well");
                      }));
      if (thrown == null) {
        assertThat(ends).hasSize(3);
      } else {
        assertThat(thrown.getCause()).isInstanceOf(CommException.class);
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    }
  }

  static Stream<Scenario> scenariosOfOrder() {
    return scenariosForThreads()
        .filter(
            scenario ->
                scenario.rules().stream().anyMatch(r -> r.startsWith("O") || r.equals("F8")));
  }

  /** Right programs stay right, and wrong ones wrong. */
  @Rule("F12")
  @ParameterizedTest
  @MethodSource("scenariosOfOrder")
  void theOrderOfCallsMayBeChecked(Scenario scenario) {
    ScenarioResult result = Conformance.play(Plan.of(backend() + "?debug=detail", 3), scenario);
    assertThat(result.detail()).isEmpty();
    assertThat(result.outcome()).isEqualTo(Outcome.PASSED);
  }

  static Stream<Scenario> scenariosForThreads() {
    return Scenario.all().stream().filter(scenario -> !scenario.needsProcesses());
  }

  @ParameterizedTest
  @MethodSource("scenariosForThreads")
  void everyScenarioPasses(Scenario scenario) {
    ScenarioResult result = Conformance.play(Plan.of(backend(), 3), scenario);
    assertThat(result.detail()).isEmpty();
    assertThat(result.outcome()).isEqualTo(Outcome.PASSED);
  }
}
