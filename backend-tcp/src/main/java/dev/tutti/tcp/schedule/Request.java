package dev.tutti.tcp.schedule;

import java.util.List;
import java.util.Objects;

/**
 * One rank's view of one operation: all that an algorithm may look at. A value, so it can be the
 * key of a cache of schedules.
 *
 * <p>Use the factory of the operation: {@link #allReduce}, {@link #allGather} and so on. All ranks
 * must ask with the same operation, size, root, element size, average, ranked and limits, and with
 * counts that agree; {@code inPlace} is each rank's own. The caller has checked the buffers and the
 * aliasing rules.
 *
 * @param operation what is asked for
 * @param rank this rank, in {@code [0, size)}
 * @param size ranks in the group
 * @param root the root's rank, or 0 where the operation has none
 * @param elementSize bytes of an element; a batch of several types counts in bytes, with 1 here
 * @param count elements of the vector of allReduce, reduce and broadcast, else 0
 * @param blocks what each rank contributes or gets: allGather, reduceScatter, gather and scatter;
 *     what this rank sends to each: allToAll; else empty
 * @param receiveBlocks what this rank gets from each: allToAll; else empty
 * @param even whether this is the even form of gather, scatter or allToAll: all blocks have one
 *     length, and all ranks know it. False in the uneven forms, also where the counts that this
 *     rank knows are equal: another rank may know others
 * @param transfers batch's transfers in the caller's order, else empty
 * @param average whether the reduction is AVG: combine as SUM, then divide once
 * @param ranked whether the reduction is to be folded in rank order, and a 16-bit result rounded
 *     once
 * @param inPlace whether this rank's send buffer lies in the receive buffer where NCCL's rules put
 *     it
 * @param limits what bounds the schedule
 */
