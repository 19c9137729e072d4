package dev.tutti.comm.internal.local;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.Operation.Counts;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a call has for a peer, or takes from it.
 *
 * @param peer a rank, perhaps this one itself
 * @param buffer the data, or where it goes; null if only the call is told
 */
record Part(int peer, @Nullable CommBuffer buffer) {
  /** Returns what a call sends (out), or takes, in rank order or that of a batch. */
  static List<Part> of(Operation call, boolean out, int rank, int size) {
    List<Part> parts = new ArrayList<>();
    switch (call) {
      case Operation.Batch c -> c.transfers().forEach(t -> parts.addAll(of(t, out, rank, size)));
      case Operation.SendRecv c ->
          parts.add(out ? new Part(c.destination(), c.send()) : new Part(c.source(), c.recv()));
      case Operation.Send c ->
          parts.addAll(out ? List.of(new Part(c.peer(), c.buffer())) : List.of());
      case Operation.Recv c ->
          parts.addAll(out ? List.of() : List.of(new Part(c.peer(), c.buffer())));
      default -> {
        for (int peer = 0; peer < size; peer++) {
          parts.add(new Part(peer, buffer(call, out, rank, peer, size)));
        }
      }
    }
    return parts;
  }

  private static @Nullable CommBuffer buffer(
      Operation call, boolean out, int rank, int peer, int size) {
    return switch (call) {
      case Operation.AllReduce c -> out ? c.send() : c.recv();
      case Operation.Reduce c -> !out ? c.recv() : peer == c.root() ? c.send() : null;
      case Operation.Broadcast c ->
          (out ? rank : peer) == c.root() && rank != peer ? c.buffer() : null;
      case Operation.AllGather c -> out ? c.send() : block(c.recv(), peer, size);
      case Operation.AllGatherV c -> out ? c.send() : block(c.recv(), peer, c.counts());
      case Operation.ReduceScatter c -> out ? block(c.send(), peer, size) : c.recv();
      case Operation.ReduceScatterV c -> out ? block(c.send(), peer, c.counts()) : c.recv();
      case Operation.Gather c ->
          !out ? block(c.recv(), peer, size) : peer == c.root() ? c.send() : null;
      case Operation.GatherV c ->
          !out ? block(c.recv(), peer, c.counts()) : peer == c.root() ? c.send() : null;
      case Operation.Scatter c ->
          out ? block(c.send(), peer, size) : peer == c.root() ? c.recv() : null;
      case Operation.ScatterV c ->
          out ? block(c.send(), peer, c.counts()) : peer == c.root() ? c.recv() : null;
      case Operation.AllToAll c -> block(out ? c.send() : c.recv(), peer, size);
      case Operation.AllToAllV c ->
          block(out ? c.send() : c.recv(), peer, out ? c.sendCounts() : c.recvCounts());
      default -> null;
    };
  }

  private static @Nullable CommBuffer block(@Nullable CommBuffer whole, int rank, int size) {
    return whole == null ? null : whole.slice(rank * (whole.count() / size), whole.count() / size);
  }

  private static @Nullable CommBuffer block(
      @Nullable CommBuffer whole, int rank, @Nullable Counts counts) {
    return whole == null || counts == null
        ? null
        : whole.slice(counts.offset(rank), counts.count(rank));
  }

  /** Returns whether two ranks' calls belong together; counts may differ in the uneven forms. */
  static boolean match(Operation a, Operation b) {
    return a.isPointToPoint()
        || (a.name().equals(b.name())
            && a.rootRank() == b.rootRank()
            && Objects.equals(a.reduceOp(), b.reduceOp())
            && (a.name().endsWith("V")
                || a.buffers().isEmpty()
                || alike(a.buffers().getFirst(), b.buffers().getFirst())));
  }

  /** Returns whether data fits where it goes. */
  static boolean alike(@Nullable CommBuffer a, @Nullable CommBuffer b) {
    if (a == null || b == null) {
      return a == b;
    }
    return a.type() == b.type() && a.count() == b.count();
  }
}
