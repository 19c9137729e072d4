package dev.tutti.comm.internal.rendezvous;

/**
 * A process's numbers.
 *
 * @param rank its rank, in {@code [0, size)}
 * @param size the number of ranks
 * @param localRank its number among those of its host, or -1 if not known
 * @param localSize the number of ranks on its host, or -1 if not known
 */
record Place(int rank, int size, int localRank, int localSize) {
  /** Returns whether it is known that all ranks are on this host. */
  boolean onOneHost() {
    return localSize == size;
  }
}
