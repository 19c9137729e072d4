package dev.tutti.comm.spi;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.ReduceOp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One call of a group's operation, as data: what {@link dev.tutti.comm.ProcessGroup} has checked
 * and numbered, and layers and backends carry out.
 *
 * <p>Ranks, roots and peers are the group's own. Buffers that only the root needs are null
 * elsewhere. Counts have been checked: a receive buffer of an all-gather holds exactly {@code
 * send.count() * size} elements, and so on; in place means what {@code nccl.h} says: equal memory,
 * or the caller's own block of the larger buffer.
 *
 * @see <a href="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/usage/inplace.html">NCCL,
 *     in-place operations</a>
 */
public sealed interface Operation {
  /** Returns the operation's name as users call it, such as {@code allReduce}. */
  String name();

  /** Returns this rank's buffers that take part, in no order; empty for a barrier. */
  List<CommBuffer> buffers();

  /** Returns the operator, or null where nothing is reduced. */
  default @Nullable ReduceOp reduceOp() {
    return null;
  }

  /** Returns the root, or -1 where there is none. */
  default int rootRank() {
    return -1;
  }

  /** Returns whether only this rank and its peers take part, not the whole group. */
  default boolean isPointToPoint() {
    return false;
  }

  /** Returns the size of the largest buffer of this rank in bytes. */
  default long bytes() {
    long most = 0;
    for (CommBuffer buffer : buffers()) {
      most = Math.max(most, buffer.byteSize());
    }
    return most;
  }

  /** Returns the call on one line: name, elements, operator, root, for messages. */
  default String describe() {
    StringBuilder text = new StringBuilder(name()).append('(');
    if (!buffers().isEmpty()) {
      CommBuffer first = buffers().getFirst();
      text.append(first.count()).append(' ').append(first.type());
    }
    ReduceOp op = reduceOp();
    if (op != null) {
      text.append(", ").append(op);
    }
    if (rootRank() >= 0) {
      text.append(", root ").append(rootRank());
    }
    return text.append(')').toString();
  }

  /** Elements per rank for the uneven operations: dense blocks in rank order. */
  final class Counts {
    private final long[] counts;
    private final long[] offsets;

    private Counts(long[] counts) {
      this.counts = counts;
      this.offsets = new long[counts.length + 1];
      for (int i = 0; i < counts.length; i++) {
        offsets[i + 1] = Math.addExact(offsets[i], counts[i]);
      }
    }

    /**
     * Returns counts, one a rank.
     *
     * @param counts elements of each rank, none negative; copied
     * @throws IllegalArgumentException if one is negative
     * @throws ArithmeticException if the sum is more than a long holds
     */
    public static Counts of(long... counts) {
      for (int i = 0; i < counts.length; i++) {
        if (counts[i] < 0) {
          throw new IllegalArgumentException(
              "count " + counts[i] + " of rank " + i + " is negative");
        }
      }
      return new Counts(counts.clone());
    }

    /** Returns how many ranks there are. */
    public int size() {
      return counts.length;
    }

    /** Returns the elements of one rank. */
    public long count(int rank) {
      return counts[rank];
    }

    /** Returns the first element of a rank's block. */
    public long offset(int rank) {
      return offsets[rank];
    }

    /** Returns the sum over all ranks. */
    public long total() {
      return offsets[counts.length];
    }

    /** Returns the counts as a new array. */
    public long[] toArray() {
      return counts.clone();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Counts c && Arrays.equals(c.counts, counts);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(counts);
    }

    @Override
    public String toString() {
      return Arrays.toString(counts);
    }
  }

  /** {@code recv[i] = op over ranks r of send_r[i]} on every rank. In place: send is recv. */
  record AllReduce(CommBuffer send, CommBuffer recv, ReduceOp op) implements Operation {
    @Override
    public String name() {
      return "allReduce";
    }

    @Override
    public List<CommBuffer> buffers() {
      return List.of(send, recv);
    }

    @Override
    public ReduceOp reduceOp() {
      return op;
    }
  }

