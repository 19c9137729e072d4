package dev.tutti.comm.internal.layers;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommConfig;
import dev.tutti.comm.CommException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.Cost;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.SlotPool;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Carries out reductions that the backend below lacks, and with {@code order=ranked} those that it
 * does not fold in rank order: the ranks exchange their elements, fold them on the host, and gather
 * the results. Everything else goes straight through.
 *
 * <p>Such a reduction is one entry of the group's queue: what is issued after it is held back until
 * its last part was issued, on every rank alike.
 */
final class Folded extends Layer {
  /** The layer's memory is half of {@code scratch}, beside the backend's own. */
  private static final int SLOTS = 2;

  private final BackendProvider.Context group;
  private final boolean ranked;
  private final SlotPool pool;
  private final ArrayDeque<OpContext> held = new ArrayDeque<>();

  /** The reduction that has parts to issue, if there is one. */
  private @Nullable FoldedReduction running;

  Folded(Communicator next, BackendProvider.Context group) {
    super(next);
    this.group = group;
    this.ranked =
        group.order() == CommConfig.Order.RANKED && group.size() > 1 && !next.foldsByRank();
    long least = (long) Long.BYTES * group.size();
    this.pool = new SlotPool(SLOTS, Math.max(least, group.scratchBytes() / (2 * SLOTS)));
  }

  @Override
  Communicator around(Communicator child, BackendProvider.Context context) {
    return new Folded(child, context);
  }

  /** Returns whether this layer carries the operation out; the same on all ranks. */
  private boolean folds(Operation operation) {
    ReduceOp op = operation.reduceOp();
    if (op == null) {
      return false;
    }
    CommBuffer send = operation.buffers().getFirst();
    return isHost(send)
        && ((ranked && orderShows(op, send.type(), group.size()))
            || !next().supports(operation).isAvailable());
  }

  /** Returns whether the kernels reach a buffer. */
  private static boolean isHost(CommBuffer buffer) {
    return buffer.device().isCpu();
  }

  /**
   * Returns whether results depend on the order of the operands, or on where they are rounded. One
   * sum or product of two numbers in their own type does not.
   */
  private static boolean orderShows(ReduceOp op, DataType type, int size) {
    return switch (op.kind()) {
      case SUM, PROD -> type.isFloating() && (size > 2 || type.byteSize() == Short.BYTES);
      case AVG -> type.isFloating();
      case MIN, MAX, BAND, BOR, BXOR -> false;
    };
  }

  @Override
  public Availability supports(Operation operation) {
    if (folds(operation)) {
      Availability moves = moves(operation, carrier(operation));
      return moves.isAvailable() || ranked ? moves : next().supports(operation);
    }
    ReduceOp op = operation.reduceOp();
    if (ranked && op != null && !isHost(operation.buffers().getFirst())) {
      DataType type = operation.buffers().getFirst().type();
      if (orderShows(op, type, group.size())) {
        return Availability.no(
            "this backend does not reduce in rank order on a device",
            "leave order=ranked out of the config, or reduce host memory");
      }
    }
    return next().supports(operation);
  }

  /** Returns the elements' own type if the backend moves it, else bytes. */
  private DataType carrier(Operation operation) {
    DataType type = operation.buffers().getFirst().type();
    return moves(operation, type).isAvailable() ? type : DataType.UINT8;
  }

  private Availability moves(Operation operation, DataType carrier) {
    for (Operation part : parts(operation, carrier)) {
      Availability answer = next().supports(part);
      if (!answer.isAvailable()) {
        return answer;
      }
    }
    return Availability.yes();
  }

  /** Returns an empty example of each kind of part that a reduction may have. */
  private List<Operation> parts(Operation operation, DataType carrier) {
    CommBuffer empty = FoldedReduction.empty(carrier);
    int peer = (group.rank() + 1) % group.size();
    List<Operation> parts = new ArrayList<>();
    parts.add(
        new Operation.Batch(
            List.of(new Operation.Send(empty, peer), new Operation.Recv(empty, peer))));
    switch (operation) {
      case Operation.AllReduce _ -> parts.add(new Operation.AllGather(empty, empty));
      case Operation.Reduce r -> parts.add(new Operation.Gather(empty, empty, r.root()));
      default -> {}
    }
    return parts;
  }

  @Override
  public Cost cost(Operation operation) {
    if (!folds(operation)) {
      return next().cost(operation);
    }
    Duration latency = Duration.ZERO;
    double secondsPerByte = 0;
    for (Operation part : parts(operation, carrier(operation))) {
      Cost cost = next().cost(part);
      latency = latency.plus(cost.latency());
      secondsPerByte += 1 / cost.bytesPerSecond();
    }
    return new Cost(latency, 1 / secondsPerByte);
  }

  @Override
  public void enqueue(Operation operation, OpContext context) {
    if (running == null && !folds(operation)) {
      next().enqueue(operation, context);
    } else {
      held.add(context);
      issue();
    }
  }

  @Override
  public boolean advance() {
    boolean progressed = next().advance();
    return (running != null && issue()) || progressed;
  }

  /** Issues what may be issued now, in the queue's order. */
  private boolean issue() {
    boolean any = false;
    while (true) {
      FoldedReduction current = running;
      if (current == null) {
        OpContext context = held.poll();
        if (context == null) {
          return any;
        }
        any = true;
        Operation operation = context.operation();
        if (folds(operation)) {
          running = new FoldedReduction(context, group, next(), pool, carrier(operation));
        } else {
          next().enqueue(operation, context);
        }
      } else {
        any |= current.issue();
        if (!current.isIssued()) {
          return any;
        }
        running = null;
      }
    }
  }

  @Override
  public SlotPool.Usage memory() {
    SlotPool.Usage own = pool.usage();
    return own.allocatedBytes() == 0 ? next().memory() : next().memory().plus(own);
  }

  @Override
  public void abort(CommException cause) {
    List<OpContext> lost = new ArrayList<>(held);
    held.clear();
    next().abort(cause);
    FoldedReduction current = running;
    if (current != null) {
      current.fail(cause);
    }
    lost.forEach(context -> context.fail(cause));
  }

  /** Memory that an operation may still use, since its end was never told, is not freed. */
  @Override
  public void close(Duration timeout) {
    super.close(timeout);
    if (pool.usage().inUse() == 0) {
      pool.close();
    }
  }
}
