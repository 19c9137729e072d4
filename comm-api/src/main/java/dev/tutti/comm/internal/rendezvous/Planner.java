package dev.tutti.comm.internal.rendezvous;

import dev.tutti.comm.ConfigException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads addresses and variables, and decides what they mean. Starts nothing, opens nothing. */
final class Planner {
  private static final String NEXT_STEP =
      "Start the ranks with `tutti run -n 4 -- ...`, with torchrun, mpirun or srun, or set"
          + " TUTTI_INIT to one of "
          + RendezvousAddress.FORMS;

  private final Variables env;

  private Planner(Map<String, String> env) {
    this.env = new Variables(env);
  }

  /**
   * Finds out what job this process belongs to.
   *
   * @param url the address that the program gave, or null to look around
   */
  static Plan plan(@Nullable String url, Map<String, String> env) {
    Planner planner = new Planner(env);
    if (url != null) {
      return planner.at(RendezvousAddress.parse("The rendezvous address", url));
    }
    String init = planner.env.text("TUTTI_INIT");
    if (init != null) {
      return planner.at(RendezvousAddress.parse("TUTTI_INIT", init));
    }
    return planner.found();
  }

  private Plan at(RendezvousAddress address) {
    return switch (address.scheme()) {
      case "env" -> torchStyle();
      case "tcp" -> atServer(address);
      case "file" -> inFolder(address);
      default ->
          throw new ConfigException(
              "The rendezvous address "
                  + address.text()
                  + " has the unknown scheme \""
                  + address.scheme()
                  + "\". Write one of "
                  + RendezvousAddress.FORMS);
    };
  }

  private Plan atServer(RendezvousAddress address) {
    Place place = placeIn(address);
    String host = address.host();
    int port = address.port();
    String hosted = address.parameters().getOrDefault("hosted", "rank0");
    if (!hosted.equals("rank0") && !hosted.equals("launcher")) {
      throw new ConfigException(
          "hosted=" + hosted + " in " + address.text() + " must be rank0 or launcher");
    }
    boolean inLauncher = hosted.equals("launcher");
    String job = address.parameters().getOrDefault("job", jobOr("tcp-" + port));
    MeetingPoint meeting =
        place.size() == 1 && !inLauncher
            ? new MeetingPoint.Alone()
            : new MeetingPoint.Address(host, port, inLauncher);
    String how = "address tcp://" + address.place() + (inLauncher ? ", store in the launcher" : "");
    return new Plan(place, meeting, job, how);
  }

  private Plan inFolder(RendezvousAddress address) {
    Place place = placeIn(address);
    if (!address.place().startsWith("/")) {
      throw new ConfigException(
          "The folder in " + address.text() + " must be absolute: file:///folder, three slashes");
    }
    Path folder = Path.of(address.place());
    MeetingPoint meeting =
        place.size() == 1 ? new MeetingPoint.Alone() : new MeetingPoint.Folder(folder);
    return new Plan(place, meeting, "file", "folder " + folder);
  }

  /** Takes rank and size from an address, and what it does not say from the environment. */
  private Place placeIn(RendezvousAddress address) {
    int rank = address.number("rank", -1);
    int size = address.number("size", -1);
    Place around = null;
    if (rank < 0 || size < 0) {
      around = placeAround();
      if (around == null) {
        throw new ConfigException(
            "The rendezvous address "
                + address.text()
                + " lacks "
                + (rank < 0 ? "rank=" : "size=")
                + ", and no launcher says it (looked for RANK and WORLD_SIZE, "
                + launchers()
                + "). Write "
                + address.scheme()
                + "://"
                + address.place()
                + "?rank=0&size=4");
      }
    } else {
      // The address counts; what the environment says of the host is good if it is of this job.
      around = silently();
    }
    boolean same =
        around != null
            && (rank < 0 || rank == around.rank())
            && (size < 0 || size == around.size());
    if (around != null && !same && (rank < 0 || size < 0)) {
      throw new ConfigException(
          "The rendezvous address "
              + address.text()
              + " contradicts the environment, which says rank "
              + around.rank()
              + " of "
              + around.size());
    }
    return Variables.place(
        "rank",
        rank >= 0 || around == null ? rank : around.rank(),
        "size",
        size >= 0 || around == null ? size : around.size(),
        address.number("localRank", same && around != null ? around.localRank() : -1),
        address.number("localSize", same && around != null ? around.localSize() : -1));
  }

  private @Nullable Place silently() {
    try {
      return placeAround();
    } catch (ConfigException e) {
      return null;
    }
  }

  private @Nullable Place placeAround() {
    if (env.has("RANK") && env.has("WORLD_SIZE")) {
      return torchPlace();
    }
    LauncherVariables launcher = LauncherVariables.find(env);
    return launcher == null ? null : launcher.place(env);
  }

  private Place torchPlace() {
    String why = "env:// needs RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT. " + NEXT_STEP;
    return Variables.place(
        "RANK",
        env.required("RANK", why),
        "WORLD_SIZE",
        env.required("WORLD_SIZE", why),
        env.firstNumber(-1, "LOCAL_RANK"),
        env.firstNumber(-1, "LOCAL_WORLD_SIZE"));
  }

