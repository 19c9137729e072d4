package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cli.text.JsonReader;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code tutti conformance} on one case: the suite itself is tested where it lives. */
@Timeout(100)
class ConformanceCommandTest {
  @Test
  void backendsAreComparedBitByBit() throws Exception {
    Tutti.Outcome outcome =
        Tutti.run("conformance", "-n", "2", "--backends", "local,tcp", "--case", "0");
    assertThat(outcome.exitCode()).as(outcome.err()).isZero();
    assertThat(outcome.out())
        .contains("# local, 2 ranks (threads), seed 1: cases passed, by operation and type")
        .contains("# tcp: passed; 1 cases passed, 0 refused, 0 failed, 0 not run")
        .contains("# local and tcp hold the same bits in ");
    assertThat(outcome.out()).doesNotContain("\r", "\u001b");
  }

  @Test
  void aWrongBackendFails() throws Exception {
    Tutti.Outcome outcome =
        Tutti.run("conformance", "-n", "2", "--backends", "local,faulty", "--no-scenarios");
    assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(1);
    assertThat(outcome.out()).contains("# local: passed", "# faulty: FAILED", "FAIL ");
  }

  @Test
  void jsonTakesTheTablesPlace() throws Exception {
    Tutti.Outcome outcome =
        Tutti.run("conformance", "-n", "2", "--backends", "local", "--case", "0", "--json", "-");
    assertThat(outcome.exitCode()).as(outcome.err()).isZero();
    assertThat(JsonReader.read(outcome.out())).isInstanceOf(Map.class);
  }
}