public record Request(
    OperationKind operation,
    int rank,
    int size,
    int root,
    int elementSize,
    long count,
    Blocks blocks,
    Blocks receiveBlocks,
    boolean even,
    List<Transfer> transfers,
    boolean average,
    boolean ranked,
    boolean inPlace,
    Limits limits) {

  private static final Blocks NO_BLOCKS = Blocks.of();

  /**
   * Checks what would make a schedule meaningless; what the user may do wrong is checked before.
   */
  public Request {
    Objects.requireNonNull(operation, "operation");
    Objects.requireNonNull(limits, "limits");
    transfers = List.copyOf(transfers);
    if (size < 1 || rank < 0 || rank >= size) {
      throw wrong(operation, rank, size, "rank must be in [0, size)");
    }
    if (root < 0 || root >= size) {
      throw wrong(operation, rank, size, "root must be in [0, size): " + root);
    }
    if (elementSize < 1 || elementSize > Long.BYTES) {
      throw wrong(operation, rank, size, "elementSize must be 1 to 8 bytes: " + elementSize);
    }
    if (count < 0) {
      throw wrong(operation, rank, size, "count must not be negative: " + count);
    }
    checkBlocks(operation, rank, size, "blocks", blocks);
    checkBlocks(operation, rank, size, "receiveBlocks", receiveBlocks);
    for (int i = 0; i < transfers.size(); i++) {
      int peer = transfers.get(i).peer();
      if (peer < 0 || peer >= size) {
        throw wrong(
            operation, rank, size, "peer of transfer " + i + " must be in [0, size): " + peer);
      }
    }
  }

  private static void checkBlocks(
      OperationKind operation, int rank, int size, String name, Blocks blocks) {
    if (blocks.size() != 0 && blocks.size() != size) {
      throw wrong(operation, rank, size, name + " must be one per rank: " + blocks.size());
    }
  }

  private static IllegalArgumentException wrong(
      OperationKind operation, int rank, int size, String what) {
    return new IllegalArgumentException(
        operation.label() + " on rank " + rank + "/" + size + ": " + what);
  }

  /**
   * Returns the request for OUTPUT = the combination of all ranks' INPUT, {@code count} elements.
   */
  public static Request allReduce(
      int rank,
      int size,
      int elementSize,
      long count,
      boolean average,
      boolean inPlace,
      Limits limits) {
    return vector(
        OperationKind.ALL_REDUCE, rank, size, 0, elementSize, count, average, inPlace, limits);
  }

  /** Returns the request for OUTPUT at {@code root} = the combination of all ranks' INPUT. */
  public static Request reduce(
      int rank,
      int size,
      int root,
      int elementSize,
      long count,
      boolean average,
      boolean inPlace,
      Limits limits) {
    return vector(
        OperationKind.REDUCE, rank, size, root, elementSize, count, average, inPlace, limits);
  }

  /**
   * Returns the request for OUTPUT on every rank = INPUT at {@code root}; the other ranks' INPUT is
   * never looked at.
   *
   * @param inPlace whether the root's INPUT is its OUTPUT, as for a broadcast of one buffer
   */
  public static Request broadcast(
      int rank, int size, int root, int elementSize, long count, boolean inPlace, Limits limits) {
    return vector(
        OperationKind.BROADCAST, rank, size, root, elementSize, count, false, inPlace, limits);
  }

  /**
   * Returns the request for block i of OUTPUT = rank i's INPUT, on every rank.
   *
   * @param inPlace whether INPUT is this rank's block of OUTPUT
   */
  public static Request allGather(
      int rank, int size, int elementSize, Blocks blocks, boolean inPlace, Limits limits) {
    return blocks(
        OperationKind.ALL_GATHER,
        rank,
        size,
        0,
        elementSize,
        blocks,
        NO_BLOCKS,
        false,
        false,
        inPlace,
        limits);
  }

  /**
   * Returns the request for OUTPUT = this rank's block of the combination of all ranks' INPUT.
   *
   * @param inPlace whether OUTPUT is this rank's block of INPUT
   */
  public static Request reduceScatter(
      int rank,
      int size,
      int elementSize,
      Blocks blocks,
      boolean average,
      boolean inPlace,
      Limits limits) {
    return blocks(
        OperationKind.REDUCE_SCATTER,
        rank,
        size,
        0,
        elementSize,
        blocks,
        NO_BLOCKS,
        false,
        average,
        inPlace,
        limits);
  }

  /**
   * Returns the request for block i of OUTPUT at {@code root} = rank i's INPUT.
   *
   * @param blocks every rank's counts; away from the root only this rank's own is looked at, see
   *     {@link Blocks#only}
   * @param inPlace whether the root's INPUT is its block of OUTPUT; meaningless elsewhere
   */
  public static Request gather(
      int rank,
      int size,
      int root,
      int elementSize,
      Blocks blocks,
      boolean inPlace,
      Limits limits) {
    return blocks(
        OperationKind.GATHER,
        rank,
        size,
        root,
        elementSize,
        blocks,
        NO_BLOCKS,
        false,
        false,
        inPlace,
        limits);
  }

  /**
   * Returns the request for the even form of {@link #gather(int, int, int, int, Blocks, boolean,
   * Limits) gather}.
   *
   * @param count elements of every rank's block
   */
  public static Request gather(
      int rank, int size, int root, int elementSize, long count, boolean inPlace, Limits limits) {
    return blocks(
        OperationKind.GATHER,
        rank,
        size,
        root,
        elementSize,
        Blocks.uniform(size, count),
        NO_BLOCKS,
        true,
        false,
        inPlace,
        limits);
  }

  /**
   * Returns the request for OUTPUT = this rank's block of INPUT at {@code root}.
   *
   * @param blocks every rank's counts; away from the root only this rank's own is looked at, see
   *     {@link Blocks#only}
   * @param inPlace whether the root's OUTPUT is its block of INPUT; meaningless elsewhere
   */
  public static Request scatter(
      int rank,
      int size,
      int root,
      int elementSize,
      Blocks blocks,
      boolean inPlace,
      Limits limits) {
    return blocks(
        OperationKind.SCATTER,
        rank,
        size,
        root,
        elementSize,
        blocks,
        NO_BLOCKS,
        false,
        false,
        inPlace,
        limits);
  }

  /**
   * Returns the request for the even form of {@link #scatter(int, int, int, int, Blocks, boolean,
   * Limits) scatter}.
   *
   * @param count elements of every rank's block
   */
  public static Request scatter(
      int rank, int size, int root, int elementSize, long count, boolean inPlace, Limits limits) {
    return blocks(
        OperationKind.SCATTER,
        rank,
        size,
        root,
        elementSize,
        Blocks.uniform(size, count),
        NO_BLOCKS,
        true,
        false,
        inPlace,
        limits);
  }

  /**
   * Returns the request for block i of OUTPUT = this rank's block of rank i's INPUT; never in
   * place.
   *
   * @param send what this rank sends to each
   * @param receive what this rank gets from each
   * @throws IllegalArgumentException if the two disagree about what this rank gives itself
   */
  public static Request allToAll(
      int rank, int size, int elementSize, Blocks send, Blocks receive, Limits limits) {
    if (send.size() == size && receive.size() == size && send.count(rank) != receive.count(rank)) {
      throw wrong(
          OperationKind.ALL_TO_ALL,
          rank,
          size,
          "sends itself "
              + send.count(rank)
              + " elements but receives "
              + receive.count(rank)
              + " from itself");
    }
    return blocks(
        OperationKind.ALL_TO_ALL,
        rank,
        size,
        0,
        elementSize,
        send,
        receive,
        false,
        false,
        false,
        limits);
  }

  /**
   * Returns the request for the even form of {@link #allToAll(int, int, int, Blocks, Blocks,
   * Limits) allToAll}.
   *
   * @param count elements that each rank sends to each
   */
  public static Request allToAll(int rank, int size, int elementSize, long count, Limits limits) {
    Blocks blocks = Blocks.uniform(size, count);
    return blocks(
        OperationKind.ALL_TO_ALL,
        rank,
        size,
        0,
        elementSize,
        blocks,
        blocks,
        true,
        false,
        false,
        limits);
  }

  /** Returns the request for a barrier. */
  public static Request barrier(int rank, int size, Limits limits) {
    return vector(OperationKind.BARRIER, rank, size, 0, 1, 0, false, false, limits);
  }

  /**
   * Returns the request for the listed transfers; the i-th uses buffer {@code Schedule.TRANSFER +
   * i}. Buffers must not overlap, except two that are both sent.
   *
   * @param elementSize bytes of an element; 1 where the transfers' types differ, counts then in
   *     bytes
   */
  public static Request batch(
      int rank, int size, int elementSize, List<Transfer> transfers, Limits limits) {
    return new Request(
        OperationKind.BATCH,
        rank,
        size,
        0,
        elementSize,
        0,
        NO_BLOCKS,
        NO_BLOCKS,
        false,
        transfers,
        false,
        false,
        false,
        limits);
  }

  private static Request vector(
      OperationKind operation,
      int rank,
      int size,
      int root,
      int elementSize,
      long count,
      boolean average,
      boolean inPlace,
      Limits limits) {
    return new Request(
        operation,
        rank,
        size,
        root,
        elementSize,
        count,
        NO_BLOCKS,
        NO_BLOCKS,
        false,
        List.of(),
        average,
        false,
        inPlace,
        limits);
  }

  private static Request blocks(
      OperationKind operation,
      int rank,
      int size,
      int root,
      int elementSize,
      Blocks blocks,
      Blocks receiveBlocks,
      boolean even,
      boolean average,
      boolean inPlace,
      Limits limits) {
    if (blocks.size() != size
        || (operation == OperationKind.ALL_TO_ALL && receiveBlocks.size() != size)) {
      throw wrong(operation, rank, size, "blocks must be one per rank: " + blocks.size());
    }
    return new Request(
        operation,
        rank,
        size,
        root,
        elementSize,
        0,
        blocks,
        receiveBlocks,
        even,
        List.of(),
        average,
        false,
        inPlace,
        limits);
  }

  /** Returns this request with its reduction folded in rank order. */
  public Request inRankOrder() {
    return new Request(
        operation,
        rank,
        size,
        root,
        elementSize,
        count,
        blocks,
        receiveBlocks,
        even,
        transfers,
        average,
        true,
        inPlace,
        limits);
  }

  /**
   * Returns the bytes of the whole vector, or of all blocks: what the choice table looks at. Where
   * ranks may know different counts (the uneven forms of gather, scatter and allToAll, batch), it
   * is {@code Long.MAX_VALUE}: no row can tell their requests apart, and any may be long.
   */
  public long bytes() {
    return switch (operation) {
      case ALL_REDUCE, REDUCE, BROADCAST -> count * elementSize;
      case ALL_GATHER, REDUCE_SCATTER -> blocks.total() * elementSize;
      case GATHER, SCATTER, ALL_TO_ALL -> even ? blocks.total() * elementSize : Long.MAX_VALUE;
      case BARRIER -> 0;
      case BATCH -> Long.MAX_VALUE;
    };
  }

  /** Returns the wanted elements of a chunk, at least 1. */
  long chunkElements() {
    return Math.max(1, limits.chunkBytes() / elementSize);
  }

  /** Returns the most elements of scratch, at least 2. */
  long scratchElements() {
    return limits.scratchBytes() / elementSize;
  }
}
