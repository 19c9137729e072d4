package dev.tutti.comm.internal.layers;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.internal.reduce.ReduceKernels;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.Operation.Counts;
import dev.tutti.comm.spi.SlotPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One reduction on its way, chunk by chunk: exchange (every rank gets, from all others, the part
 * that it folds), fold in rank order, gather (the folded parts go to those who want them all).
 *
 * <p>Parts are issued in one order on all ranks: exchanges 0 and 1, then gather 0, exchange 2,
 * gather 1, and so on. So the exchange of one chunk is under way while the one before it is folded
 * and gathered, and no more than two chunks need memory.
 *
 * <p>Folds are done when an exchange ends, parts are issued only by {@link #issue}: a backend is
 * never called while it reports an end.
 */
final class FoldedReduction {
  private static final int IN_FLIGHT = 2;

  /** A chunk whose exchange was issued and whose gather was not. */
  private static final class Chunk {
    final long index;
    final @Nullable MemorySegment slot;
    boolean folded;

    Chunk(long index, @Nullable MemorySegment slot) {
      this.index = index;
      this.slot = slot;
    }
  }

  private final OpContext outer;
  private final BackendProvider.Context group;
  private final Communicator next;
  private final SlotPool pool;
  private final FoldPlan plan;
  private final CommBuffer send;
  private final @Nullable CommBuffer recv;
  private final ReduceOp op;
  private final DataType type;
  private final DataType carrier;
  private final Set<String> algorithms = new LinkedHashSet<>();
  private final ArrayDeque<Chunk> chunks = new ArrayDeque<>();
  private long exchanges;
  private long gathers;
  private int underWay;

  /**
   * Prepares; issues nothing yet.
   *
   * @param carrier the type as which elements are moved, no wider than theirs
   */
  FoldedReduction(
      OpContext outer,
      BackendProvider.Context group,
      Communicator next,
      SlotPool pool,
      DataType carrier) {
    this.outer = outer;
    this.group = group;
    this.next = next;
    this.pool = pool;
    this.carrier = carrier;
    Operation operation = outer.operation();
    this.plan = FoldPlan.of(operation, group.size(), pool.slotBytes());
    switch (operation) {
      case Operation.AllReduce r -> {
        send = r.send();
        recv = r.recv();
        op = r.op();
      }
      case Operation.Reduce r -> {
        send = r.send();
        recv = r.root() == group.rank() ? r.recv() : null;
        op = r.op();
      }
      case Operation.ReduceScatter r -> {
        send = r.send();
        recv = r.recv();
        op = r.op();
      }
      case Operation.ReduceScatterV r -> {
        send = r.send();
        recv = r.recv();
        op = r.op();
      }
      default -> throw new IllegalArgumentException("no reduction: " + operation.describe());
    }
    this.type = send.type();
  }

  /** Returns whether its last part was issued, so that the next operation may be. */
  boolean isIssued() {
    return exchanges == plan.chunks() && (!gathers() || gathers == plan.chunks());
  }

  /** Issues the parts whose turn it is. Returns whether there was one. */
  boolean issue() {
    boolean any = false;
    while (!outer.isDone() && !isIssued() && (nextIsExchange() ? exchange() : gather())) {
      any = true;
    }
    return any;
  }

  private boolean nextIsExchange() {
    return exchanges < plan.chunks() && (!gathers() || exchanges < gathers + IN_FLIGHT);
  }

  /** Returns whether folded parts have to go to other ranks. */
  private boolean gathers() {
    return plan instanceof FoldPlan.Vector && group.size() > 1;
  }

  private boolean exchange() {
    long index = exchanges;
    long bytes = bytesToReceive(index);
    MemorySegment slot = null;
    if (chunks.size() == IN_FLIGHT || (bytes > 0 && (slot = pool.tryAcquire()) == null)) {
      return false;
    }
    exchanges++;
    Chunk chunk = new Chunk(index, slot);
    chunks.add(chunk);
    start(exchangeOf(index, slot), part -> exchanged(chunk, part));
    return true;
  }

  private long bytesToReceive(long index) {
    boolean whole = plan instanceof FoldPlan.Whole;
    return ownCount(index) * type.byteSize() * (whole ? group.size() : group.size() - 1);
  }

  /** Returns how many elements of a chunk this rank folds. */
  private long ownCount(long index) {
    return plan instanceof FoldPlan.Whole && recv == null ? 0 : plan.count(index, group.rank());
  }

  private Operation exchangeOf(long index, @Nullable MemorySegment slot) {
    if (plan instanceof FoldPlan.Whole whole) {
      CommBuffer all = slot == null ? null : moved(slot, 0, whole.count() * group.size());
      int root = outer.operation().rootRank();
      return root >= 0
          ? new Operation.Gather(moved(send), root == group.rank() ? orEmpty(all) : null, root)
          : new Operation.AllGather(moved(send), orEmpty(all));
    }
    List<Operation> transfers = new ArrayList<>();
    long own = ownCount(index);
    for (int peer = 0; peer < group.size(); peer++) {
      long theirs = plan.count(index, peer);
      if (peer != group.rank() && theirs > 0) {
        transfers.add(
            new Operation.Send(moved(send.slice(plan.offset(index, peer), theirs)), peer));
      }
      if (peer != group.rank() && slot != null) {
        transfers.add(new Operation.Recv(moved(slot, place(peer, own), own), peer));
      }
    }
    return new Operation.Batch(transfers);
  }

  private CommBuffer orEmpty(@Nullable CommBuffer buffer) {
    return buffer == null ? empty(carrier) : buffer;
  }

  static CommBuffer empty(DataType carrier) {
    return CommBuffer.of(MemorySegment.ofArray(new byte[0]), carrier);
  }

  /** Returns where in a slot a rank's elements lie, in bytes. */
  private long place(int peer, long count) {
    int number = plan instanceof FoldPlan.Whole || peer < group.rank() ? peer : peer - 1;
    return number * count * type.byteSize();
  }

  private void exchanged(Chunk chunk, OpContext part) {
    boolean keepsSlot = gathers() && recv == null;
    if (part.failure() == null && !outer.isDone()) {
      fold(chunk);
    }
    chunk.folded = true;
    if (!keepsSlot) {
      release(chunk);
    }
    if (!gathers()) {
      chunks.remove(chunk);
    }
    ended(part);
  }

  private void fold(Chunk chunk) {
    long count = ownCount(chunk.index);
    if (count == 0) {
      return;
    }
    int size = group.size();
    MemorySegment[] sources = new MemorySegment[size];
    long[] offsets = new long[size];
    for (int peer = 0; peer < size; peer++) {
      boolean own = peer == group.rank() && !(plan instanceof FoldPlan.Whole);
      sources[peer] = own || chunk.slot == null ? send.segment() : chunk.slot;
      offsets[peer] = own ? plan.offset(chunk.index, peer) * type.byteSize() : place(peer, count);
    }
    try {
      ReduceKernels.fold(
          op, type, target(chunk), targetOffset(chunk.index), sources, offsets, count);
    } catch (IllegalStateException e) { // the memory's arena was closed
      outer.fail(
          new CommAbortedException(
              label()
                  + ": its buffers could not be read or written ("
                  + e.getMessage()
                  + "); keep their arena open until the operation's Work is complete",
              e));
    }
  }

  private MemorySegment target(Chunk chunk) {
    return recv != null ? recv.segment() : Objects.requireNonNull(chunk.slot);
  }

  private long targetOffset(long index) {
    if (recv == null) {
      return 0; // the place of one of the operands
    }
    long before = plan instanceof FoldPlan.Blocks ? plan.offset(0, group.rank()) : 0;
    return (plan.offset(index, group.rank()) - before) * type.byteSize();
  }

  private boolean gather() {
    Chunk chunk = chunks.peek();
    if (chunk == null || !chunk.folded) {
      return false;
    }
    chunks.remove();
    gathers++;
    start(
        gatherOf(chunk),
        part -> {
          if (recv == null) {
            release(chunk);
          }
          ended(part);
        });
    return true;
  }

  private Operation gatherOf(Chunk chunk) {
    FoldPlan.Vector vector = (FoldPlan.Vector) plan;
    long length = vector.length(chunk.index);
    long own = vector.count(chunk.index, group.rank());
    CommBuffer whole = recv == null ? null : recv.slice(chunk.index * vector.chunk(), length);
    CommBuffer mine;
    if (recv != null) {
      mine = moved(recv.slice(vector.offset(chunk.index, group.rank()), own));
    } else {
      mine = chunk.slot == null ? empty(carrier) : moved(chunk.slot, 0, own);
    }
    CommBuffer all = whole == null ? null : moved(whole);
    int root = outer.operation().rootRank();
    if (length % group.size() == 0) {
      return root >= 0
          ? new Operation.Gather(mine, all, root)
          : new Operation.AllGather(mine, orEmpty(all));
    }
    Counts counts = movedCounts(vector.counts(chunk.index));
    return root >= 0
        ? new Operation.GatherV(mine, all, all == null ? null : counts, root)
        : new Operation.AllGatherV(mine, orEmpty(all), counts);
  }

  private CommBuffer moved(CommBuffer buffer) {
    return carrier == type ? buffer : CommBuffer.of(buffer.segment(), carrier);
  }

  private CommBuffer moved(MemorySegment slot, long offset, long count) {
    return CommBuffer.of(slot.asSlice(offset, count * type.byteSize()), carrier);
  }

  private Counts movedCounts(long[] counts) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] *= type.byteSize() / carrier.byteSize();
    }
    return Counts.of(counts);
  }

  private void start(Operation part, OpContext.Listener listener) {
    underWay++;
    next.enqueue(part, outer.part(part, listener));
  }

  private void ended(OpContext part) {
    underWay--;
    String algorithm = part.trace().algorithm();
    if (!algorithm.isEmpty()) {
      algorithms.add(algorithm);
    }
    CommException failure = part.failure();
    if (failure != null) {
      outer.fail(
          failure.restated(label() + ", folded by rank, in its " + part.operation().describe()));
    } else if (underWay == 0 && isIssued() && !outer.isDone()) {
      outer.trace().algorithm("ranked fold over " + String.join("+", algorithms));
      outer.complete();
    }
  }

  private String label() {
    return "%s #%d on rank %d/%d of group %s"
        .formatted(
            outer.operation().describe(),
            outer.sequence(),
            group.rank(),
            group.size(),
            group.group());
  }

  private void release(Chunk chunk) {
    if (chunk.slot != null) {
      pool.release(chunk.slot);
    }
  }

  void fail(CommException cause) {
    outer.fail(cause);
  }
}
