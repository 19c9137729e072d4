package dev.tutti.comm.internal;

import dev.tutti.comm.CollectiveMismatchException;
import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.NativeCommException;
import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.Work;
import dev.tutti.comm.internal.config.Units;
import dev.tutti.comm.internal.control.Control;
import dev.tutti.comm.internal.layers.Agreement;
import dev.tutti.comm.internal.layers.Layers;
import dev.tutti.comm.internal.store.ExchangeTimeout;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.SlotPool;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One rank's membership in a group, behind {@link dev.tutti.comm.ProcessGroup}: the queue of issued
 * operations, the group's one failure, and its end.
 *
 * <p>A group breaks once. The first failure, whether an operation's, a peer's or this rank's own
 * abort, is kept, told to the peers over the control line, and only then is the communicator
 * aborted. Everything after fails with that first cause.
 */
public final class GroupCore {
  private static final Logger LOG = System.getLogger(GroupCore.class.getName());

  private final Job job;
  private final BackendProvider.Context context;
  private final Communicator top;
  // How the ranks compare their calls; null unless debug=detail.
  private final @Nullable Agreement agreement;
  private final String backend;
  private final Driver driver;
  private final FailureSignal failureSignal = new FailureSignal();

  // Guarded by the driver's lock, but written volatile where others look.
  private final ArrayDeque<PendingWork> queue = new ArrayDeque<>();
  private volatile int pending;
  private long nextSequence;
  private int splits;
  private volatile @Nullable CommException failure;
  private boolean torn;
  private boolean closing;
  private boolean closed;

  GroupCore(Job job, BackendProvider.Context context, Communicator top, String backend) {
    this.job = job;
    this.context = context;
    this.top = top;
    this.agreement = Layers.agreement(top);
    this.backend = backend;
    this.driver = new Driver(this, context.group() + "-" + context.rank(), job.executor());
    job.retain(this);
    driver.start();
    job.control().subscribe(context.group(), new ControlListener());
  }

  /** Returns this rank's number in the group. */
  public int rank() {
    return context.rank();
  }

  /** Returns the number of ranks in the group. */
  public int size() {
    return context.size();
  }

  /** Returns the group's name, unique in the job. */
  public String name() {
    return context.group();
  }

  /** Returns the name of the backend that carries the group's operations out. */
  public String backend() {
    return backend;
  }

  /** Returns the memory that the backend holds for the group. */
  public SlotPool.Usage memory() {
    driver.lock();
    try {
      return top.memory();
    } finally {
      driver.unlock();
    }
  }

  /** Returns whether the backend can carry an operation out. */
  public Availability supports(Operation operation) {
    driver.lock();
    try {
      return top.supports(operation);
    } finally {
      driver.unlock();
    }
  }

  Driver driver() {
    return driver;
  }

  Communicator top() {
    return top;
  }

  int pending() {
    return pending;
  }

  /**
   * Takes a checked operation into the queue.
   *
   * @throws IllegalStateException if the group is closed
   * @throws UnsupportedOperationException if the backend cannot carry it out; the group stays
   *     usable
   * @throws CommException if the group is broken
   */
  public Work submit(Operation operation) {
    driver.lock();
    try {
      checkUsable(operation.name());
      Availability support = top.supports(operation);
      if (!support.isAvailable()) {
        throw new UnsupportedOperationException(
            "%s on rank %d/%d: %s"
                .formatted(operation.describe(), rank(), size(), support.describe()));
      }
      PendingWork work = new PendingWork(this, operation, nextSequence);
      OpContext op = new OpContext(operation, nextSequence, job.timeout(), work);
      nextSequence++;
      queue.add(work);
      pending = queue.size();
      guarded(
          () -> {
            top.enqueue(operation, op);
            return true;
          });
      driver.issued();
      return work;
    } finally {
      driver.unlock();
    }
  }

  private void checkUsable(String operation) {
    CommException broken = failure;
    if (closing) {
      throw new IllegalStateException(
          "%s on rank %d/%d: group %s is closed; make a new one"
              .formatted(operation, rank(), size(), name()));
    }
    if (broken != null) {
      throw broken.restated(
          "%s on rank %d/%d was not issued, since group %s is broken (close it and make a new one)"
              .formatted(operation, rank(), size(), name()));
    }
  }

  /** Makes progress; called by the driver under its lock. */
  boolean advance() {
    return !torn && guarded(top::advance);
  }

  /** Waits for something to do; called by the driver without its lock. */
  void await(long nanos) {
    try {
      top.await(nanos);
    } catch (RuntimeException | Error e) {
      breakGroup(e instanceof CommException c ? c : backendError(e), true);
    }
  }

  private CommAbortedException backendError(Throwable e) {
    return new CommAbortedException(
        "rank %d/%d of group %s: backend %s ended with %s; this is an error in the backend or the machine is out of resources"
            .formatted(rank(), size(), name(), backend, e),
        e);
  }

  private boolean guarded(Supplier<Boolean> step) {
    boolean progressed;
    try {
      progressed = step.get();
    } catch (CommException e) {
      breakWith(e, true);
      return true;
    } catch (RuntimeException | Error e) {
      breakWith(backendError(e), true);
      return true;
    }
    CommException cause = failure;
    if (cause != null && !torn) {
      tear(cause, true);
    }
    return progressed;
  }

