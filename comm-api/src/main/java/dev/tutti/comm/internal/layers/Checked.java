package dev.tutti.comm.internal.layers;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommException;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The layer of {@code debug=detail}: no operation goes down before all ranks that take part in it
 * agree on it. They compare their calls over the group's store on a thread of this layer, one after
 * the other, ahead of the data; a verdict opens the gate, or ends the operation.
 *
 * <p>A thread that waits for ranks which never come is ended by {@link #abort}: the operation's
 * deadline is {@link Recorded}'s.
 */
final class Checked extends Layer {
  private final BackendProvider.Context group;
  private final Agreement agreement;
  private final Pairing pairing;
  private final LinkedBlockingQueue<Entry> unchecked = new LinkedBlockingQueue<>();
  // Used under the group's lock.
  private final ArrayDeque<Entry> gated = new ArrayDeque<>();
  private @Nullable Thread checker;
  // What went down last, while it is under way.
  private @Nullable OpContext lastIssued;
  private boolean broken;
  private volatile boolean over;

  Checked(Communicator next, BackendProvider.Context group) {
    super(next);
    this.group = group;
    this.agreement = new Agreement(group);
    this.pairing = new Pairing(group);
  }

  Agreement agreement() {
    return agreement;
  }

  @Override
  Communicator around(Communicator child, BackendProvider.Context context) {
    return new Checked(child, context);
  }

  @Override
  public void enqueue(Operation operation, OpContext context) {
    Entry entry = new Entry(operation, context);
    gated.add(entry);
    unchecked.add(entry);
    if (checker == null) {
      checker =
          Thread.ofPlatform()
              .daemon()
              .name("tutti-check-%s-%d".formatted(group.group(), group.rank()))
              .start(this::check);
    }
  }

  /** The thread's life: it ends with the first failure, which breaks the group. */
  private void check() {
    try {
      boolean agreed = true;
      while (agreed && !over) {
        Entry entry = unchecked.take();
        entry.decide(failure(entry));
        agreed = entry.failure == null;
        next().wakeup();
      }
    } catch (InterruptedException e) {
      // There is nothing left to check.
    }
  }

  private @Nullable CommException failure(Entry entry) {
    Operation operation = entry.operation;
    OpContext context = entry.context;
    try {
      if (operation.isPointToPoint()) {
        pairing.agree(operation, context.sequence(), context.timeout(), entry::awaits);
      } else {
        Call mine = Call.of(operation, context.sequence(), group.rank(), group.size());
        agreement.agree(mine, context.timeout(), entry::awaits);
      }
      return null;
    } catch (CommException e) {
      return e.restated(label(entry));
    } catch (RuntimeException | Error e) {
      return new CommAbortedException(
          "%s could not be compared with the other ranks' calls: %s".formatted(label(entry), e), e);
    }
  }

  private String label(Entry entry) {
    return "%s #%d on rank %d/%d of group %s"
        .formatted(
            entry.operation.describe(),
            entry.context.sequence(),
            group.rank(),
            group.size(),
            group.group());
  }

  @Override
  public boolean advance() {
    boolean progressed = false;
    for (Entry entry; (entry = gated.peek()) != null && entry.decided; progressed = true) {
      gated.remove();
      if (entry.failure != null) {
        entry.context.fail(entry.failure);
        return true;
      }
      lastIssued = entry.context;
      next().enqueue(entry.operation, entry.context);
    }
    progressed |= next().advance();
    if (lastIssued != null && lastIssued.isDone()) {
      lastIssued = null; // its buffers are the caller's again
    }
    return progressed;
  }

  @Override
  public String awaited() {
    Entry head = gated.peek();
    return head == null || lastIssued != null ? next().awaited() : head.awaited;
  }

  @Override
  public void abort(CommException cause) {
    broken = true;
    end();
    for (Entry entry; (entry = gated.poll()) != null; ) {
      entry.context.fail(cause);
    }
    next().abort(cause);
  }

  @Override
  public void close(Duration timeout) {
    end();
    if (!broken) {
      agreement.close(timeout);
    }
    Thread ending = checker;
    if (ending != null) {
      try {
        boolean _ = ending.join(timeout);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    next().close(timeout);
  }

  private void end() {
    over = true;
    if (checker != null) {
      checker.interrupt();
    }
  }

  /** An operation that waits for its verdict, or for those before it. */
  private static final class Entry {
    final Operation operation;
    final OpContext context;
    private volatile String awaited = "the check of earlier calls";
    private @Nullable CommException failure;
    private volatile boolean decided;

    Entry(Operation operation, OpContext context) {
      this.operation = operation;
      this.context = context;
    }

    void awaits(String whom) {
      awaited = whom;
    }

    void decide(@Nullable CommException verdict) {
      failure = verdict;
      decided = true;
    }
  }
}
