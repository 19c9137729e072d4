package dev.tutti.mpi;

import dev.tutti.comm.CommConfig;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The backend {@code mpi}: CPU buffers, over Open MPI. */
public final class MpiBackend implements BackendProvider {
  private static final List<Key> KEYS =
      List.of(
          Key.of(
              "chunk",
              Type.BYTES,
              "1MiB",
              "length of the pieces in which large messages and heap memory go to MPI"),
          Key.of(
              "fold",
              Type.BYTES,
              "256KiB",
              "from this length on, reductions are folded here instead of by MPI"));

  /** Creates the provider; does nothing else. */
  public MpiBackend() {}

  @Override
  public String name() {
    return "mpi";
  }

  /** Below tcp's: MPI is taken when it is named. */
  @Override
  public int priority() {
    return 5;
  }

  @Override
  public Availability availability() {
    return MpiInstallation.here().availability();
  }

  @Override
  public Availability startable() {
    return MpiInstallation.here().startable();
  }

  @Override
  public @Nullable Starter starter(int ranks) {
    return Mpirun.starter(MpiInstallation.here(), ranks);
  }

  @Override
  public Set<String> devices() {
    return Set.of("cpu");
  }

  @Override
  public List<Key> keys() {
    return KEYS;
  }

  @Override
  public void check(CommConfig.Options options) {
    long _ = MpiCommunicator.chunk(options);
  }

  @Override
  public Placement placement() {
    return Placement.ONE_PER_PROCESS;
  }

  @Override
  public Communicator connect(Context context) {
    return MpiCommunicator.connect(MpiProcess.start(context.timeout()), context);
  }
}
