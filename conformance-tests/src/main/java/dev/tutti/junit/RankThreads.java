package dev.tutti.junit;

import dev.tutti.comm.internal.RankThread;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The threads of one run: one that runs the ranks, and whatever they start. */
final class RankThreads {
  /** As every thread of Tutti's own is named; one of a group lives until the group is closed. */
  private static final String OWN = "tutti-";

  private static final Duration POLL = Duration.ofMillis(5);

  // Threads are born into the group of the thread that starts them.
  private final ThreadGroup members = new ThreadGroup("ranks");
  private final Thread runner;

  private RankThreads(Runnable run) {
    runner = Thread.ofPlatform().group(members).name("ranks").unstarted(run);
  }

  static RankThreads start(Runnable run) {
    RankThreads threads = new RankThreads(run);
    threads.runner.start();
    return threads;
  }

  /** Returns each rank's stack, a frame a line, by the rank's number; of those that still run. */
  Map<Integer, String> stacks() {
    Map<Integer, String> stacks = new TreeMap<>();
    Thread.getAllStackTraces()
        .forEach(
            (thread, stack) -> {
              if (isRank(thread)) {
                stacks.put(((RankThread) thread).rank(), text(stack));
              }
            });
    return stacks;
  }

  /** A rank may run ranks of its own, and start threads of any name: those are none. */
  private boolean isRank(Thread thread) {
    return thread instanceof RankThread rank && rank.runner() == runner;
  }

  /** Down to the test method: what calls it is the same in every test. */
  private static String text(StackTraceElement[] stack) {
    int end = 0;
    while (end < stack.length && !stack[end].getClassName().startsWith("org.junit.platform.")) {
      end++;
    }
    while (end > 0 && stack[end - 1].getClassName().matches("(java\\.lang|jdk\\.internal)\\..*")) {
      end--;
    }
    StringBuilder text = new StringBuilder();
    for (StackTraceElement frame : Arrays.copyOf(stack, end)) {
      text.append("\n    at ").append(frame);
    }
    return text.toString();
  }

  /** Aborts the groups of all ranks, then interrupts those that are still there. */
  void interrupt() {
    // It is LocalRanks, which does so when interrupted.
    runner.interrupt();
  }

  /** Waits for all ranks to end; returns whether they did. */
  boolean awaitEnd(Duration limit) {
    return awaitNone(thread -> thread == runner || isRank(thread), limit).isEmpty();
  }

  /** Returns the names of Tutti's own threads that do not end within a time. */
  List<String> left(Duration limit) {
    return awaitNone(thread -> thread.getName().startsWith(OWN), limit);
  }

  /** An interrupt ends the waiting too, and is kept. */
  private List<String> awaitNone(Predicate<Thread> of, Duration limit) {
    long start = System.nanoTime();
    while (true) {
      List<String> alive = members().filter(of).map(Thread::getName).sorted().toList();
      if (alive.isEmpty() || System.nanoTime() - start >= limit.toNanos()) {
        return alive;
      }
      try {
        Thread.sleep(POLL);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return alive;
      }
    }
  }

  private Stream<Thread> members() {
    Thread[] found = new Thread[members.activeCount() + 16];
    return Stream.of(found).limit(members.enumerate(found)).filter(Objects::nonNull);
  }
}
