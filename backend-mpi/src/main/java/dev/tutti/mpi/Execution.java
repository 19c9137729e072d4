package dev.tutti.mpi;

/** An operation being carried out. Used under the group's lock and the process's lock. */
interface Execution {
  /** Does what can be done without waiting; returns whether anything was. */
  boolean advance();

  /** Returns whether all is done. */
  boolean isDone();

  /** Returns whether MPI still uses memory for it. */
  boolean isInFlight();

  /** Returns what it waits for. */
  String awaited();
}
