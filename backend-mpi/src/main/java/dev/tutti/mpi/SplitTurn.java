package dev.tutti.mpi;

import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.Store;
import dev.tutti.comm.spi.BackendProvider.Context;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes communicators, one at a time in the whole job, and each only once all its ranks are there.
 *
 * <p>{@code MPI_Comm_split} blocks while it holds the process's one lock: a rank that is missing,
 * or two groups that are split by two processes in opposite orders, would block it for good.
 */
final class SplitTurn {
  private static final String COUNTER = "mpi/split/tickets";
  private static final String TURN = "mpi/split/turn/";

  private final MpiProcess process;
  private final Store job;

  /**
   * @param job a corner of the store that all groups of the job share
   */
  SplitTurn(MpiProcess process, Store job) {
    this.process = process;
    this.job = job;
  }

  /**
   * Splits a communicator; every rank of it calls.
   *
   * @param group the group whose communicator it is
   * @param number how many times the group was split before
   * @param comm the communicator
   * @param color negative on a rank that is to be in none
   * @param key orders the ranks
   * @param timeout how long it may take
   */
  MpiApi.@Nullable Comm split(
      Context group, int number, MpiApi.Comm comm, int color, int key, Duration timeout) {
    long end = System.nanoTime() + timeout.toNanos();
    boolean first = group.rank() == 0;
    long ticket = 0;
    if (first) {
      ticket = job.add(COUNTER, 1);
      if (ticket > 1) {
        job.get(TURN + ticket, left(end));
        job.delete(TURN + ticket);
      }
    }
    try {
      group
          .store()
          .exchange("mpi/split/" + number, group.rank(), group.size(), new byte[0], left(end));
      if (!process.tryEnter(left(end))) {
        throw new CommTimeoutException(
            "rank %d/%d of group %s: MPI was busy with another call for all of the %d s; see the other groups' failures"
                .formatted(group.rank(), group.size(), group.group(), timeout.toSeconds()),
            null);
      }
      try {
        return comm.split(color, key);
      } finally {
        process.exit();
      }
    } finally {
      if (first) {
        job.set(TURN + (ticket + 1), new byte[0]);
      }
    }
  }

  private static Duration left(long end) {
    return Duration.ofNanos(Math.max(TimeUnit.MILLISECONDS.toNanos(1), end - System.nanoTime()));
  }
}
