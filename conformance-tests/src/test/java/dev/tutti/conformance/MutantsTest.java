package dev.tutti.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.conformance.MatrixReport.Row;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The suite finds every fault, where it is, with a test of the rule that it breaks. */
@Timeout(120)
class MutantsTest {
  private static final Pattern CASE = Pattern.compile("^case (\\d+):");

  /** By a case of which operation each fault must be found, and what the failure must say. */
  private record Seen(String operation, String words) {}

  private static final Map<Fault, Seen> BY_CASES = new EnumMap<>(Fault.class);

  /** By which scenario each of the faults must be found that no case shows. */
  private static final Map<Fault, String> BY_SCENARIOS = new EnumMap<>(Fault.class);

  static {
    BY_CASES.put(Fault.SENDS_AFTER_RECEIVING, new Seen("sendRecv", "Timeout"));
    BY_CASES.put(Fault.WRITES_SEND, new Seen("allReduce", "of send is"));
    BY_CASES.put(Fault.WRITES_ROOT, new Seen("broadcast", "must not be written"));
    BY_CASES.put(Fault.WRITES_BEYOND, new Seen("allReduce", "the byte 1 behind"));
    BY_CASES.put(Fault.ALIGNS_ADDRESSES, new Seen("allReduce", "misaligned"));
    BY_CASES.put(Fault.HANGS_ON_NOTHING, new Seen("allReduce", "count 0"));
    BY_CASES.put(Fault.STOPS_AT_EMPTY_BLOCKS, new Seen("allGatherV", "of recv is"));
    BY_CASES.put(Fault.FORGETS_ITS_OWN_IN_PLACE, new Seen("allReduce", "in place"));
    BY_CASES.put(Fault.ALONE_DOES_NOTHING, new Seen("allReduce", "of recv is"));
    BY_CASES.put(Fault.OFF_BY_ONE, new Seen("allReduce", "element 1 of"));
    BY_CASES.put(Fault.SUM_FOR_BAND, new Seen("allReduce", "BAND of ["));
    BY_CASES.put(Fault.DROPS_LAST_BLOCK, new Seen("allGather", "of recv is"));
    BY_CASES.put(Fault.WRONG_ROOT, new Seen("broadcast", "of buffer"));
    BY_CASES.put(Fault.CUTS_LONG_MESSAGES, new Seen("send", "of recv is 0 (0x0), but"));
    BY_CASES.put(Fault.COMPLETES_TOO_EARLY, new Seen("allToAll", "of recv is"));
    BY_CASES.put(Fault.QUIETS_NANS, new Seen("broadcast", "is NaN ("));
    BY_CASES.put(Fault.HANGS, new Seen("allGather", "Timeout"));
    BY_CASES.put(Fault.UNSIGNED_AS_SIGNED, new Seen("allReduce", "MAX of ["));
    BY_CASES.put(Fault.DROPS_NAN, new Seen("allReduce", "is NaN ("));
    BY_CASES.put(Fault.FLUSHES_SUBNORMALS, new Seen("allReduce", "is 0.0 (0x0), but"));
    BY_CASES.put(Fault.DROPS_SIGN_OF_ZERO, new Seen("allReduce", "is -0.0 (0x80000000)"));
    BY_CASES.put(Fault.SUM_FOR_AVG, new Seen("allReduce", "AVG of ["));
    BY_CASES.put(Fault.AVG_ROUNDS_DOWN, new Seen("allReduce", "AVG of [-"));
    BY_CASES.put(Fault.OTHER_BITS, new Seen("allReduce", "holds other bits than rank 0"));
    BY_CASES.put(Fault.ROUNDS_COARSELY, new Seen("allReduce", "is allowed"));
    BY_CASES.put(Fault.LAST_BIT_OFF, new Seen("allReduce", "FLOAT32 SUM"));
    BY_CASES.put(Fault.REFUSES_ON_ONE_RANK, new Seen("reduceScatter", "differently"));

    BY_SCENARIOS.put(Fault.IGNORES_ROOTS, "differentRootsAreSeen");
    BY_SCENARIOS.put(Fault.OVERTAKES, "aGroupIsFirstInFirstOut");
    BY_SCENARIOS.put(Fault.SWAPS_MESSAGES, "messagesInFlightMatchInOrder");
    BY_SCENARIOS.put(Fault.BARRIER_WITHOUT_MEETING, "aBarrierHoldsEveryRank");
    BY_SCENARIOS.put(Fault.GROUPS_SHARE_A_QUEUE, "groupsMayBeJoinedInOppositeOrders");
    BY_SCENARIOS.put(Fault.REVERSES_SUBGROUPS, "splitNumbersRanksAnew");
    BY_SCENARIOS.put(Fault.CHILDREN_DIE_WITH_THEIR_PARENT, "subgroupsOutliveTheirParent");
    BY_SCENARIOS.put(Fault.NEEDS_A_WAITER, "operationsEndWithoutAnybodyWaiting");
    BY_SCENARIOS.put(Fault.READS_AFTER_COMPLETION, "aSentBufferIsTheCallersAgain");
    BY_SCENARIOS.put(Fault.REFUSES_ARRAYS, "memoryMayComeFromAnySharedArena");
    BY_SCENARIOS.put(Fault.HOARDS_MEMORY, "messagesCrossInBoundedMemory");
    BY_SCENARIOS.put(Fault.BLOCKS_WHILE_WAITING, "aStalledRankIsTimedOut");
    BY_SCENARIOS.put(Fault.ABORTS_SLOWLY, "anAbortEndsAllRanks");
    BY_SCENARIOS.put(Fault.BLIND_TO_OPERATORS, "differentOperatorsAreSeen");
    BY_SCENARIOS.put(Fault.LOSES_THE_LAST_MESSAGE, "closeDeliversWhatWasIssued");
    BY_SCENARIOS.put(Fault.LEAVES_A_THREAD, "nothingIsLeftBehind");
    BY_SCENARIOS.put(Fault.LEAVES_A_SOCKET, "nothingIsLeftBehind");
    BY_SCENARIOS.put(Fault.LEAVES_MEMORY, "nothingIsLeftBehind");
    BY_SCENARIOS.put(Fault.SAYS_NOT_WHAT_IT_AWAITS, "aStalledRankIsTimedOut");
  }

