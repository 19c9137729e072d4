package dev.tutti.mpi;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * How a rank waits that has yielded for a while already: MPI has nothing to block on, so it looks
 * again and again, after longer and longer naps. Who waits long is late anyway, and leaves its core
 * to the others.
 */
final class Naps {
  private static final long FIRST_NANOS = TimeUnit.MICROSECONDS.toNanos(10);
  private static final int MOST_DOUBLINGS = 7;

  private final AtomicBoolean woken = new AtomicBoolean();
  private volatile @Nullable Thread sleeper;
  private volatile int doublings;

  /** Notes that it was worth looking. */
  void progressed() {
    doublings = 0;
  }

  /** Sleeps, but no longer than a time, nor after a {@link #wakeup}. One thread at a time. */
  void await(long nanos) {
    int times = doublings;
    doublings = Math.min(times + 1, MOST_DOUBLINGS);
    sleeper = Thread.currentThread();
    if (!woken.get()) {
      LockSupport.parkNanos(this, Math.min(nanos, FIRST_NANOS << times));
    }
    sleeper = null;
    woken.set(false);
  }

  /** Ends a nap, or the next one. Any thread. */
  void wakeup() {
    woken.set(true);
    Thread thread = sleeper;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }
}
