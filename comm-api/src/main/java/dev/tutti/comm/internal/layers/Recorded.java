package dev.tutti.comm.internal.layers;

import dev.tutti.comm.CommException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.internal.Durations;
import dev.tutti.comm.internal.config.Units;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The outermost layer: every operation's flight-recorder event and its deadline. An operation's
 * time counts from the end of its predecessor.
 */
final class Recorded extends Layer {
  private final BackendProvider.Context group;
  private final ArrayDeque<Entry> queue = new ArrayDeque<>();
  // Read by await without the lock: when the head's time is over, in System.nanoTime(); meaningless
  // while the queue is empty.
  private volatile long headEnd;
  private volatile boolean idle = true;

  Recorded(Communicator next, BackendProvider.Context group) {
    super(next);
    this.group = group;
  }

  @Override
  Communicator around(Communicator child, BackendProvider.Context context) {
    return new Recorded(child, context);
  }

  @Override
  public void enqueue(Operation operation, OpContext context) {
    Entry entry = new Entry(context);
    queue.add(entry);
    if (queue.size() == 1) {
      becomesHead(entry);
    }
    next().enqueue(operation, entry.inner);
  }

  private void becomesHead(Entry entry) {
    long now = System.nanoTime();
    entry.headSince = now;
    headEnd = now + entry.outer.timeout().toNanos();
    idle = false;
  }

  @Override
  public boolean advance() {
    boolean progressed = next().advance();
    Entry head = queue.peek();
    if (head == null || System.nanoTime() - headEnd < 0) {
      return progressed;
    }
    head.inner.fail(timeout(head));
    return true;
  }

  private CommTimeoutException timeout(Entry head) {
    String awaited = next().awaited();
    return new CommTimeoutException(
        "%s did not complete within %s (timeout=%s)%s; check that all ranks are alive and make the same calls in the same order, or raise timeout= in the config"
            .formatted(
                label(head),
                Durations.text(elapsed(head)),
                Units.formatDuration(head.outer.timeout()),
                awaited.isEmpty() ? "" : ": waits for " + awaited),
        null);
  }

  private static Duration elapsed(Entry entry) {
    return Duration.ofNanos(System.nanoTime() - entry.headSince);
  }

  private String label(Entry entry) {
    return "%s #%d on rank %d/%d of group %s"
        .formatted(
            entry.outer.operation().describe(),
            entry.outer.sequence(),
            group.rank(),
            group.size(),
            group.group());
  }

  @Override
  public void await(long nanos) {
    long left = idle ? nanos : Math.min(nanos, headEnd - System.nanoTime());
    if (left > 0) {
      next().await(left);
    }
  }

  @Override
  public void abort(CommException cause) {
    // All texts first: to end the head makes the next one head.
    Map<Entry, CommException> failures = new LinkedHashMap<>();
    for (Entry entry : queue) {
      String how =
          entry == queue.peek()
              ? "was under way for " + Durations.text(elapsed(entry))
              : "was queued";
      boolean ownFailure = cause.getMessage().startsWith(label(entry));
      failures.put(
          entry,
          ownFailure
              ? cause
              : cause.restated("%s %s when the group broke".formatted(label(entry), how)));
    }
    failures.forEach((entry, failure) -> entry.inner.fail(failure));
    next().abort(cause);
  }

  private final class Entry implements OpContext.Listener {
    private final OpContext outer;
    private final OpContext inner;
    private final OperationEvent event = new OperationEvent();
    private long headSince;

    Entry(OpContext outer) {
      this.outer = outer;
      this.inner = outer.part(outer.operation(), this);
      event.begin();
    }

    @Override
    public void ended(OpContext context) {
      if (queue.peek() == this) {
        queue.poll();
      } else {
        queue.remove(this);
      }
      Entry head = queue.peek();
      if (head == null) {
        idle = true;
      } else if (head.headSince == 0) {
        becomesHead(head);
      }
      CommException failure = context.failure();
      commitEvent(failure);
      if (failure == null) {
        outer.complete();
      } else {
        outer.fail(failure);
      }
    }

    private void commitEvent(@Nullable CommException failure) {
      event.end();
      if (event.shouldCommit()) {
        event.group = group.group();
        event.rank = group.rank();
        event.sequence = outer.sequence();
        event.operation = outer.operation().name();
        event.bytes = outer.operation().bytes();
        event.algorithm = outer.trace().algorithm();
        event.outcome = failure == null ? "complete" : failure.getClass().getSimpleName();
        event.commit();
      }
    }
  }
}
