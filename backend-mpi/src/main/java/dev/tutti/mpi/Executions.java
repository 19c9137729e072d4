package dev.tutti.mpi;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommConfig.Order;
import dev.tutti.comm.internal.reduce.ReduceKernels;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.Operation.Counts;
import dev.tutti.comm.spi.SlotPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides how an operation is carried out, from what all ranks know of it, so that they decide
 * alike. Reductions and broadcasts are MPI's, in pieces. So are the even block operations as long
 * as all blocks fit one piece; longer ones, and uneven ones, of which not every rank knows all
 * counts, are messages.
 */
final class Executions {
  /** Messages of collectives, and those of send and recv. */
  private static final int COLLECTIVE = 1;

  private static final int POINT_TO_POINT = 2;

  private final MpiApi.Comm comm;
  private final int rank;
  private final int size;
  private final Order order;
  private final SlotPool pool;

  Executions(MpiApi.Comm comm, int rank, int size, Order order, SlotPool pool) {
    this.comm = comm;
    this.rank = rank;
    this.size = size;
    this.order = order;
    this.pool = pool;
  }

  /** Returns how an operation is carried out; what it copies within this rank is done. */
  Execution of(Operation operation) {
    return switch (operation) {
      case Operation.Barrier _ -> new Barrier(comm);
      case Operation.Broadcast o -> broadcast(o);
      case Operation.AllReduce o -> allReduce(o);
      case Operation.Reduce o -> reduce(o);
      case Operation.AllGather o -> allGather(o);
      case Operation.Gather o -> gather(o);
      case Operation.Scatter o -> scatter(o);
      case Operation.AllToAll o -> allToAll(o);
      case Operation.AllGatherV o -> allGather(o.send(), o.recv(), o.counts());
      case Operation.GatherV o -> gather(o.send(), o.recv(), o.counts(), o.root());
      case Operation.ScatterV o -> scatter(o.send(), o.recv(), o.counts(), o.root());
      case Operation.AllToAllV o -> allToAll(o.send(), o.sendCounts(), o.recv(), o.recvCounts());
      case Operation.Send o -> transfers(o);
      case Operation.Recv o -> transfers(o);
      case Operation.SendRecv o ->
          transfers(
              new Operation.Send(o.send(), o.destination()),
              new Operation.Recv(o.recv(), o.source()));
      case Operation.Batch o -> transfers(o.transfers().toArray(Operation[]::new));
      case Operation.ReduceScatter o -> throw unsupported(o);
      case Operation.ReduceScatterV o -> throw unsupported(o);
    };
  }

  /** Returns MPI's name of what carries an operation out, for traces. */
  static String name(Execution execution) {
    return execution instanceof Exchange ? "messages" : "mpi";
  }

  private static IllegalStateException unsupported(Operation operation) {
    return new IllegalStateException("unsupported operation was issued: " + operation.describe());
  }

  // --- MPI's collectives ---

  private Execution pieces(Region region, Collective.Call call, Consumer<MemorySegment> result) {
    return new Collective(pool, region, pool.slotBytes(), call, result);
  }

  /** What is done to a result that is right as MPI left it. */
  private static void asItIs(MemorySegment result) {}

  private Execution broadcast(Operation.Broadcast o) {
    MemorySegment memory = o.buffer().segment();
    Region region = o.root() == rank ? Region.in(memory) : Region.out(memory);
    return pieces(region, piece -> comm.broadcast(piece, o.root()), Executions::asItIs);
  }

  private Execution allReduce(Operation.AllReduce o) {
    NativeReduction reduction = reduction(o.send(), o);
    return pieces(
        Region.inPlace(o.recv().segment(), o.send().segment(), 0),
        piece -> comm.allReduce(piece, reduction.type(), reduction.op()),
        result(o.send(), reduction));
  }

  private Execution reduce(Operation.Reduce o) {
    NativeReduction reduction = reduction(o.send(), o);
    return pieces(
        o.root() == rank
            ? Region.inPlace(Objects.requireNonNull(o.recv()).segment(), o.send().segment(), 0)
            : Region.in(o.send().segment()),
        piece -> comm.reduce(piece, reduction.type(), reduction.op(), o.root()),
        result(o.send(), reduction));
  }

  private NativeReduction reduction(CommBuffer buffer, Operation o) {
    NativeReduction reduction =
        NativeReduction.of(buffer.type(), Objects.requireNonNull(o.reduceOp()), order);
    if (reduction == null) {
      throw unsupported(o);
    }
    return reduction;
  }

  private Consumer<MemorySegment> result(CommBuffer buffer, NativeReduction reduction) {
    return !reduction.averages()
        ? Executions::asItIs
        : memory ->
            ReduceKernels.divide(
                buffer.type(), memory, 0, memory.byteSize() / buffer.type().byteSize(), size);
  }

  /** Returns whether all ranks' blocks fit one piece. */
  private boolean isSmall(CommBuffer block) {
    return block.byteSize() <= pool.slotBytes() / size;
  }

  private Execution allGather(Operation.AllGather o) {
    long block = o.send().byteSize();
    return isSmall(o.send())
        ? pieces(
            Region.inPlace(o.recv().segment(), o.send().segment(), rank * block),
            memory -> comm.allGather(memory, block),
            Executions::asItIs)
        : allGather(o.send(), o.recv(), even(o.send()));
  }

