package dev.tutti.comm.internal.rendezvous;

import dev.tutti.comm.Store;
import dev.tutti.comm.internal.control.Control;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * This process's place in its job, and its lines to the others.
 *
 * @param rank this process's number, in {@code [0, size)}
 * @param size the number of ranks of the job
 * @param localRank this process's number among those of its host, or -1 if the launcher did not say
 * @param localSize the number of ranks on this host, or -1 if the launcher did not say
 * @param jobId the job's name, the same on all ranks and unlike that of any other job or earlier
 *     run
 * @param host this host's name
 * @param store the job's store
 * @param control this rank's control line
 * @param how one line that says how the job was found, for reports and messages
 * @param localAddress the local address of the connection to the job's store, which is the one that
 *     is routed to the other ranks' rendezvous; loopback on the host that the store runs on if its
 *     name maps there; null where there is no connection (in-memory and file stores)
 */
public record Membership(
    int rank,
    int size,
    int localRank,
    int localSize,
    String jobId,
    String host,
    Store store,
    Control control,
    String how,
    @Nullable InetAddress localAddress)
    implements AutoCloseable {

  /**
   * Leaves the job: says goodbye on the control line, then closes the store. On the rank that hosts
   * the store, the store lives on until all others have left or the process ends. Idempotent,
   * bounded by two seconds.
   */
  @Override
  public void close() {
    try {
      control.close();
    } finally {
      store.close();
    }
  }
}
