package dev.tutti.conformance;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Several groups beside each other, and how they are made. */
final class GroupScenarios {
  private GroupScenarios() {}

  private static ProcessGroup copy(Stage stage) {
    return stage.group().split(0, stage.rank()).orElseThrow();
  }

  /** Large operations, so that none fits into what a backend buffers. */
  @Rule("O6")
  @Needs
  static void groupsMayBeJoinedInOppositeOrders(Stage stage) {
    try (ProcessGroup a = copy(stage);
        ProcessGroup b = copy(stage)) {
      boolean even = stage.rank() % 2 == 0;
      for (int round = 0; round < 4; round++) {
        CommBuffer first = Stage.filled(600_000, 1);
        CommBuffer second = Stage.filled(600_000, 2);
        Work ofA;
        Work ofB;
        if (even) {
          ofA = a.allReduce(first, ReduceOp.SUM);
          if (round % 2 == 1) {
            // The other ranks have not even issued it when this one insists.
            ofA.join();
          }
          ofB = b.allReduce(second, ReduceOp.SUM);
          ofA.join();
          ofB.join();
        } else {
          ofB = b.allReduce(second, ReduceOp.SUM);
          ofA = a.allReduce(first, ReduceOp.SUM);
          ofB.join();
          ofA.join();
        }
        Stage.checkFilled(first, stage.size(), "the first group's allReduce");
        Stage.checkFilled(second, 2 * stage.size(), "the second group's allReduce");
      }
    }
  }

  /** Two threads a rank, a group each. */
  @Rule("O6")
  @Needs
  static void groupsMayBeUsedByDifferentThreads(Stage stage) throws InterruptedException {
    try (ProcessGroup a = copy(stage);
        ProcessGroup b = copy(stage)) {
      AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
      Thread other =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      manyReductions(b, 3);
                    } catch (Throwable e) {
                      failure.set(e);
                    }
                  });
      manyReductions(a, 5);
      other.join();
      Throwable thrown = failure.get();
      if (thrown != null) {
        throw new AssertionError("the second thread failed: " + thrown, thrown);
      }
    }
  }

  private static void manyReductions(ProcessGroup group, float value) {
    for (int i = 0; i < 100; i++) {
      CommBuffer buffer = Stage.filled(i % 10 == 0 ? 50_000 : 10, value);
      group.allReduce(buffer, ReduceOp.SUM).join();
      Stage.checkFilled(buffer, value * group.size(), "allReduce " + i);
    }
  }

  /** The largest rank becomes the first one; cases run on the subgroups as on any group. */
  @Rule({"O7", "R1", "R2"})
  @Needs(ranks = 5)
  static void splitNumbersRanksAnew(Stage stage) {
    int color = stage.rank() % 2;
    try (ProcessGroup half = stage.group().split(color, -stage.rank()).orElseThrow()) {
      int size = (stage.size() + 1 - color) / 2;
      Stage.check(half.size() == size, "a half holds %d ranks instead of %d", half.size(), size);
      int expected = size - 1 - stage.rank() / 2;
      Stage.check(half.rank() == expected, "rank %d instead of %d", half.rank(), expected);
      for (Trial trial : Stage.trials(half, 200)) {
        trial.issue();
        Stage.check(trial.join(Duration.ofSeconds(20)), "an operation did not end in 20 s");
        trial.check("in a subgroup");
      }
    }
    Stage.checkUsable(stage.group());
  }

  /** Equal keys keep the order that ranks have. */
  @Rule("O7")
  @Needs
  static void splitKeepsTheOrderOfEqualKeys(Stage stage) {
    try (ProcessGroup same = stage.group().split(3, 0).orElseThrow()) {
      Stage.check(same.rank() == stage.rank(), "rank %d became %d", stage.rank(), same.rank());
      Stage.checkUsable(same);
    }
  }

  /** Who is no member calls split, but nothing after it. */
  @Rule("O7")
  @Needs
  static void negativeColorsMakeNoMembers(Stage stage) {
    Optional<ProcessGroup> most = stage.group().split(stage.rank() == 0 ? -1 : 0, 0);
    Stage.check(most.isPresent() == (stage.rank() != 0), "membership is %s", most.isPresent());
    most.ifPresent(
        group -> {
          Stage.checkUsable(group);
          group.close();
        });
    Optional<ProcessGroup> nobody = stage.group().split(-1, 0);
    Stage.check(nobody.isEmpty(), "a group of nobody has a member");
    Stage.checkUsable(stage.group());
  }

  /** A split waits for what was issued before. */
  @Rule({"O7", "O2"})
  @Needs
  static void splitTakesItsPlaceInTheQueue(Stage stage) {
    CommBuffer before = Stage.filled(300_000, 1);
    Work work = stage.group().allReduce(before, ReduceOp.SUM);
    try (ProcessGroup group = copy(stage)) {
      Stage.checkUsable(group);
      work.join();
      Stage.checkFilled(before, stage.size(), "the allReduce before the split");
    }
  }

  /** Groups of groups, with sizes down to one. */
  @Rule({"O7", "M10"})
  @Needs(ranks = 5)
  static void subgroupsMayBeSplitAgain(Stage stage) {
    List<ProcessGroup> groups = new ArrayList<>();
    ProcessGroup current = stage.group();
    while (current.size() > 1) {
      current = current.split(current.rank() * 2 / current.size(), 0).orElseThrow();
      groups.add(current);
      Stage.checkUsable(current);
    }
    groups.forEach(Stage::checkUsable);
    groups.reversed().forEach(ProcessGroup::close);
    Stage.checkUsable(stage.group());
  }

  /** Closing a group ends this one only. */
  @Rule("O8")
  @Needs
  static void subgroupsOutliveTheirParent(Stage stage) {
    ProcessGroup parent = copy(stage);
    try (ProcessGroup child = parent.split(0, 0).orElseThrow()) {
      parent.close();
      stage.group().close();
      Stage.checkUsable(child);
    }
  }

  /** A subgroup's end by failure is its own. */
  @Rule({"O8", "F2"})
  @Needs
  static void abortedSubgroupsLeaveTheirParentUsable(Stage stage) {
    try (ProcessGroup child = copy(stage)) {
      Stage.checkUsable(child);
      // Or a rank could still be at that when another one aborts.
      stage.group().barrier().join();
      child.abort();
      Stage.failure(() -> child.barrier().join());
      Stage.checkUsable(stage.group());
    }
    Stage.checkUsable(stage.group());
  }
}
