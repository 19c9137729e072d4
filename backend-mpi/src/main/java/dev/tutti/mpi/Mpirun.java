package dev.tutti.mpi;

import dev.tutti.comm.spi.BackendProvider.Starter;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How Open MPI's mpirun is called to start ranks on this host. */
final class Mpirun {
  private static final String LIBRARY_PATH = "LD_LIBRARY_PATH";

  private Mpirun() {}

  /** Returns the call, or null where there is no mpirun. */
  static @Nullable Starter starter(MpiInstallation installation, int ranks) {
    Path mpirun = installation.mpirun();
    if (mpirun == null) {
      return null;
    }
    List<String> command = new ArrayList<>(List.of(mpirun.toString(), "-np", "" + ranks));
    // What containers and small machines need; others lose nothing by it.
    command.add("--allow-run-as-root");
    command.add("--oversubscribe");
    // A Java process has more threads than the one that calls MPI.
    command.addAll(List.of("--bind-to", "none"));
    // The survivors of a rank's death are told by the job's server, and say so.
    command.add("--enable-recovery");
    Map<String, String> environment = new LinkedHashMap<>();
    // Java handles SIGSEGV itself, and means no error by it.
    environment.put("UCX_ERROR_SIGNALS", "");
    Path library = installation.library();
    if (library != null) {
      String path = installation.environment().getOrDefault(LIBRARY_PATH, "");
      String folder = String.valueOf(library.getParent());
      environment.put(LIBRARY_PATH, path.isEmpty() ? folder : folder + File.pathSeparator + path);
    }
    return new Starter(command, environment);
  }
}
