package dev.tutti.mpi;

import org.jspecify.annotations.Nullable;

/** MPI's barrier. */
final class Barrier implements Execution {
  private final MpiApi.Comm comm;
  private MpiApi.@Nullable Request request;
  private boolean done;

  Barrier(MpiApi.Comm comm) {
    this.comm = comm;
  }

  @Override
  public boolean advance() {
    MpiApi.Request running = request;
    if (done) {
      return false;
    }
    if (running == null) {
      running = comm.barrier();
      request = running;
    }
    done = running.test() != MpiApi.Request.PENDING;
    return done;
  }

  @Override
  public boolean isDone() {
    return done;
  }

  @Override
  public boolean isInFlight() {
    return request != null && !done;
  }

  @Override
  public String awaited() {
    return "all ranks";
  }
}
