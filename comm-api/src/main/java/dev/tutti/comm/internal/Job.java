package dev.tutti.comm.internal;

import dev.tutti.comm.Store;
import dev.tutti.comm.internal.control.Control;
import dev.tutti.comm.internal.rendezvous.Membership;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * What all groups of one rank share: its place in the job. Left when the last of the groups is
 * closed.
 */
final class Job {
  private final Membership membership;
  private final Duration timeout;
  private final Executor executor;
  // Guarded by this; in the order in which they were made.
  private final Set<GroupCore> open = new LinkedHashSet<>();

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

  synchronized void retain(GroupCore group) {
    open.add(group);
  }

  void release(GroupCore group) {
    boolean last;
    synchronized (this) {
      open.remove(group);
      last = open.isEmpty();
    }
    if (last) {
      membership.close();
    }
  }

  /** Aborts all groups of this rank that are open. */
  void abort() {
    open().forEach(GroupCore::abort);
  }

  /** Aborts and closes all groups of this rank that are open. */
  void end() {
    abort();
    open().forEach(GroupCore::close);
  }

  private synchronized List<GroupCore> open() {
    return List.copyOf(open);
  }
}
