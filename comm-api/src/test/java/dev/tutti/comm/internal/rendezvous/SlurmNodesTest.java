package dev.tutti.comm.internal.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SlurmNodesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "node1; node1",
        "gpu[01-03,7],login; gpu01,gpu02,gpu03,gpu7,login",
        "a1,b2; a1,b2",
        "n[9-11]; n9,n10,n11",
        "n[009-011]-ib; n009-ib,n010-ib,n011-ib",
        "rack[1-2]n[1,3]; rack1n1,rack1n3,rack2n1,rack2n3",
      })
  void expandsHosts(String list, String hosts) {
    assertThat(SlurmNodes.hosts("V", list)).containsExactly(hosts.split(","));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "n[", "n]", "n[1-", "n[2-1]", "n[a]", "n[1]]", "a,,b", "n[]", "n[0-9999999]"})
  void namesAListThatIsNone(String list) {
    assertThatThrownBy(() -> SlurmNodes.hosts("SLURM_JOB_NODELIST", list))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("SLURM_JOB_NODELIST=" + list);
  }

  @Test
  void countsTasksOnANode() {
    assertThat(SlurmNodes.tasksOn("V", "2(x3),1", 0)).isEqualTo(2);
    assertThat(SlurmNodes.tasksOn("V", "2(x3),1", 2)).isEqualTo(2);
    assertThat(SlurmNodes.tasksOn("V", "2(x3),1", 3)).isEqualTo(1);
    assertThat(SlurmNodes.tasksOn("V", "2(x3),1", 4)).isEqualTo(-1);
    assertThat(SlurmNodes.tasksOn("V", "8", 0)).isEqualTo(8);
    assertThatThrownBy(() -> SlurmNodes.tasksOn("SLURM_TASKS_PER_NODE", "2(x", 0))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("SLURM_TASKS_PER_NODE=2(x");
  }
}
