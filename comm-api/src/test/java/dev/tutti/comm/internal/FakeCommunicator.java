package dev.tutti.comm.internal;

import dev.tutti.comm.CommException;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.Cost;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.SlotPool;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A backend whose operations end when the test says so: what it is told happens in the next {@link
 * #advance}, on whatever thread that is. Fails loudly if the contract of the lock is broken.
 */
public final class FakeCommunicator implements Communicator {
  /** Threads that have advanced. */
  public final Set<Thread> drivers = ConcurrentHashMap.newKeySet();

  public final AtomicInteger advances = new AtomicInteger();
  public final AtomicInteger awaits = new AtomicInteger();
  public final AtomicInteger closes = new AtomicInteger();

  /** Does something odd in {@link #enqueue}. */
  public volatile Consumer<OpContext> onEnqueue = context -> {};

  /** Does something odd in {@link #advance}; its answer is "was anything done". */
  public volatile Runnable onAdvance = () -> {};

  /** Does something odd in {@link #await}. */
  public volatile Runnable onAwait = () -> {};

  /** What {@link #abort} does with what is queued. */
  public volatile Consumer<CommException> onAbort = this::failAll;

  public volatile Runnable onClose = () -> {};
  public volatile Runnable onSplit = () -> {};
  public volatile boolean alwaysBusy;

  /** Whether only a wake-up ends {@link #await}, so that a lost one is not made good by time. */
  public volatile boolean deafToTime;

  public volatile String awaitedText = "";
  public volatile Availability availability = Availability.yes();
  public volatile @Nullable CommException aborted;

  private final ConcurrentLinkedQueue<Runnable> events = new ConcurrentLinkedQueue<>();
  private final Semaphore signal = new Semaphore(0);
  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();
  // Used under the group's lock only.
  private final ArrayDeque<OpContext> queue = new ArrayDeque<>();

  /** Lets the operation at the head end well, and wakes whoever waits. */
  public void completeNext() {
    completeNextSilently();
    signal.release();
  }

  /** Lets the operation at the head end well in the next advance, without waking anybody. */
  public void completeNextSilently() {
    events.add(() -> queue.remove().complete());
  }

  /** Lets the operation at the head fail. */
  public void failNext(CommException cause) {
    events.add(() -> queue.remove().fail(cause));
    signal.release();
  }

  /** Runs something in the next advance. */
  public void next(Runnable event) {
    events.add(event);
    signal.release();
  }

  /** Returns whether a thread is blocked in {@link #await}. */
  public boolean isAwaited() {
    return waiting.get() > 0;
  }

  private void failAll(CommException cause) {
    for (OpContext context; (context = queue.poll()) != null; ) {
      context.fail(cause);
    }
  }

  private void locked(Runnable body) {
    if (inside.incrementAndGet() != 1) {
      throw new AssertionError("two threads are in the backend at once");
    }
    try {
      body.run();
    } finally {
      inside.decrementAndGet();
    }
  }

  @Override
  public Availability supports(Operation operation) {
    return availability;
  }

  @Override
  public Cost cost(Operation operation) {
    return new Cost(Duration.ZERO, 1);
  }

  @Override
  public void enqueue(Operation operation, OpContext context) {
    locked(
        () -> {
          queue.add(context);
          onEnqueue.accept(context);
        });
  }

  @Override
  public boolean advance() {
    advances.incrementAndGet();
    drivers.add(Thread.currentThread());
    boolean[] progressed = {alwaysBusy};
    locked(
        () -> {
          onAdvance.run();
          Runnable event = events.poll();
          if (event != null) {
            event.run();
            progressed[0] = true;
          }
        });
    return progressed[0];
  }

  @Override
  public void await(long nanos) {
    awaits.incrementAndGet();
    onAwait.run();
    waiting.incrementAndGet();
    try {
      if (signal.tryAcquire(
          deafToTime ? TimeUnit.SECONDS.toNanos(50) : nanos, TimeUnit.NANOSECONDS)) {
        signal.drainPermits();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      waiting.decrementAndGet();
    }
  }

  @Override
  public void wakeup() {
    signal.release();
  }

  @Override
  public String awaited() {
    return awaitedText;
  }

  @Override
  public @Nullable Communicator split(BackendProvider.@Nullable Context child, int color, int key) {
    onSplit.run();
    return child == null ? null : new FakeCommunicator();
  }

  @Override
  public SlotPool.Usage memory() {
    return new SlotPool.Usage(1, 2, 0, 0, 0);
  }

  @Override
  public void abort(CommException cause) {
    aborted = cause;
    onAbort.accept(cause);
  }

  @Override
  public void close(Duration timeout) {
    closes.incrementAndGet();
    onClose.run();
  }
}
