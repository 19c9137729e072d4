package dev.tutti.mpi;

import dev.tutti.comm.BackendUnavailableException;
import dev.tutti.comm.CollectiveMismatchException;
import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommConfig;
import dev.tutti.comm.CommException;
import dev.tutti.comm.NativeCommException;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.Store;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.Cost;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.SlotPool;
import java.time.Duration;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** One rank's membership in a group over MPI. */
final class MpiCommunicator implements Communicator {
  private static final Cost ESTIMATE = new Cost(Duration.ofNanos(1_000), 5e9);

  /** The least piece, of which every other is a multiple: whole elements of every type. */
  private static final long PIECE_UNIT = 64;

  private record Queued(Operation operation, OpContext context) {}

  private final MpiProcess process;
  private final BackendProvider.Context group;
  private final Store job;
  private final MpiApi.Comm comm;
  private final long foldFrom;
  private final SlotPool pool;
  private final Executions executions;
  private final Naps naps = new Naps();
  private final ArrayDeque<Queued> queue = new ArrayDeque<>();
  private int splits;

  // The operation at the queue's head.
  private @Nullable Execution running;
  private boolean closed;

  /**
   * @param job a corner of the store that all groups of the job share
   */
  MpiCommunicator(MpiProcess process, BackendProvider.Context group, Store job, MpiApi.Comm comm) {
    this.process = process;
    this.group = group;
    this.job = job;
    this.comm = comm;
    this.foldFrom = group.options().bytes("fold");
    // Two pieces in flight to each peer and from it.
    int slots = Math.multiplyExact(4, group.size());
    this.pool = new SlotPool(slots, pieceBytes(group, slots));
    this.executions = new Executions(comm, group.rank(), group.size(), group.order(), pool);
  }

  /** Returns the wanted length of pieces, which must be possible. */
  static long chunk(CommConfig.Options options) {
    return options.bytes("chunk", PIECE_UNIT, MpiApi.MOST_BYTES);
  }

  /**
   * Half of scratch is the layer's that folds; the other is shared out here, alike on all ranks.
   */
  private static long pieceBytes(BackendProvider.Context group, int slots) {
    long bytes =
        Math.min(chunk(group.options()), group.scratchBytes() / 2 / slots)
            / PIECE_UNIT
            * PIECE_UNIT;
    return Math.max(PIECE_UNIT, bytes);
  }

  /**
   * Makes the membership of all ranks of a job: every rank calls.
   *
   * @throws BackendUnavailableException if MPI's processes are not the job's ranks
   */
  static MpiCommunicator connect(MpiProcess process, BackendProvider.Context group) {
    MpiApi.Comm world = process.api().world();
    int size = locked(process, group, world::size);
    if (size != group.size()) {
      throw new BackendUnavailableException(
          "group %s has %d ranks, but MPI was started with %d processes; start all ranks, and no others, with one mpirun -np %d"
              .formatted(group.group(), group.size(), size, group.size()),
          null);
    }
    MpiApi.Comm comm =
        new SplitTurn(process, group.store())
            .split(group, -1, world, 0, group.rank(), group.timeout());
    return made(process, group, group.store(), comm);
  }

  private static MpiCommunicator made(
      MpiProcess process, BackendProvider.Context group, Store job, MpiApi.@Nullable Comm comm) {
    if (comm == null) {
      throw new IllegalStateException("MPI_Comm_split left rank " + group.rank() + " out");
    }
    return new MpiCommunicator(process, group, job, comm);
  }

  private interface Call<T> {
    T make();
  }

  private static <T> T locked(MpiProcess process, BackendProvider.Context group, Call<T> call) {
    if (!process.tryEnter(group.timeout())) {
      throw new CommAbortedException(
          "rank %d/%d of group %s: MPI is stuck in a call of another group; see its failure"
              .formatted(group.rank(), group.size(), group.group()),
          null);
    }
    try {
      return call.make();
    } finally {
      process.exit();
    }
  }

