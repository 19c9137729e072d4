package dev.tutti.comm.internal;

import dev.tutti.comm.Store;
import dev.tutti.comm.internal.control.Control;
import dev.tutti.comm.internal.rendezvous.Membership;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What all groups of one rank share: its place in the job. Left when the last of the groups is
 * closed.
 */
final class Job {
  private final Membership membership;
  private final Duration timeout;
  private final Executor executor;
  private final AtomicInteger groups = new AtomicInteger();

  Job(Membership membership, Duration timeout, Executor executor) {
    this.membership = membership;
    this.timeout = timeout;
    this.executor = executor;
  }

  Membership membership() {
    return membership;
  }

  Store store() {
    return membership.store();
  }

  Control control() {
    return membership.control();
  }

  Duration timeout() {
    return timeout;
  }

  Executor executor() {
    return executor;
  }

  void retain() {
    groups.incrementAndGet();
  }

  void release() {
    if (groups.decrementAndGet() == 0) {
      membership.close();
    }
  }
}