  /** What no backend can break, since it is kept above them. */
  private static final Map<String, String> KEPT_ABOVE =
      Map.of(
          "M5", "a backend is given no receive buffer there",
          "R8", "follows from R1 to R5, which say the bits of exact results",
          "F1", "arguments are checked once, above",
          "F2", "a broken group is torn down above",
          "F4", "deaths are told by the control connection",
          "F5", "the deadline is kept above; F3's fault delays it",
          "F6", "waiting is above",
          "F12", "calls are compared above",
          "F13", "ranks meet before there is a backend");

  private static Plan plan(Fault fault) {
    Set<Fault> hanging =
        EnumSet.of(
            Fault.HANGS,
            Fault.HANGS_ON_NOTHING,
            Fault.SENDS_AFTER_RECEIVING,
            Fault.REFUSES_ON_ONE_RANK);
    String config =
        "mutant?fault=%s&timeout=%s".formatted(fault.key(), hanging.contains(fault) ? "1s" : "20s");
    if (fault == Fault.LAST_BIT_OFF) {
      config += "&order=ranked";
    }
    Plan all = Plan.of(config, fault == Fault.ALONE_DOES_NOTHING ? 1 : 3).scenarios(false);
    Seen seen = BY_CASES.get(fault);
    // Besides the operation in question only one where nothing is wrong.
    return seen == null ? all : all.operations(Set.of(seen.operation(), "scatterV"));
  }

  @Test
  void withoutAFaultEverythingPasses() {
    Set<String> each = Set.of("allReduce", "broadcast", "allGather", "send", "sendRecv", "barrier");
    MatrixReport report = Conformance.run(plan(Fault.NONE).operations(each), Progress.SILENT);
    assertThat(report.failures()).isEmpty();
    assertThat(report.casesPassed()).isEqualTo(report.plan().cases().cases().size());
  }

  @Test
  void everyFaultIsLookedFor() {
    Set<Fault> all = EnumSet.allOf(Fault.class);
    all.removeAll(BY_CASES.keySet());
    all.removeAll(BY_SCENARIOS.keySet());
    assertThat(all).containsExactly(Fault.NONE);
  }

  @Test
  void everyRuleIsBrokenByAFault() throws Exception {
    Set<String> unbroken = new TreeSet<>(ContractTest.rules());
    Arrays.stream(Fault.values()).map(Fault::rule).forEach(unbroken::remove);
    assertThat(unbroken).isEqualTo(KEPT_ABOVE.keySet());
  }

  static Set<Fault> foundByScenarios() {
    return BY_SCENARIOS.keySet();
  }

  @ParameterizedTest
  @MethodSource("foundByScenarios")
  void faultsThatNoCaseShowsAreFoundByScenarios(Fault fault) {
    Scenario scenario = Scenario.named(Objects.requireNonNull(BY_SCENARIOS.get(fault)));
    assertThat(scenario.rules()).contains(fault.rule());
    ScenarioResult result = Conformance.play(plan(fault), scenario);
    assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(result.detail()).containsPattern("rank \\d/\\d: ");
  }

  static Set<Fault> foundByCases() {
    return BY_CASES.keySet();
  }

  @ParameterizedTest
  @MethodSource("foundByCases")
  void everyFaultIsFoundWhereItIs(Fault fault) {
    MatrixReport report = Conformance.run(plan(fault), Progress.SILENT);
    Seen seen = Objects.requireNonNull(BY_CASES.get(fault));
    assertThat(report.passed()).isFalse();
    assertThat(report.failures())
        .as("failures of %s that say \"%s\", of a case of %s", seen, seen.words(), fault.rule())
        .anySatisfy(
            failure -> {
              assertThat(failure).contains(seen.operation(), seen.words());
              assertThat(rules(report.plan(), failure)).contains(fault.rule());
            });
    Set<String> failed = new TreeSet<>();
    report.rows().stream().filter(row -> row.failed() > 0).map(Row::operation).forEach(failed::add);
    // One whose ranks part ways may break the group anywhere.
    if (fault != Fault.REFUSES_ON_ONE_RANK && fault != Fault.COMPLETES_TOO_EARLY) {
      assertThat(failed).containsExactly(seen.operation());
    }
  }

