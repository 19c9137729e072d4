package dev.tutti.conformance;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.spi.SlotPool;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;

/** How a group ends. */
final class EndingScenarios {
  private EndingScenarios() {}

  /** What was issued before close arrives, though nobody waited for it. */
  @Rule("F9")
  @Needs
  static void closeDeliversWhatWasIssued(Stage stage) {
    ProcessGroup group = stage.group().split(0, 0).orElseThrow();
    List<CommBuffer> buffers =
        List.of(Stage.filled(3, 1), Stage.filled(1_500_000, 1), Stage.filled(7, 1));
    if (stage.rank() == 0) {
      buffers.forEach(buffer -> group.send(buffer, 2));
      group.close();
    } else if (stage.rank() == 2) {
      Stage.pause(Duration.ofMillis(50));
      for (CommBuffer buffer : buffers) {
        buffer.segment().fill((byte) 0);
        group.recv(buffer, 0).join();
        Stage.checkFilled(buffer, 1, "a message of a rank that has left");
      }
      group.close();
    } else {
      group.close();
    }
    Stage.checkUsable(stage.group());
  }

  /** A collective of which one rank waits for the end and another one just closes. */
  @Rule("F9")
  @Needs
  static void closeCompletesCollectives(Stage stage) {
    ProcessGroup group = stage.group().split(0, 0).orElseThrow();
    CommBuffer buffer = Stage.filled(100_000, 1);
    var work = group.allReduce(buffer, ReduceOp.SUM);
    if (stage.rank() == 1) {
      work.join();
    }
    group.close();
    Stage.check(work.isDone(), "an operation is pending after close");
    work.join();
    Stage.checkFilled(buffer, stage.size(), "allReduce");
  }

  /** What cannot be completed is told, in bounded time. */
  @Rule({"F9", "F11"})
  @Needs(timeout = "3s")
  static void closeTellsWhatWasNotDelivered(Stage stage) throws Exception {
    ProcessGroup group = stage.group().split(0, 0).orElseThrow();
    if (stage.rank() == 0) {
      group.allReduce(Stage.filled(10, 0), ReduceOp.SUM);
      group.barrier();
      Stage.within(
          Duration.ofMillis(5500),
          "close",
          () -> {
            CommTimeoutException e = Stage.thrown(CommTimeoutException.class, group::close);
            Stage.check(e.getMessage().contains("allReduce"), "not named in: %s", e.getMessage());
          });
      group.close();
    } else {
      // Never calls what the first rank waits for.
      Stage.pause(Duration.ofMillis(4500));
      Stage.failure(() -> group.barrier().join());
      group.close();
    }
  }

  /** Ends may be repeated, in any order. */
  @Rule({"F9", "F7"})
  @Needs
  static void endsMayBeRepeated(Stage stage) {
    ProcessGroup closed = stage.group().split(0, 0).orElseThrow();
    closed.close();
    closed.close();
    closed.abort();
    ProcessGroup aborted = stage.group().split(0, 0).orElseThrow();
    aborted.abort();
    aborted.abort();
    aborted.close();
    aborted.close();
    Stage.checkUsable(stage.group());
  }

  /** No thread, socket or buffer of ours is there when all groups are closed. */
  @Rule("F9")
  @Needs
  static void nothingIsLeftBehind(Stage stage) {
    ProcessGroup child = stage.group().split(stage.rank() % 2, 0).orElseThrow();
    Stage.checkUsable(child);
    Stage.checkUsable(stage.group());
    try (Arena arena = Arena.ofShared()) {
      CommBuffer large = CommBuffer.of(arena.allocate(1_200_000), DataType.FLOAT32);
      stage.group().allReduce(large, ReduceOp.SUM).join();
    }
    child.close();
    stage.group().close();
    for (ProcessGroup closed : List.of(child, stage.group())) {
      SlotPool.Usage held = closed.memory();
      Stage.check(
          held.allocatedBytes() == 0 && held.inUse() == 0,
          "closed group %s holds %s",
          closed.name(),
          held);
    }
    List<String> left = stage.before().awaitNone(Duration.ofSeconds(5));
    Stage.check(left.isEmpty(), "when all groups are closed there are: %s", left);
  }
}