  private Execution gather(Operation.Gather o) {
    long block = o.send().byteSize();
    if (!isSmall(o.send())) {
      return gather(o.send(), o.recv(), even(o.send()), o.root());
    }
    return pieces(
        o.root() == rank
            ? Region.inPlace(
                Objects.requireNonNull(o.recv()).segment(), o.send().segment(), rank * block)
            : Region.in(o.send().segment()),
        memory -> comm.gather(memory, block, o.root()),
        Executions::asItIs);
  }

  private Execution scatter(Operation.Scatter o) {
    long block = o.recv().byteSize();
    if (!isSmall(o.recv())) {
      return scatter(o.send(), o.recv(), even(o.recv()), o.root());
    }
    if (o.root() != rank) {
      return pieces(
          Region.out(o.recv().segment()),
          memory -> comm.scatter(memory, block, o.root()),
          Executions::asItIs);
    }
    CommBuffer send = Objects.requireNonNull(o.send());
    copy(slice(send, even(o.recv()), rank), o.recv());
    return pieces(
        Region.in(send.segment()),
        memory -> comm.scatter(memory, block, o.root()),
        Executions::asItIs);
  }

  private Execution allToAll(Operation.AllToAll o) {
    CommBuffer one = o.send().slice(0, o.send().count() / size);
    if (!isSmall(one) || one.count() == 0) {
      return allToAll(o.send(), even(one), o.recv(), even(one));
    }
    MemorySegment heap = o.send().segment();
    // Nothing else is under way, so that there is one.
    MemorySegment slot = heap.isNative() ? null : Objects.requireNonNull(pool.tryAcquire());
    MemorySegment send = slot == null ? heap : slot.asSlice(0, heap.byteSize()).copyFrom(heap);
    return pieces(
        Region.out(o.recv().segment()),
        memory -> comm.allToAll(send, memory, one.byteSize()),
        memory -> {
          if (slot != null) {
            pool.release(slot);
          }
        });
  }

  // --- messages ---

  private Counts even(CommBuffer block) {
    long[] counts = new long[size];
    Arrays.fill(counts, block.count());
    return Counts.of(counts);
  }

  private Execution allGather(CommBuffer send, CommBuffer recv, Counts counts) {
    Exchange exchange = new Exchange(comm, COLLECTIVE, pool);
    copy(send, slice(recv, counts, rank));
    for (int i = 1; i < size; i++) {
      int to = (rank + i) % size;
      int from = (rank - i + size) % size;
      exchange.send(to, send.segment());
      exchange.receive(from, slice(recv, counts, from).segment());
    }
    return exchange;
  }

  private Execution gather(
      CommBuffer send, @Nullable CommBuffer recv, @Nullable Counts counts, int root) {
    Exchange exchange = new Exchange(comm, COLLECTIVE, pool);
    if (root != rank) {
      exchange.send(root, send.segment());
    } else if (recv != null && counts != null) {
      copy(send, slice(recv, counts, rank));
      for (int i = 1; i < size; i++) {
        int from = (rank + i) % size;
        exchange.receive(from, slice(recv, counts, from).segment());
      }
    }
    return exchange;
  }

  private Execution scatter(
      @Nullable CommBuffer send, CommBuffer recv, @Nullable Counts counts, int root) {
    Exchange exchange = new Exchange(comm, COLLECTIVE, pool);
    if (root != rank) {
      exchange.receive(root, recv.segment());
    } else if (send != null && counts != null) {
      copy(slice(send, counts, rank), recv);
      for (int i = 1; i < size; i++) {
        int to = (rank + i) % size;
        exchange.send(to, slice(send, counts, to).segment());
      }
    }
    return exchange;
  }

  private Execution allToAll(
      CommBuffer send, Counts sendCounts, CommBuffer recv, Counts recvCounts) {
    Exchange exchange = new Exchange(comm, COLLECTIVE, pool);
    copy(slice(send, sendCounts, rank), slice(recv, recvCounts, rank));
    for (int i = 1; i < size; i++) {
      int to = (rank + i) % size;
      int from = (rank - i + size) % size;
      exchange.send(to, slice(send, sendCounts, to).segment());
      exchange.receive(from, slice(recv, recvCounts, from).segment());
    }
    return exchange;
  }

  private Execution transfers(Operation... transfers) {
    Exchange exchange = new Exchange(comm, POINT_TO_POINT, pool);
    ArrayDeque<CommBuffer> toMyself = new ArrayDeque<>();
    ArrayDeque<CommBuffer> fromMyself = new ArrayDeque<>();
    for (Operation transfer : transfers) {
      if (transfer instanceof Operation.Send o) {
        if (o.peer() == rank) {
          toMyself.add(o.buffer());
        } else {
          exchange.send(o.peer(), o.buffer().segment());
        }
      } else if (transfer instanceof Operation.Recv o) {
        if (o.peer() == rank) {
          fromMyself.add(o.buffer());
        } else {
          exchange.receive(o.peer(), o.buffer().segment());
        }
      }
    }
    while (!toMyself.isEmpty() && !fromMyself.isEmpty()) {
      copy(toMyself.remove(), fromMyself.remove());
    }
    return exchange;
  }

  private static CommBuffer slice(CommBuffer whole, Counts counts, int rank) {
    return whole.slice(counts.offset(rank), counts.count(rank));
  }

  private static void copy(CommBuffer from, CommBuffer to) {
    if (from.byteSize() > 0 && !from.isSameMemory(to)) {
      to.segment().copyFrom(from.segment());
    }
  }
}
