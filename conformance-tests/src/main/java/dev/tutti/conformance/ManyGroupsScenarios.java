package dev.tutti.conformance;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** More groups than anybody has cores, at once and one after the other. */
final class ManyGroupsScenarios {
  private static final int GROUPS = 64;
  private static final int THREADS = 16;
  private static final int CYCLES = 200;

  private ManyGroupsScenarios() {}

  /**
   * Sixty-four groups of different members in different orders; sixteen threads a rank, four groups
   * each, which ranks join in opposite orders.
   */
  @Rule({"O6", "O7"})
  @Needs(ranks = 4)
  static void manyGroupsMayBeUsedAtOnce(Stage stage) throws InterruptedException {
    List<ProcessGroup> groups = new ArrayList<>();
    ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    try {
      for (int i = 0; i < GROUPS; i++) {
        groups.add(member(stage, i));
      }
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        List<ProcessGroup> mine = new ArrayList<>();
        for (int i = t; i < GROUPS; i += THREADS) {
          mine.add(groups.get(i));
        }
        List<ProcessGroup> order = stage.rank() % 2 == 0 ? mine : mine.reversed();
        Runnable part = () -> use(order, failures);
        threads.add(t % 2 == 0 ? Thread.ofPlatform().start(part) : Thread.ofVirtual().start(part));
      }
      for (Thread thread : threads) {
        thread.join();
      }
    } finally {
      groups.forEach(ProcessGroup::close);
    }
    Throwable first = failures.peek();
    if (first != null) {
      throw new AssertionError(
          "%d threads failed; one: %s".formatted(failures.size(), first), first);
    }
    Stage.checkUsable(stage.group());
  }

  /** Returns a group of all, in order or reversed, of every other rank, or of neighbours. */
  private static ProcessGroup member(Stage stage, int number) {
    int color =
        switch (number % 4) {
          case 2 -> stage.rank() % 2;
          case 3 -> stage.rank() / 2;
          default -> 0;
        };
    int key = number % 4 == 1 ? -stage.rank() : stage.rank();
    return stage.group().split(color, key).orElseThrow();
  }

  private static void use(List<ProcessGroup> groups, ConcurrentLinkedQueue<Throwable> failures) {
    try {
      for (int round = 0; round < 4; round++) {
        List<Work> works = new ArrayList<>();
        List<CommBuffer> buffers = new ArrayList<>();
        for (ProcessGroup group : groups) {
          CommBuffer buffer = Stage.filled(round % 2 == 0 ? 20 : 20_000, group.rank() + 1);
          buffers.add(buffer);
          works.add(group.allReduce(buffer, ReduceOp.SUM));
        }
        works.forEach(Work::join);
        for (int i = 0; i < groups.size(); i++) {
          int size = groups.get(i).size();
          Stage.checkFilled(buffers.get(i), size * (size + 1) / 2f, "one of many groups");
        }
      }
    } catch (Throwable e) {
      failures.add(e);
    }
  }

  /** Two hundred groups, one after the other: no thread, socket or buffer of any is left. */
  @Rule("F9")
  @Needs
  static void groupsComeAndGoWithoutTrace(Stage stage) {
    for (int i = 0; i < CYCLES; i++) {
      try (ProcessGroup group = stage.group().split(0, -stage.rank()).orElseThrow()) {
        Stage.checkUsable(group);
      }
    }
    Stage.checkUsable(stage.group());
    stage.group().close();
    List<String> left = stage.before().awaitNone(Duration.ofSeconds(5));
    Stage.check(left.isEmpty(), "after %d groups there are: %s", CYCLES, left);
  }
}
