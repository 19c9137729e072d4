package dev.tutti.conformance;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What the others see when one rank is gone or has had enough. */
final class FailureScenarios {
  /** The contract says one second; a machine that also starts other processes is given two. */
  private static final Duration NAMED_WITHIN = Duration.ofSeconds(2);

  private FailureScenarios() {}

  /** In the middle of an operation. */
  @Rule({"F4", "F2", "F11"})
  @Needs(victim = 1)
  static void aKilledRankIsNamed(Stage stage) throws Exception {
    killed(stage, 1, 1_000_000);
  }

  /** The rank with which the job often stands and falls. */
  @Rule("F4")
  @Needs(victim = 0)
  static void aKilledFirstRankIsNamed(Stage stage) throws Exception {
    killed(stage, 0, 10);
  }

  /**
   * Meets twice, so that the victim is sure that everybody has left the first meeting; the others
   * may learn of its death in the second one.
   */
  private static void meetAndDie(Stage stage, ProcessGroup group, int victim) {
    group.barrier().join();
    if (stage.rank() == victim) {
      group.barrier().join();
      stage.die();
    }
  }

  private static void killed(Stage stage, int victim, long count) throws Exception {
    ProcessGroup group = stage.group();
    meetAndDie(stage, group, victim);
    CommBuffer buffer = Stage.filled(count, 1);
    Stage.within(
        NAMED_WITHIN,
        "news of the death",
        () -> {
          PeerFailedException e =
              Stage.thrown(
                  PeerFailedException.class,
                  () -> {
                    group.barrier().join();
                    group.allReduce(buffer, ReduceOp.SUM).join();
                  });
          Stage.check(e.rank() == victim, "rank %d is named: %s", e.rank(), e.getMessage());
          Stage.check(
              e.getMessage().contains("rank " + victim), "not named in: %s", e.getMessage());
        });
    PeerFailedException later =
        Stage.thrown(PeerFailedException.class, () -> group.barrier().join());
    Stage.check(later.rank() == victim, "later, rank %d is named", later.rank());
  }

  /** Between two operations: the next call tells. */
  @Rule("F4")
  @Needs(victim = 2)
  static void aKilledRankIsNamedAtTheNextCall(Stage stage) {
    ProcessGroup group = stage.group();
    meetAndDie(stage, group, 2);
    CommBuffer one = CommBuffer.of(new float[1]);
    PeerFailedException[] seen = new PeerFailedException[1];
    Work meeting = group.barrier();
    // Between these two alone nothing fails, until the news comes.
    Stage.await(
        NAMED_WITHIN,
        "news of the death",
        () -> {
          try {
            meeting.join();
            int peer = 1 - stage.rank();
            group.sendRecv(one, peer, CommBuffer.of(new float[1]), peer).join();
            return false;
          } catch (PeerFailedException e) {
            seen[0] = e;
            return true;
          }
        });
    Stage.check(seen[0].rank() == 2, "rank %d is named: %s", seen[0].rank(), seen[0]);
  }

  /** Also in a group that the dead rank was in under another number. */
  @Rule({"F4", "O7"})
  @Needs(victim = 2)
  static void aKilledRankIsNamedByItsNumberInTheGroup(Stage stage) throws Exception {
    ProcessGroup reversed = stage.group().split(0, -stage.rank()).orElseThrow();
    meetAndDie(stage, reversed, 2);
    Stage.within(
        NAMED_WITHIN,
        "news of the death",
        () -> {
          PeerFailedException e =
              Stage.thrown(
                  PeerFailedException.class,
                  () -> {
                    reversed.barrier().join();
                    reversed.barrier().join();
                  });
          Stage.check(e.rank() == 0, "rank %d is named: %s", e.rank(), e.getMessage());
        });
    reversed.close();
  }

  /**
   * Uses the group, and meets in another one, so that nobody is at that use any more.
   *
   * @return the other group
   */
  private static ProcessGroup usedBefore(Stage stage) {
    ProcessGroup aside = stage.group().split(0, 0).orElseThrow();
    Stage.checkUsable(stage.group());
    aside.barrier().join();
    return aside;
  }

  /** One has had enough: all are told, soon. */
  @Rule({"F7", "F2"})
  @Needs
  static void anAbortEndsAllRanks(Stage stage) throws Exception {
    ProcessGroup group = stage.group();
    CommBuffer buffer = Stage.filled(1000, 1);
    try (ProcessGroup aside = usedBefore(stage)) {
      if (stage.rank() == 1) {
        Stage.pause(Duration.ofMillis(50));
        Stage.within(Duration.ofSeconds(1), "abort", group::abort);
        group.abort();
        Stage.thrown(CommAbortedException.class, () -> group.allReduce(buffer, ReduceOp.SUM));
      } else {
        Stage.within(
            Duration.ofSeconds(2),
            "news of the abort",
            () -> {
              CommAbortedException e =
                  Stage.thrown(
                      CommAbortedException.class,
                      () -> group.allReduce(buffer, ReduceOp.SUM).join());
              Stage.check(
                  e.getMessage().contains("rank 1"), "rank 1 is not named: %s", e.getMessage());
            });
      }
      Stage.checkUsable(aside);
    }
  }

  /** A second thread aborts what the first one waits for. */
  @Rule({"F7", "O9"})
  @Needs
  static void anAbortMayComeFromAnyThread(Stage stage) throws Exception {
    ProcessGroup group = stage.group();
    try (ProcessGroup aside = usedBefore(stage)) {
      if (stage.rank() == 0) {
        Thread other =
            Thread.ofPlatform()
                .start(
                    () -> {
                      Stage.pause(Duration.ofMillis(50));
                      group.abort();
                    });
        Stage.within(
            Duration.ofSeconds(2),
            "the end of the wait",
            () -> Stage.thrown(CommAbortedException.class, () -> group.barrier().join()));
        other.join();
      } else if (stage.rank() == 1) {
        Stage.thrown(CommAbortedException.class, () -> group.barrier().join());
      }
      // The last rank never calls, so that the others wait.
      Stage.checkUsable(aside);
    }
  }

  /** Everything that was in the queue fails, and everything that comes later. */
  @Rule("F2")
  @Needs
  static void callsAfterAFailureTellTheFirstCause(Stage stage) {
    ProcessGroup group = stage.group();
    List<Work> works = new ArrayList<>();
    if (stage.rank() == 0) {
      group.abort();
    } else {
      try {
        for (int i = 0; i < 5; i++) {
          works.add(group.barrier());
        }
      } catch (CommAbortedException e) {
        // The news was quicker than this rank.
      }
    }
    for (Work work : works) {
      Stage.thrown(CommAbortedException.class, work::join);
      Stage.check(work.isDone(), "a failed operation is not done");
      Stage.thrown(CommAbortedException.class, work::join);
    }
    for (int i = 0; i < 3; i++) {
      CommAbortedException e =
          Stage.thrown(CommAbortedException.class, () -> group.barrier().join());
      Stage.check(e.getMessage().contains("aborted"), "no cause in: %s", e.getMessage());
    }
    Stage.thrown(CommAbortedException.class, () -> group.split(0, 0));
  }
}
