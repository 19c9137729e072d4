package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cli.text.JsonReader;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
    assertThat(outcome.out())
        .contains("\"machine\":", "\"tutti\":", "\"java\":", "\"disagreements\":[]")
        .contains("\"case\":0,\"operation\":\"allReduce\"", "\"outcome\":\"PASSED\"");
  }

  @Test
  void aFailureIsRepeatedByTheCommandThatItNames() throws Exception {
    Tutti.Outcome all =
        Tutti.run(
            "conformance",
            "-n",
            "2",
            "--backends",
            "faulty",
            "--only",
            "allReduce,broadcast",
            "--no-scenarios");
    assertThat(all.exitCode()).as(all.err()).isEqualTo(1);
    Matcher named =
        Pattern.compile(
                "FAIL (case \\d+: allReduce \\w+ SUM .*)\\. Repeat it: tutti (conformance .*)")
            .matcher(all.out());
    assertThat(named.find()).as(all.out()).isTrue();
    Tutti.Outcome again = Tutti.run(named.group(2).split(" ", -1));
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.out()).contains(named.group(1));
  }

  @Test
  void oneScenarioIsPlayedAlone() throws Exception {
    Tutti.Outcome outcome =
        Tutti.run("conformance", "--backends", "local", "--scenario", "emptyOperationsEnd");
    assertThat(outcome.exitCode()).as(outcome.err()).isZero();
    assertThat(outcome.out())
        .containsPattern("scenario emptyOperationsEnd +passed")
        .contains("0 cases passed", "1 of 1 scenarios passed");
  }

  @Test
  void whatThereIsNotIsRefused() throws Exception {
    for (String[] wrong :
        new String[][] {
          {"--only", "allReduse"}, {"--scenario", "allIsWell"}, {"--case", "1000000"}
        }) {
      Tutti.Outcome outcome = Tutti.run("conformance", "--backends", "local", wrong[0], wrong[1]);
      assertThat(outcome.exitCode()).as(outcome.out()).isEqualTo(2);
      assertThat(outcome.err()).contains(wrong[1]);
    }
  }
}
