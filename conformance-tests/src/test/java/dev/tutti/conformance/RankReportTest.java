package dev.tutti.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class RankReportTest {
  private static final RankReport REPORT =
      new RankReport(
          1,
          3,
          "tcp",
          List.of(
              new CaseResult(0, Outcome.PASSED, -1L, ""),
              new CaseResult(1, Outcome.FAILED, 5, "a\ttab, a\nline, a \\ and \\n"),
              new CaseResult(7, Outcome.REFUSED, 0, "no")),
          List.of("one", "", "two\nlines"),
          "it\tfailed");

  @Test
  void travelsAsLines() {
    assertThat(RankReport.parse(REPORT.lines())).isEqualTo(REPORT);
    RankReport bare = new RankReport(0, 1, "", List.of(), List.of(), null);
    assertThat(RankReport.parse(bare.lines())).isEqualTo(bare);
    assertThat(REPORT.lines()).noneMatch(line -> line.contains("\n"));
  }

  @Test
  void halfAReportIsNone() {
    List<String> lines = REPORT.lines();
    assertThatThrownBy(() -> RankReport.parse(lines.subList(0, lines.size() - 1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> RankReport.parse(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