  /**
   * {@code recv[i] = op over ranks r of send_r[i]} on the root only; elsewhere recv may be null and
   * is never touched. In place at the root: send is recv.
   */
  record Reduce(CommBuffer send, @Nullable CommBuffer recv, ReduceOp op, int root)
      implements Operation {
    @Override
    public String name() {
      return "reduce";
    }

    @Override
    public List<CommBuffer> buffers() {
      return present(send, recv);
    }

    @Override
    public ReduceOp reduceOp() {
      return op;
    }

    @Override
    public int rootRank() {
      return root;
    }
  }

  /** The root's buffer is copied to every rank's. */
  record Broadcast(CommBuffer buffer, int root) implements Operation {
    @Override
    public String name() {
      return "broadcast";
    }

    @Override
    public List<CommBuffer> buffers() {
      return List.of(buffer);
    }

    @Override
    public int rootRank() {
      return root;
    }
  }

  /** Block r of recv is rank r's send. In place: send is block {@code rank} of recv. */
  record AllGather(CommBuffer send, CommBuffer recv) implements Operation {
    @Override
    public String name() {
      return "allGather";
    }

    @Override
    public List<CommBuffer> buffers() {
      return List.of(send, recv);
    }
  }

  /** As {@link AllGather}, with {@code counts(r)} elements from rank r. */
  record AllGatherV(CommBuffer send, CommBuffer recv, Counts counts) implements Operation {
    @Override
    public String name() {
      return "allGatherV";
    }

    @Override
    public List<CommBuffer> buffers() {
      return List.of(send, recv);
    }
  }

  /**
   * recv is block {@code rank} of the reduction of all ranks' send. In place: recv is block {@code
   * rank} of send.
   */
  record ReduceScatter(CommBuffer send, CommBuffer recv, ReduceOp op) implements Operation {
    @Override
    public String name() {
      return "reduceScatter";
    }

    @Override
    public List<CommBuffer> buffers() {
      return List.of(send, recv);
    }

    @Override
    public ReduceOp reduceOp() {
      return op;
    }
  }

  /** As {@link ReduceScatter}, with {@code counts(r)} elements to rank r. */
  record ReduceScatterV(CommBuffer send, CommBuffer recv, Counts counts, ReduceOp op)
      implements Operation {
    @Override
    public String name() {
      return "reduceScatterV";
    }

    @Override
    public List<CommBuffer> buffers() {
      return List.of(send, recv);
    }

    @Override
    public ReduceOp reduceOp() {
      return op;
    }
  }

  /**
   * Block r of the root's recv is rank r's send; elsewhere recv may be null and is never touched.
   * In place at the root: send is block {@code root} of recv.
   */
  record Gather(CommBuffer send, @Nullable CommBuffer recv, int root) implements Operation {
    @Override
    public String name() {
      return "gather";
    }

    @Override
    public List<CommBuffer> buffers() {
      return present(send, recv);
    }

    @Override
    public int rootRank() {
      return root;
    }
  }

  /**
   * As {@link Gather}, with {@code counts(r)} elements from rank r; counts matter at the root only
   * and are null elsewhere.
   */
  record GatherV(CommBuffer send, @Nullable CommBuffer recv, @Nullable Counts counts, int root)
      implements Operation {
    @Override
    public String name() {
      return "gatherV";
    }

    @Override
    public List<CommBuffer> buffers() {
      return present(send, recv);
    }

    @Override
    public int rootRank() {
      return root;
    }
  }

  /**
   * recv is block {@code rank} of the root's send; elsewhere send may be null. In place at the
   * root: recv is block {@code root} of send.
   */
  record Scatter(@Nullable CommBuffer send, CommBuffer recv, int root) implements Operation {
    @Override
    public String name() {
      return "scatter";
    }

    @Override
    public List<CommBuffer> buffers() {
      return present(recv, send);
    }

    @Override
    public int rootRank() {
      return root;
    }
  }

