package dev.tutti.cli.doctor;

import dev.tutti.comm.CommConfig;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.Backends;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** The backends, the config string and the launcher's variables that a program would find. */
final class Surroundings {
  /**
   * Beginnings of the variables by which launchers tell a process its place, or networks are
   * chosen.
   */
  private static final List<String> VARIABLES =
      List.of(
          "TUTTI_",
          "RANK",
          "WORLD_SIZE",
          "LOCAL_RANK",
          "LOCAL_WORLD_SIZE",
          "MASTER_ADDR",
          "MASTER_PORT",
          "TORCHELASTIC_",
          "OMPI_COMM_WORLD_",
          "PMIX_RANK",
          "PMIX_NAMESPACE",
          "PMI_RANK",
          "PMI_SIZE",
          "SLURM_PROCID",
          "SLURM_NTASKS",
          "SLURM_LOCALID",
          "SLURM_JOB_ID",
          "SLURM_STEP_NODELIST",
          "SLURM_JOB_NODELIST",
          "GLOO_SOCKET_IFNAME",
          "NCCL_SOCKET_IFNAME");

  private Surroundings() {}

  /** Looks at every backend that is on the class path. */
  static List<Finding> backends(Backends backends) {
    List<Finding> findings = new ArrayList<>();
    Map<String, Availability> answers = backends.startable();
    for (BackendProvider provider : backends.providers()) {
      String name = provider.name();
      Availability answer = answers.getOrDefault(name, Availability.yes());
      String reason = answer.reason();
      findings.add(
          reason == null
              ? Finding.ok(name, "available")
              : Finding.missing(name, reason, answer.nextStep()));
    }
    if (findings.isEmpty()) {
      findings.add(
          Finding.missing("backends", "none is on the class path", "add tutti-backend-tcp to it"));
    }
    return findings;
  }

  /** Looks for the config string as a program does. */
  static Finding config(Backends backends, Map<String, String> environment, Properties properties) {
    try {
      CommConfig config =
          CommConfig.resolve(null, environment, properties).check(backends.providers());
      return Finding.ok("config", config.origin());
    } catch (ConfigException e) {
      return Finding.missing("config", String.valueOf(e.getMessage()), null);
    }
  }

  /** Returns the variables that are set, sorted by name. */
  static Map<String, String> variables(Map<String, String> environment) {
    Map<String, String> set = new TreeMap<>();
    environment.forEach(
        (name, value) -> {
          boolean known =
              VARIABLES.stream()
                  .anyMatch(each -> each.endsWith("_") ? name.startsWith(each) : name.equals(each));
          // A token is nobody's business.
          if (known && !name.contains("TOKEN")) {
            set.put(name, value);
          }
        });
    return set;
  }
}