  /** An operation has ended; called under the lock. */
  void ended(PendingWork work, @Nullable CommException cause) {
    queue.remove(work);
    pending = queue.size();
    if (cause != null && failure == null) {
      failure = cause;
    }
    driver.ended();
  }

  /** Breaks the group, unless it is broken or closed; tells the peers if they cannot know. */
  private void breakGroup(CommException cause, boolean announce) {
    driver.lock();
    try {
      if (!closed) {
        breakWith(cause, announce);
      }
    } finally {
      driver.unlock();
    }
  }

  /** Breaks the group, unless it is broken. Under the lock. */
  private void breakWith(CommException cause, boolean announce) {
    CommException first = failure;
    if (first == null) {
      failure = cause;
      first = cause;
    }
    if (!torn) {
      tear(first, announce);
    }
  }

  private void tear(CommException cause, boolean announce) {
    torn = true;
    if (announce) {
      job.control().sendBreak(name(), inWorldRanks(cause));
    }
    try {
      top.abort(cause);
    } catch (RuntimeException | Error e) {
      LOG.log(
          Logger.Level.WARNING, "abort of group " + name() + " on rank " + rank() + " failed", e);
    }
    // A backend that lost track of an operation must not leave its caller waiting.
    for (PendingWork lost; (lost = queue.peek()) != null; ) {
      lost.end(cause.restated(lost.label() + " was lost when the group broke"));
    }
    failureSignal.raise(cause);
    top.wakeup();
  }

  private CommException inWorldRanks(CommException cause) {
    return cause instanceof PeerFailedException e && e.rank() >= 0 && e.rank() < size()
        ? new PeerFailedException(context.worldRanks().get(e.rank()), e.getMessage(), e)
        : cause;
  }

  /** Returns a failure that names a rank of the job as one of this group, with another text. */
  private CommException inGroupRanks(CommException cause, String text) {
    return switch (cause) {
      case PeerFailedException e -> {
        int rank = context.worldRanks().indexOf(e.rank());
        yield rank >= 0
            ? new PeerFailedException(rank, text, e)
            : new CommAbortedException(text, e);
      }
      case CommTimeoutException e -> new CommTimeoutException(text, e);
      case CollectiveMismatchException e -> new CollectiveMismatchException(text, e);
      case CommAbortedException e -> new CommAbortedException(text, e);
      case NativeCommException e -> new NativeCommException(e.code(), text, e);
    };
  }

  private final class ControlListener implements Control.Listener {
    @Override
    public void broken(int worldRank, CommException cause) {
      int rank = context.worldRanks().indexOf(worldRank);
      if (rank < 0) {
        return;
      }
      String text = "rank %d of group %s reports: %s".formatted(rank, name(), cause.getMessage());
      breakGroup(inGroupRanks(cause, text), false);
    }

    @Override
    public void died(int worldRank, String reason) {
      int rank = context.worldRanks().indexOf(worldRank);
      if (rank >= 0 && rank != rank()) {
        breakGroup(
            new PeerFailedException(
                rank,
                "rank %d/%d of group %s died (%s); see that rank's own output for why, then start the job again"
                    .formatted(rank, size(), name(), reason),
                null),
            false);
      }
    }
  }

  /** Splits the group; every rank calls. Returns empty if the color is negative. */
  public Optional<GroupCore> split(int color, int key) {
    drain("split", job.timeout());
    driver.lock();
    int number;
    try {
      checkUsable("split");
      number = splits++;
    } finally {
      driver.unlock();
    }
    Deadline deadline = Deadline.after(job.timeout());
    String label = "split #%d of group %s on rank %d/%d".formatted(number, name(), rank(), size());
    byte[] mine = ByteBuffer.allocate(8).putInt(color).putInt(key).array();
    BackendProvider.Context child = null;
    try {
      List<byte[]> all =
          failureSignal.guard(
              label, deadline, () -> exchange("split/" + number, mine, deadline), ignored -> {});
      BackendProvider.Context mineToBe = child(number, color, all, deadline);
      child = mineToBe;
      Communicator below =
          failureSignal
              .guard(
                  label,
                  deadline,
                  () -> Optional.ofNullable(top.split(mineToBe, color, key)),
                  late ->
                      late.ifPresent(
                          c -> c.abort(new CommAbortedException(label + " came too late", null))))
              .orElse(null);
      return child == null || below == null
          ? Optional.empty()
          : Optional.of(new GroupCore(job, child, below, backend));
    } catch (RuntimeException | Error e) {
      CommException cause =
          e instanceof CommException c
              ? c
              : new CommAbortedException(label + " failed with " + e, e);
      if (child != null) {
        // Others may have their subgroup already, and would wait there for this rank.
        job.control().sendBreak(child.group(), cause);
      }
      breakGroup(cause, true);
      throw e;
    }
  }

