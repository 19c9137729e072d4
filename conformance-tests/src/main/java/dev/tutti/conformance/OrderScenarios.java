package dev.tutti.conformance;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** In what order things happen within one group. */
final class OrderScenarios {
  private OrderScenarios() {}

  /** Nobody leaves before the last one, who is late, has come. */
  @Rule("O5")
  @Needs
  static void aBarrierHoldsEveryRank(Stage stage) {
    for (int round = 0; round < 5; round++) {
      if (stage.rank() == round % stage.size()) {
        Stage.pause(Duration.ofMillis(20));
      }
      long called = System.currentTimeMillis();
      stage.group().barrier().join();
      long left = System.currentTimeMillis();
      long[] calls = new long[stage.size()];
      stage.group().allGather(CommBuffer.of(new long[] {called}), CommBuffer.of(calls)).join();
      for (int rank = 0; rank < calls.length; rank++) {
        Stage.check(
            left >= calls[rank],
            "barrier %d was left %d ms before rank %d called it",
            round,
            calls[rank] - left,
            rank);
      }
    }
  }

  /** All are issued before the first one is waited for, and waited for from the last one on. */
  @Rule({"O2", "M1"})
  @Needs
  static void worksMayBeJoinedInAnyOrder(Stage stage) {
    List<Trial> trials = Stage.trials(stage.group(), 150);
    trials.forEach(Trial::issue);
    for (Trial trial : trials.reversed()) {
      Stage.check(trial.join(Duration.ofSeconds(20)), "an operation did not end in 20 s");
    }
    for (Trial trial : trials) {
      trial.check("among many operations in flight");
    }
  }

  /** What was issued before is complete before. */
  @Rule("O2")
  @Needs
  static void aGroupIsFirstInFirstOut(Stage stage) {
    List<Work> works = new ArrayList<>();
    List<CommBuffer> buffers = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      // Large ones, which take long, before small ones, which could overtake.
      CommBuffer buffer = Stage.filled(i % 4 == 0 ? 200_000 : 3, 1);
      buffers.add(buffer);
      works.add(stage.group().allReduce(buffer, ReduceOp.SUM));
    }
    for (int i = works.size() - 1; i >= 0; i -= 7) {
      works.get(i).join();
      for (int before = 0; before < i; before++) {
        Stage.check(
            works.get(before).isDone(), "operation %d is complete before operation %d", i, before);
      }
    }
    buffers.forEach(buffer -> Stage.checkFilled(buffer, stage.size(), "allReduce"));
  }

  /** Messages of many sizes between two ranks, both ways, with a third rank's in between. */
  @Rule("O3")
  @Needs
  static void messagesMatchInOrder(Stage stage) {
    int last = stage.size() - 1;
    for (int i = 0; i < 60; i++) {
      long count = 1 + (long) i * i * (i % 5 == 0 ? 40 : 1);
      CommBuffer mine = Stage.filled(count, 1000 * stage.rank() + i);
      if (stage.rank() == 0) {
        stage.group().send(mine, 1).join();
        CommBuffer back = Stage.filled(count, -1);
        stage.group().recv(back, last).join();
        Stage.checkFilled(back, 1000 * last + i, "message " + i + " from the last rank");
      } else {
        CommBuffer in = Stage.filled(count, -1);
        stage.group().recv(in, stage.rank() - 1).join();
        Stage.checkFilled(in, 1000 * (stage.rank() - 1) + i, "message " + i);
        stage.group().send(mine, (stage.rank() + 1) % stage.size()).join();
      }
    }
  }

  /** All in flight at once: the receiver tells them apart by their order alone. */
  @Rule({"O2", "O3"})
  @Needs(ranks = 2)
  static void messagesInFlightMatchInOrder(Stage stage) {
    List<CommBuffer> buffers = new ArrayList<>();
    List<Work> works = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      CommBuffer buffer = Stage.filled(i % 3 == 0 ? 30_000 : 5, stage.rank() == 0 ? i : -1);
      buffers.add(buffer);
      works.add(stage.rank() == 0 ? stage.group().send(buffer, 1) : stage.group().recv(buffer, 0));
    }
    works.forEach(Work::join);
    for (int i = 0; i < buffers.size(); i++) {
      Stage.checkFilled(buffers.get(i), i, "message " + i);
    }
  }

  /** Sends and receives stand in the same queue as collectives. */
  @Rule("O3")
  @Needs
  static void messagesTakeTheirPlaceAmongCollectives(Stage stage) {
    CommBuffer sum = Stage.filled(1000, stage.rank() + 1);
    CommBuffer message = Stage.filled(1000, stage.rank() == 0 ? 5 : -1);
    CommBuffer copy = Stage.filled(1000, stage.rank() == 1 ? 9 : -1);
    List<Work> works = new ArrayList<>();
    works.add(stage.group().allReduce(sum, ReduceOp.SUM));
    if (stage.rank() == 0) {
      works.add(stage.group().send(message, 1));
    } else if (stage.rank() == 1) {
      works.add(stage.group().recv(message, 0));
    }
    works.add(stage.group().broadcast(copy, 1));
    works.reversed().forEach(Work::join);
    Stage.checkFilled(sum, stage.size() * (stage.size() + 1) / 2f, "allReduce");
    Stage.checkFilled(copy, 9, "broadcast");
    Stage.checkFilled(message, stage.rank() < 2 ? 5 : -1, "message");
  }

  /** Every rank sends before it could receive, more than any socket or slot holds. */
  @Rule("O4")
  @Needs
  static void transfersMayCrossInSendRecvAndBatch(Stage stage) {
    int next = (stage.rank() + 1) % stage.size();
    int previous = (stage.rank() + stage.size() - 1) % stage.size();
    for (int round = 0; round < 3; round++) {
      CommBuffer out = Stage.filled(2_000_000, stage.rank());
      CommBuffer in = Stage.filled(2_000_000, -1);
      stage.group().sendRecv(out, next, in, previous).join();
      Stage.checkFilled(in, previous, "sendRecv");
      CommBuffer one = Stage.filled(500_000, -1);
      CommBuffer other = Stage.filled(500_000, -1);
      CommBuffer mine = out.slice(0, 500_000);
      stage
          .group()
          .batch(b -> b.send(mine, next).send(mine, previous).recv(one, previous).recv(other, next))
          .join();
      Stage.checkFilled(one, previous, "batch, from the rank before");
      Stage.checkFilled(other, next, "batch, from the rank behind");
    }
  }
}
