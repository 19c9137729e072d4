package dev.tutti.comm.internal.rendezvous;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.Deadline;
import dev.tutti.comm.internal.control.InMemoryControl;
import dev.tutti.comm.internal.control.NoControl;
import dev.tutti.comm.internal.store.FileStore;
import dev.tutti.comm.internal.store.HostName;
import dev.tutti.comm.internal.store.InMemoryStore;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a process finds its rank and the others. First found counts: the address that the program
 * gives, the variable {@code TUTTI_INIT}, what torchrun sets, what an MPI launcher or Slurm sets;
 * else the process is a job of one rank.
 *
 * <ul>
 *   <li>{@code env://}: {@code RANK}, {@code WORLD_SIZE}, {@code MASTER_ADDR}, {@code MASTER_PORT},
 *       and {@code LOCAL_RANK}, {@code LOCAL_WORLD_SIZE} if they are there. Rank 0 hosts the store
 *       on that port. Where torchrun's own agent holds it ({@code
 *       TORCHELASTIC_USE_AGENT_STORE=True}), the ranks of one host meet by a job file, and those of
 *       several on the next port.
 *   <li>{@code tcp://host:port?rank=&size=}: the same, in one line; also {@code localRank=}, {@code
 *       localSize=}, {@code job=}, and {@code hosted=launcher} where the process that started the
 *       ranks hosts the store. Without rank and size, those of the environment count.
 *   <li>{@code file:///folder?rank=&size=}: a folder that all ranks see. Deaths are not seen there.
 *   <li>Open MPI, MVAPICH2, PMI, PMIx, Slurm: rank and size as the launcher says. On one host the
 *       ranks meet by a job file, an owner-only file in the system's temporary folder that is named
 *       after the job; within a Slurm job on its first host and a port derived from the job's name;
 *       with {@code MASTER_ADDR} and {@code MASTER_PORT}, there.
 * </ul>
 *
 * <p>{@code TUTTI_JOB}, the same on all ranks, gives a job a name of its own; ranks that name
 * another job are refused.
 */
public final class Rendezvous {
  private Rendezvous() {}

  /**
   * Joins the job that this process was started for.
   *
   * @param url where the ranks meet ({@code env://}, {@code tcp://host:port?rank=&size=}, {@code
   *     file:///dir?rank=&size=}), or null to look: the variable {@code TUTTI_INIT}, then what a
   *     launcher has set, else a job of one rank
   * @param env the environment, usually {@link System#getenv()}
   * @param deadline when to give up
   * @throws ConfigException if an address or variable is wrong; nothing was started
   * @throws dev.tutti.comm.CommTimeoutException if the job's store could not be reached in time
   */
  public static Membership join(@Nullable String url, Map<String, String> env, Deadline deadline) {
    Plan plan = Planner.plan(url, env);
    return switch (plan.meeting()) {
      case MeetingPoint.Alone alone -> alone(plan);
      case MeetingPoint.Address address -> new TcpMeeting(plan, deadline).at(address);
      case MeetingPoint.JobFile file ->
          new TcpMeeting(plan, deadline).byFile(JobFile.of(plan.job()));
      case MeetingPoint.Folder folder -> inFolder(plan, folder.path(), deadline);
    };
  }

  private static Membership alone(Plan plan) {
    return new Membership(
        0,
        1,
        0,
        1,
        plan.job() + "." + Nonce.next(),
        HostName.get(),
        new InMemoryStore(1).view(),
        new InMemoryControl(1).line(0),
        plan.how() + ", one rank",
        null);
  }

  private static Membership inFolder(Plan plan, Path folder, Deadline deadline) {
    Place place = plan.place();
    FileStore store = FileStore.join(folder, place.rank(), place.size(), deadline);
    return new Membership(
        place.rank(),
        place.size(),
        place.localRank(),
        place.localSize(),
        store.jobId(),
        HostName.get(),
        store,
        new NoControl(),
        plan.how() + ": deaths are not seen, only timeouts are promised",
        null);
  }
}