  /** Returns the rules that the case of a failure holds a backend to. */
  private static Set<String> rules(Plan plan, String failure) {
    Matcher number = CASE.matcher(failure);
    if (!number.find()) {
      return Set.of();
    }
    int index = Integer.parseInt(number.group(1));
    Case spec =
        plan.cases().cases().stream().filter(c -> c.index() == index).findFirst().orElseThrow();
    Set<String> rules = new TreeSet<>();
    rules.addAll(of(spec.operation()));
    rules.addAll(of(spec.values()));
    rules.addAll(of(spec.memory()));
    rules.addAll(spec.operation().isUneven() ? of(spec.blocks()) : List.of());
    if (spec.count() == 0) {
      rules.add("M7");
    }
    if (spec.inPlace()) {
      rules.add("M9");
    }
    if (plan.ranks() == 1) {
      rules.add("M10");
    }
    if (failure.contains("ended differently")) {
      rules.add("F10");
    }
    return rules;
  }

  private static List<String> of(Enum<?> constant) {
    try {
      Rule rule = constant.getDeclaringClass().getField(constant.name()).getAnnotation(Rule.class);
      return rule == null ? List.of() : List.of(rule.value());
    } catch (NoSuchFieldException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aFailureSaysHowToRepeatIt() {
    MatrixReport report = Conformance.run(plan(Fault.SUM_FOR_AVG), Progress.SILENT);
    String failure =
        report.failures().stream()
            .filter(text -> text.contains("UINT8 AVG") && !text.contains("in flight"))
            .findFirst()
            .orElseThrow();
    assertThat(failure)
        .containsPattern("case \\d+: allReduce UINT8 AVG count \\d+")
        .contains(
            "on rank 0/3 of backend mutant",
            "seed 1",
            "Repeat it: tutti conformance --backends 'mutant?fault=sum-for-avg");
    int index = Integer.parseInt(failure.replaceFirst("(?s).*--case (\\d+)$", "$1"));
    MatrixReport again = Conformance.run(plan(Fault.SUM_FOR_AVG).only(index), Progress.SILENT);
    assertThat(again.failures()).containsExactly(failure);
    assertThat(again.casesFailed()).isEqualTo(1);
    assertThat(again.rows()).hasSize(1);
  }

  /** It may have failed because of its company. */
  @Test
  void aCaseInFlightIsRepeatedWithTheOthers() {
    Plan all = Plan.of("local", 3).scenarios(false);
    Case last =
        all.cases().cases().stream()
            .filter(spec -> spec.index() > spec.flight() + 1)
            .findFirst()
            .orElseThrow();
    MatrixReport report = Conformance.run(all.only(last.index()), Progress.SILENT);
    assertThat(report.failures()).isEmpty();
    assertThat(report.results())
        .hasSizeGreaterThanOrEqualTo(3)
        .allSatisfy(
            result -> assertThat(result.index()).isBetween(last.flight(), last.flight() + 8))
        .anySatisfy(result -> assertThat(result.index()).isEqualTo(last.index()));
  }

  @Test
  void aFailedScenarioSaysHowToRepeatIt() {
    Plan plan = plan(Fault.BARRIER_WITHOUT_MEETING).scenario("aBarrierHoldsEveryRank");
    MatrixReport report = Conformance.run(plan, Progress.SILENT);
    assertThat(report.results()).isEmpty();
    assertThat(report.scenarios()).hasSize(1);
    assertThat(report.failures())
        .singleElement()
        .asString()
        .endsWith("--scenario aBarrierHoldsEveryRank");
  }

  @Test
  void otherResultsThanThoseOfAnotherBackendAreDisagreements() {
    Plan plan = plan(Fault.NONE).operations(Set.of("broadcast"));
    MatrixReport one = Conformance.run(plan, Progress.SILENT);
    List<CaseResult> changed =
        one.results().stream()
            .map(r -> new CaseResult(r.index(), r.outcome(), r.digest() ^ r.index() / 2000, ""))
            .toList();
    MatrixReport other =
        new MatrixReport(plan, "other", one.rows(), List.of(), List.of(), changed, one.elapsed());
    long differing = changed.stream().filter(result -> result.index() >= 2000).count();
    assertThat(one.disagreements(one)).isEmpty();
    assertThat(one.disagreements(other)).hasSize((int) differing).isNotEmpty();
    assertThat(one.comparable(other)).isEqualTo(changed.size());
  }

  @Test
  void aBrokenGroupLeavesTheRestUntried() {
    MatrixReport report = Conformance.run(plan(Fault.HANGS), Progress.SILENT);
    assertThat(report.casesNotRun()).isGreaterThan(100);
    assertThat(report.failures()).hasSizeLessThan(10);
    assertThat(report.json())
        .contains("\"passed\":false", "\"notRun\":", "\"outcome\":\"NOT_RUN\"");
  }
}