  /** One round over the store. */
  private List<byte[]> exchange(String key, byte[] mine, Deadline deadline) {
    try {
      return agreement != null
          ? agreement.split(mine, deadline.remaining())
          : Agreement.round(context, key, mine, deadline.remaining());
    } catch (CommTimeoutException e) {
      throw ExchangeTimeout.named(e, deadline.timeout());
    }
  }

  private BackendProvider.@Nullable Context child(
      int number, int color, List<byte[]> all, Deadline deadline) {
    if (color < 0) {
      return null;
    }
    record Member(int parentRank, int key) {}
    List<Member> members = new ArrayList<>();
    for (int r = 0; r < all.size(); r++) {
      ByteBuffer theirs = ByteBuffer.wrap(all.get(r));
      if (theirs.getInt() == color) {
        members.add(new Member(r, theirs.getInt()));
      }
    }
    members.sort(Comparator.comparingInt(Member::key).thenComparingInt(Member::parentRank));
    List<Integer> worldRanks = new ArrayList<>();
    int rank = 0;
    for (Member member : members) {
      if (member.parentRank == rank()) {
        rank = worldRanks.size();
      }
      worldRanks.add(context.worldRanks().get(member.parentRank));
    }
    String name = "%s/%d.%d".formatted(name(), number, color);
    return new BackendProvider.Context(
        name,
        epoch(context.epoch() + "/" + name),
        rank,
        worldRanks,
        context.options(),
        context.order(),
        context.scratchBytes(),
        job.store().scoped("group/" + name),
        deadline.remaining(),
        context.localAddress(),
        context.detectsDeath());
  }

  /** Returns the number that stands for a group's name in frames: FNV-1a, the same on all ranks. */
  static int epoch(String name) {
    int hash = 0x811c9dc5;
    for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xff)) * 0x01000193;
    }
    return hash;
  }

  /** Ends everything at once; local, never throws, announced to the peers. Idempotent. */
  public void abort() {
    breakGroup(
        new CommAbortedException(
            "rank %d/%d aborted group %s".formatted(rank(), size(), name()), null),
        true);
  }

  /** Aborts all groups that this rank has open, subgroups of any depth included. */
  public void abortJob() {
    job.abort();
  }

  /** Aborts and closes all groups that this rank has open, subgroups of any depth included. */
  public void endJob() {
    job.end();
  }

  /**
   * Drains what is pending up to the timeout, then aborts; frees everything. Idempotent.
   *
   * @throws CommException if operations were pending that did not complete: of the type of what
   *     failed them, such as a timeout
   */
  public void close() {
    driver.lock();
    try {
      if (closing) {
        return;
      }
      closing = true;
    } finally {
      driver.unlock();
    }
    CommException undelivered = drainForClose();
    driver.lock();
    try {
      closed = true;
    } finally {
      driver.unlock();
    }
    job.control().unsubscribe(name());
    failureSignal.raise(new CommAbortedException("group " + name() + " was closed", null));
    driver.stop();
    driver.lock();
    try {
      top.close(Duration.ofSeconds(1));
    } catch (RuntimeException | Error e) {
      LOG.log(
          Logger.Level.WARNING, "close of group " + name() + " on rank " + rank() + " failed", e);
    } finally {
      driver.unlock();
      job.release(this);
    }
    if (undelivered != null) {
      throw undelivered;
    }
  }

  /** Leaves nothing pending: what does not end in time, or before an interrupt, is aborted. */
  private @Nullable CommException drainForClose() {
    String where = "close of group %s on rank %d/%d".formatted(name(), rank(), size());
    List<PendingWork> waiting = pendingOperations();
    try {
      if (!drain(job.timeout()).isEmpty()) {
        breakGroup(
            new CommTimeoutException(
                "%s did not end within %s".formatted(where, Units.formatDuration(job.timeout())),
                null),
            true);
      }
    } catch (CancellationException e) {
      breakGroup(new CommAbortedException(where + " was interrupted", e), true);
    }
    List<String> undelivered =
        waiting.stream().filter(PendingWork::failed).map(PendingWork::toString).toList();
    CommException cause = failure;
    return cause == null || undelivered.isEmpty()
        ? null
        : cause.restated(
            "%s: %d operations that were pending did not complete: %s"
                .formatted(where, undelivered.size(), undelivered));
  }

  private List<PendingWork> pendingOperations() {
    driver.lock();
    try {
      return List.copyOf(queue);
    } finally {
      driver.unlock();
    }
  }

  private void drain(String operation, Duration timeout) {
    List<PendingWork> left = drain(timeout);
    if (!left.isEmpty()) {
      throw new CommTimeoutException(
          "%s on rank %d/%d: %d earlier operations did not complete within %s: %s"
              .formatted(
                  operation, rank(), size(), left.size(), Units.formatDuration(timeout), left),
          null);
    }
  }

  /** Waits for all that is pending; returns what did not end in time. */
  private List<PendingWork> drain(Duration timeout) {
    Deadline deadline = Deadline.after(timeout);
    while (true) {
      List<PendingWork> left = pendingOperations();
      if (left.isEmpty() || deadline.expired()) {
        return left;
      }
      driver.await(left.getLast(), deadline.remaining());
    }
  }
}
