package dev.tutti.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.conformance.MatrixReport.Row;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The suite finds every fault, and where it is. */
@Timeout(60)
class MutantsTest {
  /** In which operation each fault must be found, and what a failure must say. */
  private static final Map<Fault, List<String>> FOUND =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry(Fault.DROPS_LAST_BLOCK, List.of("allGather", "of recv is")),
              Map.entry(Fault.WRONG_ROOT, List.of("broadcast", "of buffer")),
              Map.entry(Fault.OFF_BY_ONE, List.of("allReduce", "element 1 of")),
              Map.entry(Fault.OTHER_BITS, List.of("allReduce", "element 0 of")),
              Map.entry(Fault.HANGS, List.of("allGather", "Timeout")),
              Map.entry(Fault.WRITES_SEND, List.of("allReduce", "of send is")),
              Map.entry(Fault.WRITES_ROOT, List.of("broadcast", "must not be written")),
              Map.entry(Fault.COMPLETES_TOO_EARLY, List.of("allToAll", "of recv is")),
              Map.entry(Fault.SUM_FOR_AVG, List.of("allReduce", "AVG of [")),
              Map.entry(Fault.SUM_FOR_BAND, List.of("allReduce", "BAND of [")),
              Map.entry(Fault.DROPS_NAN, List.of("allReduce", "is NaN (")),
              Map.entry(Fault.FLUSHES_SUBNORMALS, List.of("allReduce", "is 0.0 (0x0), but")),
              Map.entry(Fault.DROPS_SIGN_OF_ZERO, List.of("allReduce", "is -0.0 (0x80000000)")),
              Map.entry(Fault.WRITES_BEYOND, List.of("allReduce", "the byte 1 behind")),
              Map.entry(Fault.CUTS_LONG_MESSAGES, List.of("send", "of recv is 0 (0x0), but")),
              Map.entry(Fault.REFUSES_ON_ONE_RANK, List.of("reduceScatter", "differently"))));

  /** Which scenario finds each of the faults that no case shows. */
  private static final Map<Fault, String> PLAYED =
      new TreeMap<>(
          Map.of(
              Fault.BARRIER_WITHOUT_MEETING, "aBarrierHoldsEveryRank",
              Fault.BLIND_TO_OPERATORS, "differentOperatorsAreSeen",
              Fault.SWAPS_MESSAGES, "messagesInFlightMatchInOrder",
              Fault.READS_AFTER_COMPLETION, "aSentBufferIsTheCallersAgain",
              Fault.HOARDS_MEMORY, "messagesCrossInBoundedMemory",
              Fault.LEAVES_A_THREAD, "nothingIsLeftBehind"));

  private static Plan plan(Fault fault) {
    String timeout = fault == Fault.HANGS || fault == Fault.REFUSES_ON_ONE_RANK ? "1s" : "20s";
    Plan all =
        Plan.of("mutant?fault=%s&timeout=%s".formatted(fault.key(), timeout), 3).scenarios(false);
    // Besides the operation in question only one where nothing is wrong.
    return !FOUND.containsKey(fault)
        ? all
        : all.operations(Set.of(found(fault).getFirst(), "allGatherV"));
  }

  @Test
  void withoutAFaultEverythingPasses() {
    MatrixReport report = Conformance.run(plan(Fault.NONE), Progress.SILENT);
    assertThat(report.failures()).isEmpty();
    assertThat(report.casesPassed()).isEqualTo(report.plan().cases().cases().size());
  }

  private static List<String> found(Fault fault) {
    return Objects.requireNonNull(FOUND.get(fault));
  }

  static Set<Fault> foundByCases() {
    return FOUND.keySet();
  }

  static Set<Fault> foundByScenarios() {
    return PLAYED.keySet();
  }

  @Test
  void everyFaultIsLookedFor() {
    Set<Fault> all = EnumSet.allOf(Fault.class);
    all.removeAll(FOUND.keySet());
    all.removeAll(PLAYED.keySet());
    assertThat(all).containsExactly(Fault.NONE);
  }

  @ParameterizedTest
  @MethodSource("foundByScenarios")
  void faultsThatNoCaseShowsAreFoundByScenarios(Fault fault) {
    Scenario scenario = Scenario.named(Objects.requireNonNull(PLAYED.get(fault)));
    ScenarioResult healthy = Conformance.play(plan(Fault.NONE), scenario);
    assertThat(healthy.detail()).isEmpty();
    ScenarioResult result = Conformance.play(plan(fault), scenario);
    assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(result.detail()).containsPattern("rank \\d/\\d: ");
  }

  @ParameterizedTest
  @MethodSource("foundByCases")
  void everyFaultIsFoundWhereItIs(Fault fault) {
    MatrixReport report = Conformance.run(plan(fault), Progress.SILENT);
    String operation = found(fault).getFirst();
    String words = found(fault).getLast();
    assertThat(report.passed()).isFalse();
    assertThat(report.failures())
        .as("failures that say \"%s\"", words)
        .anySatisfy(failure -> assertThat(failure).contains(words).contains(operation));
    Set<String> failed = new TreeSet<>();
    report.rows().stream().filter(row -> row.failed() > 0).map(Row::operation).forEach(failed::add);
    // One whose ranks part ways may break the group anywhere.
    if (fault != Fault.REFUSES_ON_ONE_RANK && fault != Fault.COMPLETES_TOO_EARLY) {
      assertThat(failed).containsExactly(operation);
    }
  }

  @Test
  void ranksThatRoundDifferentlyAreFoundByComparingThem() {
    MatrixReport report = Conformance.run(plan(Fault.OTHER_BITS), Progress.SILENT);
    assertThat(report.failures())
        .anySatisfy(
            failure ->
                assertThat(failure)
                    .contains("random values")
                    .contains("rank 2 holds other bits than rank 0"));
  }

  @Test
  void aFailureSaysHowToRepeatIt() {
    MatrixReport report = Conformance.run(plan(Fault.SUM_FOR_AVG), Progress.SILENT);
    String failure =
        report.failures().stream()
            .filter(text -> text.contains("UINT8 AVG"))
            .findFirst()
            .orElseThrow();
    assertThat(failure)
        .containsPattern("case \\d+: allReduce UINT8 AVG count \\d+")
        .contains(
            "on rank 0/3 of backend mutant",
            "seed 1",
            "Repeat it: tutti conformance --backends mutant?fault=sum-for-avg");
    int index = Integer.parseInt(failure.replaceFirst("(?s).*--case (\\d+)$", "$1"));
    MatrixReport again = Conformance.run(plan(Fault.SUM_FOR_AVG).only(index), Progress.SILENT);
    assertThat(again.failures()).containsExactly(failure);
    assertThat(again.casesFailed()).isEqualTo(1);
    assertThat(again.rows()).hasSize(1);
  }

  @Test
  void aBrokenGroupLeavesTheRestUntried() {
    MatrixReport report = Conformance.run(plan(Fault.HANGS), Progress.SILENT);
    assertThat(report.casesNotRun()).isGreaterThan(100);
    assertThat(report.failures()).hasSizeLessThan(10);
    assertThat(report.json()).contains("\"passed\":false", "\"notRun\":");
  }
}
