package dev.tutti.comm.internal.rendezvous;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.store.ProcessIdentity;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What one launcher sets in its processes' environment.
 *
 * @param name what users call it
 * @param rank the variable with the rank; where it is set, the launcher is there
 * @param size the variables with the number of ranks, the first that is set counts
 * @param localRank the variables with the rank on the host
 * @param localSize the variables with the number of ranks on the host
 * @param job the variables with a name of the job that no other job on the host has
 */
record LauncherVariables(
    String name,
    String rank,
    List<String> size,
    List<String> localRank,
    List<String> localSize,
    List<String> job) {

  /** The innermost first: mpirun within a Slurm job leaves its own daemons' Slurm variables. */
  static final List<LauncherVariables> ALL =
      List.of(
          new LauncherVariables(
              "Open MPI",
              "OMPI_COMM_WORLD_RANK",
              List.of("OMPI_COMM_WORLD_SIZE"),
              List.of("OMPI_COMM_WORLD_LOCAL_RANK"),
              List.of("OMPI_COMM_WORLD_LOCAL_SIZE"),
              List.of("PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid")),
          new LauncherVariables(
              "MVAPICH2",
              "MV2_COMM_WORLD_RANK",
              List.of("MV2_COMM_WORLD_SIZE"),
              List.of("MV2_COMM_WORLD_LOCAL_RANK"),
              List.of("MV2_COMM_WORLD_LOCAL_SIZE"),
              List.of("PMI_PORT")),
          new LauncherVariables(
              "PMI",
              "PMI_RANK",
              List.of("PMI_SIZE"),
              List.of("MPI_LOCALRANKID", "PMI_LOCAL_RANK"),
              List.of("MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"),
              List.of("PMI_JOBID", "PMI_PORT")),
          new LauncherVariables(
              "Slurm",
              "SLURM_PROCID",
              List.of("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS"),
              List.of("SLURM_LOCALID"),
              List.of(),
              List.of()),
          new LauncherVariables(
              "PMIx",
              "PMIX_RANK",
              List.of("PMIX_SIZE", "PRTE_NPROCS"),
              List.of("PMIX_LOCAL_RANK"),
              List.of("PMIX_LOCAL_SIZE"),
              List.of("PMIX_NAMESPACE")));

  /** Returns the launcher that started this process, or null if none is known by its variables. */
  static @Nullable LauncherVariables find(Variables env) {
    for (LauncherVariables launcher : ALL) {
      if (env.has(launcher.rank)
          && (!launcher.name.equals("Slurm") || Slurm.startedThisProcess(env))) {
        return launcher;
      }
    }
    return null;
  }

  Place place(Variables env) {
    String sizeName = null;
    for (String candidate : size) {
      if (sizeName == null && env.has(candidate)) {
        sizeName = candidate;
      }
    }
    if (sizeName == null) {
      throw new ConfigException(
          rank
              + "="
              + env.text(rank)
              + " is set, but none of "
              + String.join(", ", size)
              + ": the number of ranks is not known. Set RANK and WORLD_SIZE, or start with"
              + " `tutti run -n 4 -- ...`");
    }
    int local = env.firstNumber(-1, localSize.toArray(String[]::new));
    if (local < 0 && name.equals("Slurm")) {
      local = Slurm.localSize(env);
    }
    return Variables.place(
        rank,
        env.required(rank, ""),
        sizeName,
        env.required(sizeName, ""),
        env.firstNumber(-1, localRank.toArray(String[]::new)),
        local);
  }

  /** Returns a name of the job that no other job on this host has. */
  String job(Variables env) {
    String id = env.first(job.toArray(String[]::new));
    if (name.equals("Slurm")) {
      id = Slurm.job(env);
    } else if (id == null) {
      // All processes of a host are children of one daemon, and no other job's are.
      id =
          ProcessHandle.current()
              .parent()
              .map(parent -> "child-of-" + ProcessIdentity.text(parent))
              .orElse("unnamed");
    }
    return name.replace(" ", "").toLowerCase(Locale.ROOT) + "-" + id;
  }

  /** Returns the variables that were looked at, with their values, for reports. */
  String seen(Variables env) {
    String sizes = env.present(size.toArray(String[]::new));
    return env.present(rank) + (sizes.isEmpty() ? "" : ", " + sizes);
  }
}