  /**
   * As {@link Scatter}, with {@code counts(r)} elements to rank r; counts matter at the root only
   * and are null elsewhere.
   */
  record ScatterV(@Nullable CommBuffer send, CommBuffer recv, @Nullable Counts counts, int root)
      implements Operation {
    @Override
    public String name() {
      return "scatterV";
    }

    @Override
    public List<CommBuffer> buffers() {
      return present(recv, send);
    }

    @Override
    public int rootRank() {
      return root;
    }
  }

  /** Block r of recv is block {@code rank} of rank r's send. There is no in-place form. */
  record AllToAll(CommBuffer send, CommBuffer recv) implements Operation {
    @Override
    public String name() {
      return "allToAll";
    }

    @Override
    public List<CommBuffer> buffers() {
      return List.of(send, recv);
    }
  }

  /**
   * As {@link AllToAll}: {@code sendCounts(r)} elements go to rank r, {@code recvCounts(r)} come
   * from it.
   */
  record AllToAllV(CommBuffer send, Counts sendCounts, CommBuffer recv, Counts recvCounts)
      implements Operation {
    @Override
    public String name() {
      return "allToAllV";
    }

    @Override
    public List<CommBuffer> buffers() {
      return List.of(send, recv);
    }
  }

  /** The buffer goes to a peer, which must call {@link Recv} with as many elements. */
  record Send(CommBuffer buffer, int peer) implements Operation {
    @Override
    public String name() {
      return "send";
    }

    @Override
    public List<CommBuffer> buffers() {
      return List.of(buffer);
    }

    @Override
    public boolean isPointToPoint() {
      return true;
    }

    @Override
    public String describe() {
      return "send(%d %s, to rank %d)".formatted(buffer.count(), buffer.type(), peer);
    }
  }

  /** The buffer comes from a peer, which must call {@link Send} with as many elements. */
  record Recv(CommBuffer buffer, int peer) implements Operation {
    @Override
    public String name() {
      return "recv";
    }

    @Override
    public List<CommBuffer> buffers() {
      return List.of(buffer);
    }

    @Override
    public boolean isPointToPoint() {
      return true;
    }

    @Override
    public String describe() {
      return "recv(%d %s, from rank %d)".formatted(buffer.count(), buffer.type(), peer);
    }
  }

  /** {@code send} goes to {@code destination} while {@code recv} comes from {@code source}. */
  record SendRecv(CommBuffer send, int destination, CommBuffer recv, int source)
      implements Operation {
    @Override
    public String name() {
      return "sendRecv";
    }

    @Override
    public List<CommBuffer> buffers() {
      return List.of(send, recv);
    }

    @Override
    public boolean isPointToPoint() {
      return true;
    }

    @Override
    public String describe() {
      return "sendRecv(%d %s to rank %d, %d %s from rank %d)"
          .formatted(send.count(), send.type(), destination, recv.count(), recv.type(), source);
    }
  }

  /**
   * Sends and receives that all proceed together. Transfers between one pair in one direction match
   * in their order; others have none. A send to this rank itself needs a receive from itself in the
   * same batch.
   *
   * @param transfers {@link Send} and {@link Recv} only
   */
  record Batch(List<Operation> transfers) implements Operation {
    /** Copies the list. */
    public Batch {
      transfers = List.copyOf(transfers);
    }

    @Override
    public String name() {
      return "batch";
    }

    @Override
    public List<CommBuffer> buffers() {
      List<CommBuffer> all = new ArrayList<>(transfers.size());
      for (Operation transfer : transfers) {
        all.addAll(transfer.buffers());
      }
      return all;
    }

    @Override
    public boolean isPointToPoint() {
      return true;
    }

    @Override
    public String describe() {
      return "batch(%d transfers)".formatted(transfers.size());
    }
  }

  /** No rank's completes before every rank has called it. */
  record Barrier() implements Operation {
    @Override
    public String name() {
      return "barrier";
    }

    @Override
    public List<CommBuffer> buffers() {
      return List.of();
    }
  }

  private static List<CommBuffer> present(CommBuffer always, @Nullable CommBuffer maybe) {
    return maybe == null ? List.of(always) : Stream.of(always, maybe).toList();
  }
}
