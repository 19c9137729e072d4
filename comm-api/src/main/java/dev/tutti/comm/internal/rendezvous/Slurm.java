package dev.tutti.comm.internal.rendezvous;

import org.jspecify.annotations.Nullable;

/** What Slurm's variables say beyond rank and size. */
final class Slurm {
  /** Below the ports that the system hands out by itself. */
  private static final int FIRST_PORT = 20_000;

  private static final int PORTS = 12_000;

  private Slurm() {}

  /**
   * Returns whether srun started this process: a batch script has a rank and size too, but is
   * alone.
   */
  static boolean startedThisProcess(Variables env) {
    return env.has("SLURM_PROCID") && (env.has("SLURM_STEP_ID") || env.has("SLURM_STEPID"));
  }

  /** Returns the job's first host, or null if this is no job of Slurm's. */
  static @Nullable String firstHost(Variables env) {
    for (String name :
        new String[] {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"}) {
      String list = env.text(name);
      if (list != null) {
        return SlurmNodes.hosts(name, list).getFirst();
      }
    }
    return null;
  }

  /** Returns the number of ranks on this host, or -1 if it is not known. */
  static int localSize(Variables env) {
    int node = env.firstNumber(-1, "SLURM_NODEID");
    for (String name : new String[] {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"}) {
      String list = env.text(name);
      if (list != null && node >= 0) {
        return SlurmNodes.tasksOn(name, list, node);
      }
    }
    return -1;
  }

  /** Returns the step's name: a job's steps are jobs of their own for us. */
  static String job(Variables env) {
    return env.first("SLURM_JOB_ID", "SLURM_JOBID")
        + "."
        + env.first("SLURM_STEP_ID", "SLURM_STEPID");
  }

  /** Returns the port that all ranks of a job derive from its name. */
  static int port(String job) {
    return FIRST_PORT + Math.floorMod(job.hashCode() * 0x9E3779B9, PORTS);
  }
}
