package dev.tutti.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ranks come to an end, and what went wrong is told, whatever they do. */
@Timeout(60)
class LaunchersTest {
  private static Plan twoProcesses() {
    return Plan.of("tcp", 2).processes(true).scenarios(false).operations(Set.of("allReduce"));
  }

  /** Java processes of this one that play a rank. */
  private static Stream<ProcessHandle> ranks() {
    return ProcessHandle.current()
        .descendants()
        .filter(process -> process.info().commandLine().orElse("").contains("RankMain"));
  }

  @Test
  void processesWithoutABackendSayWhy() {
    Plan plan = Plan.of("tpc", 2).processes(true).scenarios(false);
    MatrixReport report = Conformance.run(plan, Progress.SILENT);
    assertThat(report.failures()).anySatisfy(text -> assertThat(text).contains("tpc", "tcp"));
    assertThat(report.casesPassed()).isZero();
    assertThat(report.passed()).isFalse();
  }

  @Test
  void threadsWithoutABackendSayWhy() {
    MatrixReport report = Conformance.run(Plan.of("tpc", 2).scenarios(false), Progress.SILENT);
    assertThat(report.failures()).anySatisfy(text -> assertThat(text).contains("tpc", "tcp"));
    assertThat(report.casesPassed()).isZero();
  }

  @Test
  void processesAreStoppedAfterTheLimit() {
    MatrixReport report =
        Conformance.run(twoProcesses().limit(Duration.ofMillis(200)), Progress.SILENT);
    assertThat(report.failures())
        .anySatisfy(text -> assertThat(text).contains("the ranks did not end within"));
    assertThat(ranks()).isEmpty();
  }

  @Test
  void threadsAreStoppedAfterTheLimit() {
    Plan plan =
        Plan.of("mutant?timeout=60s&fault=" + Fault.HANGS.key(), 2)
            .scenarios(false)
            .operations(Set.of("allGather"))
            .limit(Duration.ofSeconds(1));
    MatrixReport report = Conformance.run(plan, Progress.SILENT);
    assertThat(report.failures())
        .anySatisfy(
            text ->
                assertThat(text)
                    .contains("did not end within", "were interrupted", "rank-1", "CaseRun"));
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().startsWith("rank-"));
  }

  @Test
  void aProcessThatDiesUnexpectedlyIsNamed() {
    AtomicBoolean killed = new AtomicBoolean();
    MatrixReport report =
        Conformance.run(
            twoProcesses(),
            (done, total, current) -> {
              if (done > 0 && killed.compareAndSet(false, true)) {
                ranks().findFirst().ifPresent(ProcessHandle::destroyForcibly);
              }
            });
    assertThat(report.failures())
        .anySatisfy(text -> assertThat(text).containsPattern("rank \\d wrote no report"))
        .anySatisfy(text -> assertThat(text).containsPattern("rank \\d ended with exit code 137"));
    assertThat(ranks()).isEmpty();
  }

  @Test
  void progressIsToldFromProcessesToo() {
    List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
    MatrixReport report = Conformance.run(twoProcesses(), (done, total, current) -> seen.add(done));
    assertThat(report.failures()).isEmpty();
    assertThat(seen).isSorted().hasSizeGreaterThan(2);
    assertThat(seen.getLast()).isEqualTo(report.casesPassed());
  }
}