  @Override
  public Availability supports(Operation operation) {
    for (CommBuffer buffer : operation.buffers()) {
      if (!buffer.device().isCpu()) {
        return Availability.no(
            "backend mpi takes host memory, not memory on " + buffer.device(),
            "name a backend for that device in the config");
      }
    }
    ReduceOp op = operation.reduceOp();
    if (op == null) {
      return Availability.yes();
    }
    CommBuffer buffer = operation.buffers().getFirst();
    if (buffer.byteSize() >= foldFrom) {
      return Availability.no(
          "backend mpi leaves reductions of %d bytes and more (fold=) to the host"
              .formatted(foldFrom),
          null);
    }
    boolean wholes =
        operation instanceof Operation.AllReduce || operation instanceof Operation.Reduce;
    return wholes && NativeReduction.of(buffer.type(), op, group.order()) != null
        ? Availability.yes()
        : Availability.no(
            "MPI has no %s of %s that means the same".formatted(operation.name(), buffer.type()),
            null);
  }

  @Override
  public Cost cost(Operation operation) {
    return ESTIMATE;
  }

  @Override
  public void enqueue(Operation operation, OpContext context) {
    queue.add(new Queued(operation, context));
    if (queue.size() == 1) {
      advance();
    }
  }

  @Override
  public boolean advance() {
    if (queue.isEmpty() || !process.tryEnter()) {
      return false;
    }
    try {
      return advanceQueue();
    } catch (MpiFailure e) {
      throw translated(e);
    } catch (Lane.ShortMessageException e) {
      throw new CollectiveMismatchException(where() + ": " + e.getMessage() + ADVICE, e);
    } finally {
      process.exit();
    }
  }

  private static final String ADVICE = "; all ranks must make the same calls in the same order";

  private boolean advanceQueue() {
    boolean progressed = false;
    for (Queued head; (head = queue.peek()) != null; progressed = true) {
      Execution execution = running;
      if (execution == null) {
        execution = executions.of(head.operation);
        running = execution;
        head.context.trace().algorithm(Executions.name(execution));
      }
      progressed |= execution.advance();
      if (!execution.isDone()) {
        break;
      }
      running = null;
      queue.remove();
      head.context.complete();
    }
    if (progressed) {
      naps.progressed();
    }
    return progressed;
  }

  private CommException translated(MpiFailure e) {
    return e.truncated()
        ? new CollectiveMismatchException(
            where() + ": a message is longer than what was expected: " + e.getMessage() + ADVICE, e)
        : new NativeCommException(
            e.code(), where() + ": " + e.getMessage() + "; see MPI's own output", e);
  }

  private String where() {
    Queued head = queue.peek();
    return "%s on rank %d/%d of group %s"
        .formatted(
            head == null
                ? "an operation"
                : head.operation.describe() + " #" + head.context.sequence(),
            group.rank(),
            group.size(),
            group.group());
  }

  @Override
  public void await(long nanos) {
    naps.await(nanos);
  }

  @Override
  public void wakeup() {
    naps.wakeup();
  }

  @Override
  public String awaited() {
    Execution execution = running;
    return execution == null ? "" : execution.awaited();
  }

  @Override
  public @Nullable Communicator split(BackendProvider.@Nullable Context child, int color, int key) {
    Duration timeout = child == null ? group.timeout() : child.timeout();
    try {
      MpiApi.Comm made =
          new SplitTurn(process, job).split(group, splits++, comm, color, key, timeout);
      return child == null ? null : made(process, child, job, made);
    } catch (MpiFailure e) {
      throw translated(e);
    }
  }

  @Override
  public SlotPool.Usage memory() {
    return pool.usage();
  }

  /** What is under way cannot be taken back: MPI keeps its memory until the process ends. */
  @Override
  public void abort(CommException cause) {
    closed = true;
    process.failed();
    Execution execution = running;
    running = null;
    if (execution != null && execution.isInFlight()) {
      process.abandon(execution);
      process.abandon(pool);
    } else {
      pool.close();
    }
    boolean first = true;
    for (Queued next; (next = queue.poll()) != null; first = false) {
      next.context.fail(
          first
              ? cause
              : cause.restated(next.operation.describe() + " was queued behind the failure"));
    }
    naps.wakeup();
  }

  @Override
  public void close(Duration timeout) {
    if (closed) {
      return;
    }
    closed = true;
    pool.close();
    if (process.tryEnter(timeout)) {
      try {
        comm.free();
      } catch (MpiFailure e) {
        throw translated(e);
      } finally {
        process.exit();
      }
    }
  }

  @Override
  public String toString() {
    return "mpi in group " + group.group();
  }
}
