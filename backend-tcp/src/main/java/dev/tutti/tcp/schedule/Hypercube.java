package dev.tutti.tcp.schedule;

/**
 * A rank's place in the hypercube of the largest power of two of ranks. The ranks beyond that power
 * are <i>extras</i>: of the first {@code 2 * extras} ranks each even one is an extra, which leaves
 * its part to the odd one after it.
 *
 * @param rank this rank
 * @param size ranks in the group
 * @param dimensions the cube has {@code 1 << dimensions} vertices
 * @param extras ranks that are no vertex
 */
record Hypercube(int rank, int size, int dimensions, int extras) {

  /** Returns the place of {@code rank} among {@code size} ranks. */
  static Hypercube of(int rank, int size) {
    int dimensions = 31 - Integer.numberOfLeadingZeros(size);
    return new Hypercube(rank, size, dimensions, size - (1 << dimensions));
  }

  /** Returns the number of vertices. */
  int vertices() {
    return 1 << dimensions;
  }

  /** Returns whether this rank is no vertex; its proxy is the rank after it. */
  boolean isExtra() {
    return rank < 2 * extras && rank % 2 == 0;
  }

  /** Returns whether this rank is the proxy of the rank before it. */
  boolean isProxy() {
    return rank < 2 * extras && rank % 2 == 1;
  }

  /** Returns this rank's vertex; an extra's is that of its proxy. */
  int vertex() {
    return rank < 2 * extras ? rank / 2 : rank - extras;
  }

  /** Returns the rank of the vertex that differs from this rank's in the given bit. */
  int neighbour(int bit) {
    int vertex = vertex() ^ (1 << bit);
    return vertex < extras ? 2 * vertex + 1 : vertex + extras;
  }

  /** Returns the first of the ranks of all vertices from {@code vertex} on, extras included. */
  int firstRank(int vertex) {
    return vertex < extras ? 2 * vertex : vertex + extras;
  }
}
