package dev.tutti.tcp.schedule;

/** What a {@link Request} asks for. Even and uneven forms are one kind: their counts differ. */
public enum OperationKind {
  /** Every rank ends with the combination of all ranks' vectors. */
  ALL_REDUCE("allReduce"),
  /** The root ends with the combination of all ranks' vectors. */
  REDUCE("reduce"),
  /** Every rank ends with the root's vector. */
  BROADCAST("broadcast"),
  /** Every rank ends with every rank's block. */
  ALL_GATHER("allGather"),
  /** Rank i ends with block i of the combination of all ranks' vectors. */
  REDUCE_SCATTER("reduceScatter"),
  /** The root ends with every rank's block. */
  GATHER("gather"),
  /** Rank i ends with block i of the root's vector. */
  SCATTER("scatter"),
  /** Rank i ends with block i of every rank. */
  ALL_TO_ALL("allToAll"),
  /** No rank ends before every rank began. */
  BARRIER("barrier"),
  /** The listed transfers: send, recv, sendRecv and batch. */
  BATCH("batch");

  private final String label;

  OperationKind(String label) {
    this.label = label;
  }

  /** Returns the operation's name as users write it, such as {@code reduceScatter}. */
  public String label() {
    return label;
  }
}
