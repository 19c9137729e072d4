package dev.tutti.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cli.text.JsonReader;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class ExaminationTest {
  @Test
  void everythingIsLookedAt() {
    Examination examination = Examination.of(Map.of(), new Properties());
    assertThat(examination.isWell()).isTrue();
    assertThat(examination.text())
        .contains("system ", "java ", "cores ", "memory ", "/dev/shm ", "open files ", "network ")
        .containsPattern("tcp +ok")
        .containsPattern("local +ok")
        .containsPattern("config +ok +config \"auto\" from the default")
        .contains("no variable of a launcher is set");
  }

  @Test
  void theLaunchersVariablesAreShownButNoSecret() {
    Map<String, String> environment =
        Map.of(
            "RANK", "1",
            "SLURM_PROCID", "2",
            "OMPI_COMM_WORLD_RANK", "3",
            "TUTTI_BENCH_TOKEN", "secret",
            "RANKING", "4");
    assertThat(Examination.of(environment, new Properties()).variables())
        .containsExactly(
            Map.entry("OMPI_COMM_WORLD_RANK", "3"),
            Map.entry("RANK", "1"),
            Map.entry("SLURM_PROCID", "2"));
  }

  @Test
  void aWrongConfigIsMissingSomethingAndSaysWhere() {
    Examination examination = Examination.of(Map.of("TUTTI_BACKEND", "tpc"), new Properties());
    assertThat(examination.isWell()).isFalse();
    assertThat(examination.text())
        .containsPattern("config +MISSING")
        .contains("the environment variable TUTTI_BACKEND", "Did you mean \"tcp\"?");
  }

  @Test
  void jsonHoldsTheSame() {
    Examination examination =
        new Examination(
            List.of(Finding.ok("java", "25")),
            List.of(Finding.missing("mpi", "no \"libmpi\"", "install it")),
            Finding.note("config", "auto", null),
            Map.of("RANK", "0"));
    assertThat(JsonReader.read(examination.json("1.0")))
        .isEqualTo(
            Map.of(
                "tutti", "1.0",
                "well", false,
                "machine", List.of(Map.of("name", "java", "state", "ok", "text", "25")),
                "backends",
                    List.of(
                        Map.of(
                            "name", "mpi",
                            "state", "missing",
                            "text", "no \"libmpi\"",
                            "nextStep", "install it")),
                "config", Map.of("name", "config", "state", "note", "text", "auto"),
                "variables", Map.of("RANK", "0")));
  }
}
