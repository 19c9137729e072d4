package dev.tutti.comm.internal.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.rendezvous.MeetingPoint.Address;
import dev.tutti.comm.internal.rendezvous.MeetingPoint.Alone;
import dev.tutti.comm.internal.rendezvous.MeetingPoint.Folder;
import dev.tutti.comm.internal.rendezvous.MeetingPoint.JobFile;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PlannerTest {
  private static final String TORCH = "RANK=1 WORLD_SIZE=4 MASTER_ADDR=head MASTER_PORT=29500";
  private static final String OPEN_MPI =
      "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=1"
          + " PMIX_NAMESPACE=77 PMIX_RANK=1";
  private static final String SLURM =
      "SLURM_JOB_ID=42 SLURM_STEP_ID=0 SLURM_PROCID=3 SLURM_NTASKS=4 SLURM_LOCALID=1 SLURM_NODEID=1"
          + " SLURM_TASKS_PER_NODE=2(x2) SLURM_STEP_NODELIST=gpu[07-08]";

  static Stream<Arguments> plans() {
    return Stream.of(
        of(null, "", new Place(0, 1, 0, 1), new Alone(), "alone: no TUTTI_INIT"),
        of(null, TORCH, new Place(1, 4, -1, -1), new Address("head", 29500, false), "env://"),
        of(
            "env://",
            TORCH + " LOCAL_RANK=1 LOCAL_WORLD_SIZE=2",
            new Place(1, 4, 1, 2),
            new Address("head", 29500, false),
            "env://"),
        of(
            "env://",
            "RANK=0 WORLD_SIZE=1",
            new Place(0, 1, -1, -1),
            new Alone(),
            "env:// (RANK=0, WORLD_SIZE=1)"),
        of(
            null,
            "TUTTI_INIT=tcp://10.0.0.1:4711?rank=2&size=3 " + TORCH,
            new Place(2, 3, -1, -1),
            new Address("10.0.0.1", 4711, false),
            "tcp://10.0.0.1:4711"),
        of(
            "tcp://[fe80::1]:4711?rank=2&size=3&localRank=0&localSize=1&hosted=launcher",
            TORCH,
            new Place(2, 3, 0, 1),
            new Address("fe80::1", 4711, true),
            "store in the launcher"),
        of(
            "tcp://my_host:4711",
            OPEN_MPI,
            new Place(1, 4, 1, -1),
            new Address("my_host", 4711, false),
            "tcp://my_host:4711"),
        of(
            "tcp://h:1?rank=0&size=1",
            "",
            new Place(0, 1, -1, -1),
            new Alone(),
            "address tcp://h:1"),
        of(
            "file:///tmp/a%20b?rank=1&size=2",
            "", new Place(1, 2, -1, -1), new Folder(Path.of("/tmp/a b")), "folder /tmp/a b"),
        of(
            null,
            OPEN_MPI + " OMPI_COMM_WORLD_LOCAL_SIZE=4",
            new Place(1, 4, 1, 4),
            new JobFile(),
            "Open MPI (OMPI_COMM_WORLD_RANK=1, OMPI_COMM_WORLD_SIZE=4), on one host"),
        of(
            null,
            OPEN_MPI + " OMPI_COMM_WORLD_LOCAL_SIZE=2 MASTER_ADDR=head MASTER_PORT=5000",
            new Place(1, 4, 1, 2),
            new Address("head", 5000, false),
            "MASTER_ADDR and MASTER_PORT"),
        of(
            null,
            OPEN_MPI + " OMPI_COMM_WORLD_LOCAL_SIZE=2 SLURM_PROCID=0 " + SLURM,
            new Place(1, 4, 1, 2),
            new Address("gpu07", Slurm.port("openmpi-77"), false),
            "Open MPI"),
        of(
            null,
            SLURM,
            new Place(3, 4, 1, 2),
            new Address("gpu07", Slurm.port("slurm-42.0"), false),
            "Slurm (SLURM_PROCID=3, SLURM_NTASKS=4), the job's first host gpu07"),
        of(
            null,
            SLURM + " MASTER_PORT=5001",
            new Place(3, 4, 1, 2),
            new Address("gpu07", 5001, false),
            "Slurm"),
        of(
            null,
            "SLURM_JOB_ID=42 SLURM_STEP_ID=1 SLURM_PROCID=1 SLURM_NTASKS=2 SLURM_NODEID=0"
                + " SLURM_TASKS_PER_NODE=2 SLURM_JOB_NODELIST=gpu07",
            new Place(1, 2, -1, 2),
            new JobFile(),
            "on one host"),
        // A batch script's own process has Slurm's variables, but is alone.
        of(
            null,
            "SLURM_JOB_ID=42 SLURM_PROCID=0 SLURM_NTASKS=8 SLURM_JOB_NODELIST=n1",
            new Place(0, 1, 0, 1),
            new Alone(),
            "alone"),
        of(
            null,
            "PMI_RANK=1 PMI_SIZE=2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2",
            new Place(1, 2, 1, 2),
            new JobFile(),
            "PMI (PMI_RANK=1, PMI_SIZE=2)"),
        of(
            null,
            TORCH
                + " LOCAL_WORLD_SIZE=4 LOCAL_RANK=1 TORCHELASTIC_RUN_ID=none"
                + " TORCHELASTIC_RESTART_COUNT=0 TORCHELASTIC_USE_AGENT_STORE=True",
            new Place(1, 4, 1, 4),
            new JobFile(),
            "torchrun on one host"),
        of(
            null,
            TORCH
                + " LOCAL_WORLD_SIZE=2 LOCAL_RANK=1 TORCHELASTIC_RUN_ID=r"
                + " TORCHELASTIC_USE_AGENT_STORE=True",
            new Place(1, 4, 1, 2),
            new Address("head", 29501, false),
            "the next one"),
        // torchrun started by mpirun or srun, one a node: its processes' own numbers count.
        of(
            null,
            TORCH + " TORCHELASTIC_RUN_ID=r OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2",
            new Place(1, 4, -1, -1),
            new Address("head", 29500, false),
            "env://"),
        of(
            null,
            TORCH + " " + SLURM,
            new Place(1, 4, -1, -1),
            new Address("head", 29500, false),
            "env://"));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("plans")
  void finds(@Nullable String url, String env, Place place, MeetingPoint meeting, String how) {
    Plan plan = Planner.plan(url, variables(env));
    assertThat(plan.place()).isEqualTo(place);
    assertThat(plan.meeting()).isEqualTo(meeting);
    assertThat(plan.how()).contains(how);
  }

  static Stream<Arguments> mistakes() {
    return Stream.of(
        Arguments.of("env://", "RANK=1", "WORLD_SIZE is not set"),
        Arguments.of("env://", "", "RANK is not set"),
        Arguments.of("env://", "RANK=1 WORLD_SIZE=4", "MASTER_ADDR is not"),
        Arguments.of("env://", "RANK=1 WORLD_SIZE=4 MASTER_ADDR=h", "MASTER_PORT is not set"),
        Arguments.of("env://", TORCH + " MASTER_PORT=0", "MASTER_PORT=0 is not a port"),
        Arguments.of("env://", TORCH + " MASTER_PORT=http", "MASTER_PORT=http is not a number"),
        Arguments.of("env://", TORCH + " RANK=one", "RANK=one is not a number"),
        Arguments.of("env://", TORCH + " RANK=-1", "RANK=-1 is not a number"),
        Arguments.of("env://", TORCH + " RANK=4", "RANK=4 contradicts WORLD_SIZE=4"),
        Arguments.of("env://", TORCH + " WORLD_SIZE=0", "WORLD_SIZE=0: a job has at least 1"),
        Arguments.of(
            "env://", TORCH + " LOCAL_RANK=2 LOCAL_WORLD_SIZE=2", "local rank 2 and local size 2"),
        Arguments.of(null, "RANK=3", "only RANK=3 is set"),
        Arguments.of(null, "WORLD_SIZE=3", "tutti run -n 4 --"),
        Arguments.of(
            null,
            TORCH + " OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=4",
            "RANK=1, WORLD_SIZE=4 contradicts OMPI_COMM_WORLD_RANK=0"),
        Arguments.of(null, "OMPI_COMM_WORLD_RANK=0", "none of OMPI_COMM_WORLD_SIZE"),
        Arguments.of(null, "PMIX_RANK=0", "the number of ranks is not known"),
        Arguments.of(
            null,
            OPEN_MPI + " OMPI_COMM_WORLD_LOCAL_SIZE=2",
            "looked for TUTTI_INIT, MASTER_ADDR and MASTER_PORT, SLURM_STEP_NODELIST"),
        Arguments.of(null, "PMI_RANK=0 PMI_SIZE=2", "not whether all ranks are on this host"),
        Arguments.of("head:29500", "", "env://, tcp://host:port"),
        Arguments.of("http://head:29500", "", "unknown scheme \"http\""),
        Arguments.of("tcp://head:29500", "", "lacks rank="),
        Arguments.of("tcp://head:29500?rank=0", "", "lacks size="),
        Arguments.of("tcp://head:29500?rank=2&size=2", "", "rank=2 contradicts size=2"),
        Arguments.of("tcp://head:29500?rank=x&size=2", "", "rank in tcp://head"),
        Arguments.of("tcp://head:29500?rank=0", TORCH, "contradicts the environment"),
        Arguments.of("tcp://head?rank=0&size=2", "", "no host and port"),
        Arguments.of("tcp://head:x?rank=0&size=2", "", "is not a number"),
        Arguments.of("tcp://head:70000?rank=0&size=2", "", "is not a port"),
        Arguments.of("tcp://::1:29500?rank=0&size=2", "", "put it into brackets"),
        Arguments.of("tcp://h:1?rank=0&size=2&hosted=me", "", "hosted=me"),
        Arguments.of("tcp://h:1?rank=0&sise=2", "", "\"sise=2\""),
        Arguments.of("tcp://h:1?rank=0&rank=1&size=2", "", "rank= stands twice"),
        Arguments.of("file://dir?rank=0&size=2", "", "three slashes"),
        Arguments.of("file:///dir%zz?rank=0&size=2", "", "%zz"));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("mistakes")
  void namesTheMistake(@Nullable String url, String env, String message) {
    assertThatThrownBy(() -> Planner.plan(url, variables(env)))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aJobIsNamedAlikeOnAllRanksAndUnlikeOtherJobs() {
    String first = Planner.plan(null, variables(TORCH)).job();
    assertThat(Planner.plan(null, variables(TORCH + " RANK=2")).job()).isEqualTo(first);
    assertThat(Planner.plan(null, variables(TORCH + " MASTER_PORT=29501")).job())
        .isNotEqualTo(first);
    assertThat(Planner.plan(null, variables(TORCH + " TUTTI_JOB=mine")).job()).isEqualTo("mine");
    String torchrun = TORCH + " TORCHELASTIC_RUN_ID=r TORCHELASTIC_RESTART_COUNT=";
    assertThat(Planner.plan(null, variables(torchrun + "0")).job())
        .isNotEqualTo(Planner.plan(null, variables(torchrun + "1")).job());
    assertThat(Slurm.port("slurm-42.0")).isBetween(20000, 31999);
  }

  private static Arguments of(
      @Nullable String url, String env, Place place, MeetingPoint meeting, String how) {
    return Arguments.of(url, env, place, meeting, how);
  }

  private static Map<String, String> variables(String text) {
    Map<String, String> env = new HashMap<>();
    for (String pair : text.split(" ", -1)) {
      if (!pair.isEmpty()) {
        int equals = pair.indexOf('=');
        env.put(pair.substring(0, equals), pair.substring(equals + 1));
      }
    }
    return env;
  }
}
