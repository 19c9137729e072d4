package dev.tutti.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.fail;

import dev.tutti.comm.LocalRanks;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Cases of every operation of the TCP backend with each of its algorithms, also with those that the
 * choice table would not take for such counts. Which there are, the backend itself says.
 */
@Timeout(120)
class TcpAlgorithmsTest {
  /** Of each algorithm's cases, beside the longest ones. */
  private static final int MOST_CASES = 60;

  private static final int LONGEST_CASES = 6;
  private static final Pattern KNOWN = Pattern.compile("Known: ([\\w, ]+)");

  /** Returns the words that the key {@code algo} could have had in a place of what it had. */
  private static List<String> known(String algorithms) {
    Throwable refusal =
        catchThrowable(() -> LocalRanks.run(1, "tcp?algo=" + algorithms, group -> {}));
    Matcher words = KNOWN.matcher(String.valueOf(refusal));
    return words.find()
        ? List.of(words.group(1).split(", ", -1))
        : fail("the refusal of %s lists no words: %s", algorithms, refusal);
  }

  static Stream<Arguments> algorithmsAndSizes() {
    List<Arguments> all = new ArrayList<>();
    for (String operation : known("none:none")) {
      for (String algorithm : known(operation + ":none")) {
        for (int size : new int[] {2, 3, 5}) {
          all.add(Arguments.of(operation, algorithm, size));
        }
      }
    }
    return all.stream();
  }

  @Test
  void everyOperationHasAlgorithms() {
    assertThat(algorithmsAndSizes().map(each -> String.valueOf(each.get()[0])).distinct())
        .contains("allReduce", "allGather", "broadcast", "reduceScatter", "barrier");
  }

  @Rule({"R1", "R2", "R6"})
  @ParameterizedTest
  @MethodSource("algorithmsAndSizes")
  void everyAlgorithmIsRight(String operation, String algorithm, int size) {
    List<Case> wanted = slice(operation, size);
    CaseList cases = CaseList.of(1, size).filtered(wanted::contains);
    List<RankReport> reports =
        LocalRanks.call(
            size,
            "tcp?timeout=20s&algo=" + operation + ":" + algorithm,
            group -> Conformance.run(group, cases, Progress.SILENT));
    for (RankReport report : reports) {
      assertThat(report.results()).hasSize(wanted.size());
      assertThat(report.results())
          .allSatisfy(
              result -> assertThat(result.outcome()).as(result.detail()).isEqualTo(Outcome.PASSED));
      if (operation.equals("allReduce")) {
        assertThat(report.results()).isEqualTo(reports.getFirst().results());
      }
    }
  }

  /** The longest cases of an operation and its uneven form, and some of the others. */
  private static List<Case> slice(String operation, int size) {
    List<Case> all =
        CaseList.of(1, size).cases().stream()
            .filter(
                spec ->
                    spec.operation().text().equals(operation)
                        || spec.operation().text().equals(operation + "V"))
            .toList();
    List<Case> longest =
        all.stream()
            .sorted((a, b) -> Long.compare(bytes(b), bytes(a)))
            .limit(LONGEST_CASES)
            .toList();
    List<Case> slice = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      boolean taken = (long) i * MOST_CASES / all.size() != (i + 1L) * MOST_CASES / all.size();
      if (taken || longest.contains(all.get(i))) {
        slice.add(all.get(i));
      }
    }
    return slice;
  }

  private static long bytes(Case spec) {
    return spec.count() * spec.type().byteSize();
  }
}
