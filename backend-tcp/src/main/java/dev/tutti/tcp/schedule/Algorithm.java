package dev.tutti.tcp.schedule;

/** The algorithms, by their names in the literature; see docs/ALGORITHMS.md. */
public enum Algorithm {
  /** Around a ring, block by block and chunk by chunk: fewest bytes, many steps. */
  RING("ring"),
  /** Whole vectors exchanged at doubling distances: fewest steps. */
  RECURSIVE_DOUBLING("recursiveDoubling"),
  /** Halves exchanged at halving distances, then back at doubling ones. */
  HALVING_DOUBLING("halvingDoubling"),
  /** Halves exchanged at halving distances, until each rank is left with its block. */
  RECURSIVE_HALVING("recursiveHalving"),
  /** Each block straight to the rank that wants or folds it. */
  DIRECT("direct"),
  /** Everything to everyone, and everyone folds it. */
  ONE_SHOT("oneShot"),
  /** Each block to its owner, which folds it, and on to the root. */
  REDUCE_SCATTER_GATHER("reduceScatterGather"),
  /** Along a binomial tree from or to the root. */
  BINOMIAL("binomial"),
  /** Blocks at doubling distances, for any number of ranks: fewest steps. */
  BRUCK("bruck"),
  /** From the root to the next rank and on from there, chunk by chunk. */
  CHAIN("chain"),
  /** A block to each rank, then all blocks to all. */
  SCATTER_ALL_GATHER("scatterAllGather"),
  /** Every rank directly with the root. */
  LINEAR("linear"),
  /** Every rank with every other, at growing distances. */
  PAIRWISE("pairwise"),
  /** Signals at doubling distances: every rank hears of every other. */
  DISSEMINATION("dissemination"),
  /** The transfers that the caller listed, and nothing else. */
  POINT_TO_POINT("pointToPoint"),
  /** One rank: at most a copy. */
  SINGLE_RANK("singleRank");

  private final String label;

  Algorithm(String label) {
    this.label = label;
  }

  /** Returns the name in config strings, traces and reports, such as {@code recursiveDoubling}. */
  public String label() {
    return label;
  }
}
