package dev.tutti.comm.internal;

import dev.tutti.comm.spi.Communicator;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Decides which thread makes a group's progress: whoever waits does.
 *
 * <p>A platform thread in {@link #await} calls {@link Communicator#advance} itself under the
 * group's lock; when there is nothing to do it yields some times and then blocks. Of several that
 * block one is the <i>leader</i>, which blocks in {@link Communicator#await} without the lock; the
 * others park until it leaves. The <i>helper</i>, one background thread, drives while operations
 * are pending and nobody waits: after ten milliseconds, or at once for a virtual thread or a
 * future. A hand-off between threads costs more than a small collective, so issuing wakes nobody,
 * but a helper that has gone to sleep in an idle group.
 */
@SuppressWarnings("ThreadPriorityCheck") // it yields to other ranks on the same cores, as measured
final class Driver {
  private static final System.Logger LOG = System.getLogger(Driver.class.getName());

  /**
   * How often a waiting thread gives way before it blocks: measured best at two and at four ranks
   * on two cores.
   */
  private static final int YIELDS = 100;

  private static final long HELPER_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final int HELPER_ROUNDS_BEFORE_SLEEP = 10;
  private static final Duration STOP = Duration.ofSeconds(1);
  private static final long STOP_POLL_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

  /** The longest block: a bound on what any lost wake-up could cost. */
  private static final long LONGEST_BLOCK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final ReentrantLock lock = new ReentrantLock();
  private final GroupCore group;
  private final Executor executor;
  private final Thread helper;
  private final AtomicReference<@Nullable Thread> leader = new AtomicReference<>();
  private final ConcurrentLinkedQueue<Thread> followers = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Runnable> notifications = new ConcurrentLinkedQueue<>();
  private final AtomicInteger drivers = new AtomicInteger();
  private final AtomicInteger background = new AtomicInteger();
  private volatile boolean helperAsleep;
  private volatile boolean stopped;
  private volatile long lastDriven = System.nanoTime();

  Driver(GroupCore group, String name, Executor executor) {
    this.group = group;
    this.executor = executor;
    this.helper = Thread.ofPlatform().daemon().name("tutti-" + name).unstarted(this::help);
  }

  void start() {
    helper.start();
  }

  /**
   * Stops the helper, and waits a moment for it and for any thread that has yet to leave.
   * Everything has ended.
   */
  void stop() {
    stopped = true;
    Deadline deadline = Deadline.after(STOP);
    boolean fromHelper = Thread.currentThread() == helper;
    while (((helper.isAlive() && !fromHelper) || drivers.get() > 0) && !deadline.expired()) {
      group.top().wakeup();
      LockSupport.unpark(helper);
      wakeFollowers();
      LockSupport.parkNanos(this, STOP_POLL_NANOS);
    }
  }

  void lock() {
    lock.lock();
  }

  boolean holdsLock() {
    return lock.isHeldByCurrentThread();
  }

  /** Unlocks, then hands over what must not run under the lock. */
  void unlock() {
    lock.unlock();
    flush();
  }

  /** Runs something on the group's executor once the lock is free. */
  void afterUnlock(Runnable notification) {
    notifications.add(notification);
    if (!lock.isHeldByCurrentThread()) {
      flush();
    }
  }

  private void flush() {
    if (lock.isHeldByCurrentThread()) {
      return;
    }
    for (Runnable next; (next = notifications.poll()) != null; ) {
      try {
        executor.execute(next);
      } catch (RuntimeException | Error e) {
        // Whoever drives must not suffer for it, and whoever waits must not wait for ever.
        LOG.log(System.Logger.Level.WARNING, "the group's executor refused a completion", e);
        Thread.ofVirtual().name("tutti-completion").start(next);
      }
    }
  }

  /** Called under the lock when an operation was issued. */
  void issued() {
    if (helperAsleep) {
      LockSupport.unpark(helper);
    }
  }

  /**
   * Called under the lock when an operation has ended, perhaps the very one that the leader blocks
   * for.
   */
  void ended() {
    wakeFollowers();
    Thread blocked = leader.get();
    if (blocked != null && blocked != Thread.currentThread()) {
      group.top().wakeup();
    }
  }

  /** Notes that somebody wants progress without making any (true), or no longer does (false). */
  void backgroundWanted(boolean wanted) {
    if (wanted) {
      background.incrementAndGet();
      LockSupport.unpark(helper);
    } else {
      background.decrementAndGet();
    }
  }

  /** Makes some progress if nobody else is at it. */
  void poll() {
    tryAdvance();
  }

  /** What came of an attempt to make progress. */
  private enum Attempt {
    /** Something was done. */
    PROGRESSED,
    /** There was nothing to do. */
    IDLE,
    /**
     * Another thread is at it. It may have looked before the last event came, which a blocked
     * thread was woken for and will not be woken for again: who was refused must not block before
     * it has looked for itself.
     */
    REFUSED
  }

  private Attempt tryAdvance() {
    if (!lock.tryLock()) {
      return Attempt.REFUSED;
    }
    try {
      return group.advance() ? Attempt.PROGRESSED : Attempt.IDLE;
    } finally {
      unlock();
    }
  }

  /** Waits for one operation; null waits as long as it takes. Returns whether it has ended. */
  boolean await(PendingWork work, @Nullable Duration timeout) {
    if (work.ended()) {
      return true;
    }
    Deadline deadline = timeout == null ? null : Deadline.after(timeout);
    return Thread.currentThread().isVirtual()
        ? parkUntilEnded(work, deadline)
        : driveUntilEnded(work, deadline);
  }

  private boolean driveUntilEnded(PendingWork work, @Nullable Deadline deadline) {
    Thread me = Thread.currentThread();
    drivers.incrementAndGet();
    try {
      int misses = 0;
      while (true) {
        Attempt attempt = tryAdvance();
        if (work.ended()) {
          return true;
        }
        checkInterrupt(work);
        if (deadline != null && deadline.expired()) {
          return false;
        }
        if (attempt == Attempt.PROGRESSED) {
          misses = 0;
        } else if (attempt == Attempt.REFUSED || ++misses <= YIELDS) {
          Thread.yield();
        } else {
          block(work, me, deadline);
        }
      }
    } finally {
      lastDriven = System.nanoTime();
      drivers.decrementAndGet();
      if (leader.compareAndSet(me, null)) {
        wakeFollowers();
      }
      if (background.get() > 0) {
        LockSupport.unpark(helper);
      }
    }
  }

  /** Blocks once. Who becomes leader stays it until it leaves {@link #await}. */
  private void block(PendingWork work, Thread me, @Nullable Deadline deadline) {
    long nanos =
        deadline == null
            ? LONGEST_BLOCK_NANOS
            : Math.min(LONGEST_BLOCK_NANOS, deadline.remainingNanos());
    if (leader.get() == me || leader.compareAndSet(null, me)) {
      group.await(nanos);
    } else if (leader.get() == helper) {
      group.top().wakeup();
      Thread.yield();
    } else {
      followers.add(me);
      try {
        if (!work.ended() && leader.get() != null) {
          LockSupport.parkNanos(this, nanos);
        }
      } finally {
        followers.remove(me);
      }
    }
  }

  private boolean parkUntilEnded(PendingWork work, @Nullable Deadline deadline) {
    Thread me = Thread.currentThread();
    followers.add(me);
    backgroundWanted(true);
    try {
      while (!work.ended()) {
        checkInterrupt(work);
        if (deadline != null && deadline.expired()) {
          return false;
        }
        LockSupport.parkNanos(
            this,
            deadline == null
                ? LONGEST_BLOCK_NANOS
                : Math.min(LONGEST_BLOCK_NANOS, deadline.remainingNanos()));
      }
      return true;
    } finally {
      backgroundWanted(false);
      followers.remove(me);
    }
  }

  private static void checkInterrupt(PendingWork work) {
    if (Thread.currentThread().isInterrupted()) {
      throw new CancellationException(
          "interrupted while waiting for "
              + work
              + "; the operation goes on, and may be joined again");
    }
  }

  /**
   * Lets one of the parked threads become leader; all are woken, since any of them may be a virtual
   * one, which never leads.
   */
  private void wakeFollowers() {
    for (Thread follower : followers) {
      LockSupport.unpark(follower);
    }
  }

  /** The helper's life. */
  private void help() {
    int idleRounds = 0;
    while (!stopped) {
      if (group.pending() == 0) {
        if (++idleRounds < HELPER_ROUNDS_BEFORE_SLEEP) {
          LockSupport.parkNanos(this, HELPER_DELAY_NANOS);
          continue;
        }
        helperAsleep = true;
        if (group.pending() == 0 && !stopped) {
          LockSupport.park(this);
        }
        helperAsleep = false;
        idleRounds = 0;
        continue;
      }
      idleRounds = 0;
      boolean wanted = background.get() > 0 || System.nanoTime() - lastDriven >= HELPER_DELAY_NANOS;
      if (drivers.get() > 0 || !wanted) {
        LockSupport.parkNanos(this, HELPER_DELAY_NANOS);
      } else {
        switch (tryAdvance()) {
          case PROGRESSED -> {}
          case IDLE -> helperBlock();
          case REFUSED -> Thread.yield();
        }
      }
    }
  }

  private void helperBlock() {
    if (!leader.compareAndSet(null, helper)) {
      LockSupport.parkNanos(this, HELPER_DELAY_NANOS);
      return;
    }
    try {
      if (drivers.get() == 0 && group.pending() > 0 && !stopped) {
        group.await(LONGEST_BLOCK_NANOS);
      }
    } finally {
      leader.set(null);
      wakeFollowers();
    }
  }
}
