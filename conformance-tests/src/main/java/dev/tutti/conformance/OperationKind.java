package dev.tutti.conformance;

import java.util.List;
import java.util.stream.Stream;

/** What a case calls. */
public enum OperationKind {
  /** Reduction to every rank. */
  @Rule({"R1", "M4"})
  ALL_REDUCE("allReduce", true, false, true, false),
  /** Reduction to the root. */
  @Rule({"R1", "M4", "M5"})
  REDUCE("reduce", true, true, true, false),
  /** Copy of the root's buffer. */
  @Rule({"R2", "M4"})
  BROADCAST("broadcast", false, true, false, false),
  /** Every rank's block on every rank. */
  @Rule({"R2", "M4"})
  ALL_GATHER("allGather", false, false, true, false),
  /** The same with blocks of unequal size. */
  @Rule({"R2", "M4", "M8"})
  ALL_GATHER_V("allGatherV", false, false, true, true),
  /** Reduction, a block of which to each rank. */
  @Rule({"R1", "M4"})
  REDUCE_SCATTER("reduceScatter", true, false, true, false),
  /** The same with blocks of unequal size. */
  @Rule({"R1", "M4", "M8"})
  REDUCE_SCATTER_V("reduceScatterV", true, false, true, true),
  /** Every rank's block on the root. */
  @Rule({"R2", "M4", "M5"})
  GATHER("gather", false, true, true, false),
  /** The same with blocks of unequal size. */
  @Rule({"R2", "M4", "M5", "M8"})
  GATHER_V("gatherV", false, true, true, true),
  /** A block of the root's buffer to each rank. */
  @Rule({"R2", "M4"})
  SCATTER("scatter", false, true, true, false),
  /** The same with blocks of unequal size. */
  @Rule({"R2", "M4", "M8"})
  SCATTER_V("scatterV", false, true, true, true),
  /** A block from every rank to every rank. */
  @Rule({"R2", "M4"})
  ALL_TO_ALL("allToAll", false, false, false, false),
  /** The same with blocks of unequal size. */
  @Rule({"R2", "M4", "M8"})
  ALL_TO_ALL_V("allToAllV", false, false, false, true),
  /** Sends and receives along the chain of ranks, one after the other. */
  @Rule({"R2", "M4", "O3"})
  SEND("send", false, false, false, true),
  /** A shift around the ring of ranks. */
  @Rule({"R2", "M4", "O4"})
  SEND_RECV("sendRecv", false, false, false, true),
  /** Two messages from every rank to every rank, also to itself, at once. */
  @Rule({"R2", "M4", "O3", "O4"})
  BATCH("batch", false, false, false, true),
  /** Nothing but the meeting. */
  @Rule("O5")
  BARRIER("barrier", false, false, false, false);

  private final String text;
  private final boolean reducing;
  private final boolean rooted;
  private final boolean inPlaceForm;
  private final boolean uneven;

  OperationKind(
      String text, boolean reducing, boolean rooted, boolean inPlaceForm, boolean uneven) {
    this.text = text;
    this.reducing = reducing;
    this.rooted = rooted;
    this.inPlaceForm = inPlaceForm;
    this.uneven = uneven;
  }

  /** Returns the operation's name as users call it, such as {@code allReduce}. */
  public String text() {
    return text;
  }

  /** Returns whether elements are combined. */
  public boolean isReducing() {
    return reducing;
  }

  /** Returns whether one rank is the root. */
  public boolean isRooted() {
    return rooted;
  }

  /** Returns whether the operation has an in-place form beside the other. */
  public boolean hasInPlaceForm() {
    return inPlaceForm;
  }

  /** Returns whether ranks may have different counts. */
  public boolean isUneven() {
    return uneven;
  }

  /** Returns the kinds that combine elements. */
  static List<OperationKind> reducing() {
    return Stream.of(values()).filter(OperationKind::isReducing).toList();
  }

  /** Returns the kinds that only move elements. */
  static List<OperationKind> moving() {
    return Stream.of(values()).filter(kind -> !kind.reducing && kind != BARRIER).toList();
  }
}
