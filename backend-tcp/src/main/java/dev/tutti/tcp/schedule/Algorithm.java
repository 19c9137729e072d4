package dev.tutti.tcp.schedule;

/** The algorithms, by their names in the literature; see docs/ALGORITHMS.md. */
public enum Algorithm {
  /** Around a ring, block by block and chunk by chunk: fewest bytes, many steps. */
  RING("ring"),
  /** Whole vectors exchanged at doubling distances: fewest steps. */
  RECURSIVE_DOUBLING("recursive doubling"),
  /** Along a binomial tree from or to the root. */
  BINOMIAL_TREE("binomial tree"),
  /** Every rank directly with the root. */
  LINEAR("linear"),
  /** Every rank with every other, at growing distances. */
  PAIRWISE("pairwise"),
  /** Signals at doubling distances: every rank hears of every other. */
  DISSEMINATION("dissemination"),
  /** The transfers that the caller listed, and nothing else. */
  POINT_TO_POINT("point to point"),
  /** One rank: at most a copy. */
  SINGLE_RANK("single rank");

  private final String label;

  Algorithm(String label) {
    this.label = label;
  }

  /** Returns the name for traces and reports, such as {@code recursive doubling}. */
  public String label() {
    return label;
  }
}
