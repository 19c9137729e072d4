package dev.tutti.conformance;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;

/** Waiting, and how long. */
final class WaitingScenarios {
  private WaitingScenarios() {}

  /** A rank that does not call: the others do not wait longer than they said. */
  @Rule({"F3", "F5", "F11"})
  @Needs(timeout = "3s")
  static void aStalledRankIsTimedOut(Stage stage) throws Exception {
    Stage.checkUsable(stage.group());
    CommBuffer buffer = Stage.filled(1000, 1);
    if (stage.rank() == 0) {
      // Late, but alive.
      Stage.pause(Duration.ofMillis(4500));
      CommException late =
          Stage.failure(() -> stage.group().allReduce(buffer, ReduceOp.SUM).join());
      checkTimeoutOrPeer(late);
      return;
    }
    Stage.within(
        Duration.ofMillis(4400),
        "the end of the wait",
        () -> {
          CommException e =
              Stage.failure(() -> stage.group().allReduce(buffer, ReduceOp.SUM).join());
          checkTimeoutOrPeer(e);
          String text = e.getMessage();
          for (String part : List.of("allReduce", "#", "rank ", "/3", "timeout=", "waits for ")) {
            Stage.check(text.contains(part), "\"%s\" is not in: %s", part, text);
          }
        });
  }

  private static void checkTimeoutOrPeer(CommException e) {
    Stage.check(
        e instanceof CommTimeoutException || e instanceof PeerFailedException,
        "%s instead of a timeout",
        e);
  }

  /** Three operations in the queue take longer than the timeout together, but none by itself. */
  @Rule("F3")
  @Needs(timeout = "3s")
  static void anOperationsTimeBeginsWhenItsPredecessorEnds(Stage stage) {
    List<Work> works = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      if (stage.rank() == 0) {
        Stage.pause(Duration.ofMillis(1200));
      }
      works.add(stage.group().barrier());
      if (stage.rank() == 0) {
        works.getLast().join();
      }
    }
    works.forEach(Work::join);
  }

  /** Giving up waiting is not giving up. */
  @Rule("F6")
  @Needs
  static void anExpiredJoinLeavesTheOperationRunning(Stage stage) {
    try (ProcessGroup aside = stage.group().split(0, 0).orElseThrow()) {
      CommBuffer buffer = Stage.filled(1000, 1);
      if (stage.rank() == 0) {
        // The others wait for this rank in the other group, so this cannot end.
        Work work = stage.group().allReduce(buffer, ReduceOp.SUM);
        Stage.check(!work.join(Duration.ZERO), "an operation ended that nobody else called");
        Stage.check(!work.join(Duration.ofMillis(1)), "an operation ended that nobody else called");
        Stage.check(
            !work.join(Duration.ofMillis(50)), "an operation ended that nobody else called");
        aside.barrier().join();
        Stage.check(work.join(Duration.ofSeconds(20)), "the operation did not end in 20 s");
      } else {
        aside.barrier().join();
        stage.group().allReduce(buffer, ReduceOp.SUM).join();
      }
      Stage.checkFilled(buffer, stage.size(), "allReduce");
    }
  }

  /** An interrupt ends the wait, and neither the operation nor the group. */
  @Rule("F6")
  @Needs
  static void anInterruptLeavesTheOperationRunning(Stage stage) {
    try (ProcessGroup aside = stage.group().split(0, 0).orElseThrow()) {
      CommBuffer buffer = Stage.filled(1000, 1);
      if (stage.rank() == 0) {
        Work work = stage.group().allReduce(buffer, ReduceOp.SUM);
        Thread.currentThread().interrupt();
        Stage.thrown(CancellationException.class, work::join);
        Stage.check(Thread.interrupted(), "the interrupt was swallowed");
        aside.barrier().join();
        work.join();
      } else {
        aside.barrier().join();
        stage.group().allReduce(buffer, ReduceOp.SUM).join();
      }
      Stage.checkFilled(buffer, stage.size(), "allReduce");
    }
  }

  /** Any thread, of any kind, may wait for any operation. */
  @Rule("O9")
  @Needs
  static void worksMayBeJoinedByManyThreads(Stage stage) throws InterruptedException {
    for (int round = 0; round < 20; round++) {
      Work first = stage.group().barrier();
      Work second = stage.group().barrier();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Work work = i % 2 == 0 ? second : first;
        threads.add(
            i < 2 ? Thread.ofPlatform().start(work::join) : Thread.ofVirtual().start(work::join));
      }
      second.join();
      for (Thread thread : threads) {
        Stage.check(thread.join(Duration.ofSeconds(20)), "a thread waits forever");
      }
      first.completion().join();
    }
  }

  /** Nobody waits, and the operation ends all the same. */
  @Rule("O9")
  @Needs
  static void operationsEndWithoutAnybodyWaiting(Stage stage) {
    for (int round = 0; round < 3; round++) {
      CommBuffer buffer = Stage.filled(200_000, 1);
      Work work = stage.group().allReduce(buffer, ReduceOp.SUM);
      boolean[] told = new boolean[1];
      var future =
          work.completion()
              .thenRun(
                  () -> {
                    synchronized (told) {
                      told[0] = true;
                    }
                  });
      Stage.await(Duration.ofSeconds(10), "the end of an allReduce", future::isDone);
      synchronized (told) {
        Stage.check(told[0], "the stage behind the completion did not run");
      }
      work.join();
      Stage.checkFilled(buffer, stage.size(), "allReduce");
    }
  }
}
