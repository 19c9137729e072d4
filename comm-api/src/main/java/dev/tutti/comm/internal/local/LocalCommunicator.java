package dev.tutti.comm.internal.local;

import dev.tutti.comm.CollectiveMismatchException;
import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommException;
import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.internal.reduce.ReduceKernels;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider.Context;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.Cost;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.SlotPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One rank's membership. A call at the head of its queue puts a copy of what it has for each rank
 * into that rank's inbox, and ends when it has taken what all have for it, in rank order. So no
 * thread touches another rank's buffers, and in place needs no thought. In a collective every rank
 * tells every rank at least what it called.
 */
final class LocalCommunicator implements Communicator {
  private record Parcel(Operation call, @Nullable CommBuffer data) {}

  /**
   * A call in the queue.
   *
   * @param in what it has not taken yet
   * @param operands what it has taken to reduce, in rank order
   */
  private record Call(OpContext context, ArrayDeque<Part> in, List<MemorySegment> operands) {
    Call(OpContext context, List<Part> in) {
      this(context, new ArrayDeque<>(in), new ArrayList<>());
    }
  }

  private final LocalBackend backend;
  private final String group;
  private final int rank;
  private final List<LocalCommunicator> members;
  private final List<ConcurrentLinkedQueue<Parcel>> inbox = new ArrayList<>();
  private final ArrayDeque<Call> queue = new ArrayDeque<>();
  private boolean aborted;
  private volatile boolean left;
  private final Semaphore arrivals = new Semaphore(0);

  private LocalCommunicator(
      LocalBackend backend, Context context, int rank, List<LocalCommunicator> members) {
    this.backend = backend;
    this.group = context.group();
    this.rank = rank;
    this.members = members;
    for (int i = 0; i < 2 * context.size(); i++) {
      inbox.add(new ConcurrentLinkedQueue<>());
    }
  }

  /** Makes all members of a group. */
  static Map<Integer, LocalCommunicator> group(LocalBackend backend, Context context) {
    List<LocalCommunicator> members = new ArrayList<>();
    Map<Integer, LocalCommunicator> byRank = new HashMap<>();
    for (int rank = 0; rank < context.size(); rank++) {
      members.add(new LocalCommunicator(backend, context, rank, members));
      byRank.put(rank, members.get(rank));
    }
    return byRank;
  }

  @Override
  public Availability supports(Operation operation) {
    return Availability.yes();
  }

  @Override
  public boolean foldsByRank() {
    return true;
  }

  @Override
  public Cost cost(Operation operation) {
    return new Cost(Duration.ofNanos(10_000), 1e9);
  }

  @Override
  public void enqueue(Operation operation, OpContext context) {
    context.trace().algorithm("naive");
    queue.add(new Call(context, Part.of(operation, false, rank, members.size())));
    if (queue.size() == 1) {
      send(operation);
    }
  }

  @Override
  public boolean advance() {
    Call head = queue.peek();
    if (head == null) {
      return false;
    }
    boolean progressed = false;
    for (Part part; (part = head.in.peek()) != null; progressed = true) {
      boolean over = members.get(part.peer()).left;
      Parcel parcel = inbox(part.peer(), head.context.operation()).poll();
      if (parcel == null && !over) {
        return progressed;
      }
      CommException failure =
          parcel == null
              ? new PeerFailedException(part.peer(), told(head, part, "has left the group"), null)
              : take(head, part, parcel);
      if (failure != null) {
        queue.remove();
        head.context.fail(failure);
        return true;
      }
      head.in.remove();
    }
    queue.remove();
    head.context.complete();
    if (!queue.isEmpty()) {
      send(queue.element().context.operation());
    }
    return true;
  }

  /** Transfers and collectives are counted apart. */
  private ConcurrentLinkedQueue<Parcel> inbox(int from, Operation operation) {
    return inbox.get(operation.isPointToPoint() ? from : members.size() + from);
  }

  private void send(Operation operation) {
    Map<CommBuffer, CommBuffer> copies = new HashMap<>();
    for (Part part : Part.of(operation, true, rank, members.size())) {
      CommBuffer data = part.buffer();
      LocalCommunicator peer = members.get(part.peer());
      CommBuffer copy = data == null ? null : copies.computeIfAbsent(data, LocalCommunicator::copy);
      peer.inbox(rank, operation).add(new Parcel(operation, copy));
      peer.wakeup();
    }
  }

  private static CommBuffer copy(CommBuffer buffer) {
    long bytes = buffer.byteSize();
    MemorySegment memory =
        bytes <= 1 << 30
            ? MemorySegment.ofArray(new byte[(int) bytes])
            : Arena.ofAuto().allocate(bytes);
    return CommBuffer.of(memory.copyFrom(buffer.segment()), buffer.type());
  }

  private @Nullable CommException take(Call call, Part part, Parcel parcel) {
    Operation operation = call.context.operation();
    CommBuffer target = part.buffer();
    CommBuffer data = parcel.data;
    if (!Part.match(operation, parcel.call) || !Part.alike(target, data)) {
      String sent = data == null || target == null ? "" : " with " + data + " for " + target;
      return new CollectiveMismatchException(
          told(call, part, "called " + parcel.call.describe() + sent), null);
    }
    ReduceOp op = operation.reduceOp();
    if (target != null && data != null) {
      if (op == null) {
        target.segment().copyFrom(data.segment());
      } else {
        call.operands.add(data.segment());
      }
      if (call.operands.size() == members.size()) {
        fold(Objects.requireNonNull(op), call.operands, target);
      }
    }
    return null;
  }

  /** Whatever order was asked for, it is that of the ranks. */
  private static void fold(ReduceOp op, List<MemorySegment> operands, CommBuffer target) {
    ReduceKernels.fold(
        op,
        target.type(),
        target.segment(),
        0,
        operands.toArray(MemorySegment[]::new),
        new long[operands.size()],
        target.count());
  }

  private String told(Call call, Part part, String what) {
    return "%s #%d on rank %d/%d of group %s: rank %d %s; all ranks must make the same calls in the same order"
        .formatted(
            call.context.operation().describe(),
            call.context.sequence(),
            rank,
            members.size(),
            group,
            part.peer(),
            what);
  }

  @Override
  public void await(long nanos) {
    try {
      boolean _ = arrivals.tryAcquire(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void wakeup() {
    if (arrivals.availablePermits() == 0) { // one is enough, and they must not add up
      arrivals.release();
    }
  }

  @Override
  public String awaited() {
    Part next = queue.isEmpty() ? null : queue.element().in.peek();
    return next == null ? "" : "rank " + next.peer();
  }

  @Override
  public @Nullable Communicator split(@Nullable Context child, int color, int key) {
    return child == null ? null : backend.connect(child);
  }

  @Override
  public SlotPool.Usage memory() {
    return new SlotPool.Usage(0, 0, 0, 0, 0);
  }

  @Override
  public void abort(CommException cause) {
    aborted = true;
    for (Call call; (call = queue.poll()) != null; ) {
      call.context.fail(cause);
    }
  }

  @Override
  public void close(Duration timeout) {
    if (!aborted) { // else the others are told why
      left = true;
      members.forEach(LocalCommunicator::wakeup);
    }
  }
}
