package dev.tutti.tcp.schedule;

/**
 * A rank's place in the binomial tree over all ranks with the root at vertex 0: the children of
 * vertex v are v+1, v+2, v+4, … as long as that bit is below v's lowest one and the vertex exists.
 *
 * @param vertex this rank's vertex, its distance from the root around the ranks
 * @param root the root's rank
 * @param size ranks in the tree
 */
record BinomialTree(int vertex, int root, int size) {

  /** Returns the place of {@code rank} in the tree with the given root. */
  static BinomialTree of(int rank, int root, int size) {
    return new BinomialTree((rank - root + size) % size, root, size);
  }

  boolean isRoot() {
    return vertex == 0;
  }

  /** Returns the parent's rank; the root has none. */
  int parent() {
    return rank(vertex & (vertex - 1));
  }

  /** Returns the number of children. */
  int children() {
    int n = 0;
    while (hasChild(n)) {
      n++;
    }
    return n;
  }

  /** Returns child {@code i}'s rank; a later one has the larger subtree. */
  int child(int i) {
    return rank(childVertex(i));
  }

  /** Returns child {@code i}'s vertex. */
  int childVertex(int i) {
    return vertex + (1 << i);
  }

  /** Returns the vertex behind the last one of the subtree of {@code top}, which is its first. */
  int end(int top) {
    return top == 0 ? size : Math.min(size, top + (top & -top));
  }

  /** Returns whether {@code other} is in the subtree of {@code top}. */
  boolean contains(int top, int other) {
    return top <= other && other < end(top);
  }

  /** Returns the rank at a vertex. */
  int rank(int ofVertex) {
    return (ofVertex + root) % size;
  }

  private boolean hasChild(int i) {
    return (vertex == 0 || 1 << i < (vertex & -vertex)) && vertex + (1L << i) < size;
  }
}
