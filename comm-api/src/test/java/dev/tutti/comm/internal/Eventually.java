package dev.tutti.comm.internal;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** Waits for what is to come true. */
public final class Eventually {
  private Eventually() {}

  /** Waits until something is true, at most ten seconds. */
  public static void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("did not come true within 10 s: " + what);
      }
      LockSupport.parkNanos(200_000);
    }
  }

  /** Returns the threads of groups that are alive now. */
  public static Set<Thread> groupThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("tutti-"))
        .collect(Collectors.toCollection(HashSet::new));
  }

  /** Waits until no thread of a group is alive but those that were before. */
  public static void noThreadLeft(Set<Thread> before) {
    Set<Thread> left = groupThreads();
    try {
      until(
          "no thread is left",
          () -> {
            left.clear();
            left.addAll(groupThreads());
            left.removeAll(before);
            return left.isEmpty();
          });
    } catch (AssertionError e) {
      throw new AssertionError("threads are left: " + left, e);
    }
  }
}
