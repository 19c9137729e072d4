package dev.tutti.tcp.simulate;

import dev.tutti.tcp.schedule.Blocks;
import dev.tutti.tcp.schedule.Limits;
import dev.tutti.tcp.schedule.OperationKind;
import dev.tutti.tcp.schedule.Request;
import java.util.Objects;

/**
 * One operation of one group, of elements of four bytes, not in place, the root being rank 0.
 *
 * @param operation what is done; not {@link OperationKind#BATCH}, whose transfers are the caller's
 * @param size ranks in the group
 * @param bytes size of the larger buffer, as nccl-tests count it; blocks are equal, so a little
 *     less may be moved, but at least one element each unless it is 0
 * @param limits what bounds the schedules
 */
public record Workload(OperationKind operation, int size, long bytes, Limits limits) {
  private static final int ELEMENT_BYTES = Float.BYTES;

  /** Checks that there is such an operation. */
  public Workload {
    Objects.requireNonNull(limits, "limits");
    if (operation == OperationKind.BATCH) {
      throw new IllegalArgumentException("a batch has no schedule but its caller's");
    }
    if (size < 1 || bytes < 0) {
      throw new IllegalArgumentException(
          "size must be at least 1 and bytes not negative: " + size + ", " + bytes);
    }
  }

  /** Returns the same for another number of ranks. */
  Workload ofSize(int ranks) {
    return new Workload(operation, ranks, bytes, limits);
  }

  /** Returns what a rank asks for. */
  public Request request(int rank) {
    return switch (operation) {
      case ALL_REDUCE ->
          Request.allReduce(rank, size, ELEMENT_BYTES, count(1), false, false, limits);
      case REDUCE -> Request.reduce(rank, size, 0, ELEMENT_BYTES, count(1), false, false, limits);
      case BROADCAST -> Request.broadcast(rank, size, 0, ELEMENT_BYTES, count(1), true, limits);
      case ALL_GATHER -> Request.allGather(rank, size, ELEMENT_BYTES, blocks(), false, limits);
      case REDUCE_SCATTER ->
          Request.reduceScatter(rank, size, ELEMENT_BYTES, blocks(), false, false, limits);
      case GATHER -> Request.gather(rank, size, 0, ELEMENT_BYTES, count(size), false, limits);
      case SCATTER -> Request.scatter(rank, size, 0, ELEMENT_BYTES, count(size), false, limits);
      case ALL_TO_ALL -> Request.allToAll(rank, size, ELEMENT_BYTES, count(size), limits);
      case BARRIER -> Request.barrier(rank, size, limits);
      case BATCH -> throw new IllegalStateException(operation.label());
    };
  }

  /** Returns the bytes of an element. */
  int elementBytes() {
    return operation == OperationKind.BARRIER ? 1 : ELEMENT_BYTES;
  }

  private Blocks blocks() {
    return Blocks.uniform(size, count(size));
  }

  private long count(int blocks) {
    return bytes == 0 ? 0 : Math.max(1, bytes / ELEMENT_BYTES / blocks);
  }
}