  /** The variables that torchrun sets, all of them. */
  private Plan torchStyle() {
    Place place = torchPlace();
    String how = "env:// (" + env.present("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT") + ")";
    if (place.size() == 1) {
      return new Plan(place, new MeetingPoint.Alone(), jobOr("env"), how);
    }
    String host = env.text("MASTER_ADDR");
    if (host == null) {
      throw new ConfigException(
          "RANK and WORLD_SIZE are set, but MASTER_ADDR is not: it is the host of rank 0. "
              + NEXT_STEP);
    }
    int port = env.port("MASTER_PORT");
    String run = env.first("TORCHELASTIC_RUN_ID");
    String job = jobOr("env-" + port);
    if (run != null) {
      // A restarted round is another job: it must not meet what is left of the former one.
      job = jobOr("torchrun-" + run + "-" + port) + "-" + env.first("TORCHELASTIC_RESTART_COUNT");
    }
    if ("True".equalsIgnoreCase(env.text("TORCHELASTIC_USE_AGENT_STORE"))) {
      // torchrun's own agent listens on MASTER_PORT, with a store of another kind.
      if (place.onOneHost()) {
        return new Plan(
            place, new MeetingPoint.JobFile(), job, how + ", torchrun on one host: a job file");
      }
      port = Variables.checkedPort("MASTER_PORT + 1", port + 1);
      how += ", torchrun's agent holds that port: the next one";
    }
    return new Plan(place, new MeetingPoint.Address(host, port, false), job, how);
  }

  /** No address was given: torchrun's variables, then a launcher's, else alone. */
  private Plan found() {
    LauncherVariables launcher = LauncherVariables.find(env);
    boolean torchNumbers = env.has("RANK") && env.has("WORLD_SIZE");
    if (torchNumbers) {
      checkAgainst(launcher);
    }
    if (torchNumbers && (env.has("MASTER_ADDR") || env.has("MASTER_PORT") || launcher == null)) {
      return torchStyle();
    }
    if (launcher != null) {
      return byLauncher(launcher);
    }
    if (env.has("RANK") || env.has("WORLD_SIZE")) {
      throw new ConfigException(
          "Of RANK and WORLD_SIZE, only "
              + env.present("RANK", "WORLD_SIZE")
              + " is set. Set both, MASTER_ADDR and MASTER_PORT, or none. "
              + NEXT_STEP);
    }
    return new Plan(
        new Place(0, 1, 0, 1),
        new MeetingPoint.Alone(),
        "alone",
        "alone: no TUTTI_INIT, no RANK and WORLD_SIZE, no launcher (" + launchers() + ")");
  }

  private void checkAgainst(@Nullable LauncherVariables launcher) {
    // torchrun under a launcher: its processes inherit the numbers of their agent.
    if (launcher == null || launcher.name().equals("Slurm") || env.has("TORCHELASTIC_RUN_ID")) {
      return;
    }
    Place torch = torchPlace();
    Place other = launcher.place(env);
    if (torch.rank() != other.rank() || torch.size() != other.size()) {
      throw new ConfigException(
          env.present("RANK", "WORLD_SIZE")
              + " contradicts "
              + launcher.seen(env)
              + " of "
              + launcher.name()
              + ". Unset one of the two, or set TUTTI_INIT to one of "
              + RendezvousAddress.FORMS);
    }
  }

  private Plan byLauncher(LauncherVariables launcher) {
    Place place = launcher.place(env);
    String how = launcher.name() + " (" + launcher.seen(env) + ")";
    String job = jobOr(launcher.job(env));
    if (place.size() == 1) {
      return new Plan(place, new MeetingPoint.Alone(), job, how);
    }
    String host = env.text("MASTER_ADDR");
    if (host != null && env.has("MASTER_PORT")) {
      MeetingPoint at = new MeetingPoint.Address(host, env.port("MASTER_PORT"), false);
      return new Plan(place, at, job, how + ", MASTER_ADDR and MASTER_PORT");
    }
    if (host == null && place.onOneHost()) {
      return new Plan(place, new MeetingPoint.JobFile(), job, how + ", on one host: a job file");
    }
    String first = host != null ? host : Slurm.firstHost(env);
    if (first != null && (Slurm.firstHost(env) != null)) {
      int port = env.has("MASTER_PORT") ? env.port("MASTER_PORT") : Slurm.port(job);
      MeetingPoint at = new MeetingPoint.Address(first, port, false);
      return new Plan(place, at, job, how + ", the job's first host " + first);
    }
    throw new ConfigException(
        how
            + " says rank "
            + place.rank()
            + " of "
            + place.size()
            + (place.localSize() < 0
                ? ", but not whether all ranks are on this host"
                : ", of which " + place.localSize() + " are on this host")
            + ", and nothing says where they meet (looked for TUTTI_INIT, MASTER_ADDR and"
            + " MASTER_PORT, SLURM_STEP_NODELIST, SLURM_JOB_NODELIST). Set MASTER_ADDR to rank 0's"
            + " host and MASTER_PORT to a free port there, on all ranks (mpirun -x MASTER_ADDR=..."
            + " -x MASTER_PORT=...)");
  }

  private String jobOr(String otherwise) {
    String job = env.text("TUTTI_JOB");
    return job == null ? otherwise : job;
  }

  private static String launchers() {
    StringBuilder names = new StringBuilder();
    for (LauncherVariables launcher : LauncherVariables.ALL) {
      names.append(names.isEmpty() ? "" : ", ").append(launcher.rank());
    }
    return names.toString();
  }
}
