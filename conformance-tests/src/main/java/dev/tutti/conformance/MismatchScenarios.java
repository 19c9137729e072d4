package dev.tutti.conformance;

import dev.tutti.comm.CollectiveMismatchException;
import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.Work;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/** Ranks that do not make the same call: all are told, soon, instead of waiting or computing. */
final class MismatchScenarios {
  private static final Duration TOLD_WITHIN = Duration.ofSeconds(5);

  private MismatchScenarios() {}

  /**
   * Makes a call, and a barrier after it, since a rank whose part ends early is told only then.
   *
   * @param words what a message must name of the two calls
   */
  private static void mismatched(Stage stage, Supplier<Work> call, String... words)
      throws Exception {
    Stage.within(
        TOLD_WITHIN,
        "news of the mismatch",
        () -> {
          CommException e =
              Stage.failure(
                  () -> {
                    Work first = call.get();
                    stage.group().barrier().join();
                    first.join();
                  });
          Stage.check(
              e instanceof CollectiveMismatchException,
              "rank %d got %s instead of a mismatch",
              stage.rank(),
              e);
          for (String word : words) {
            Stage.check(
                e.getMessage().contains(word), "\"%s\" is not in: %s", word, e.getMessage());
          }
        });
    Stage.thrown(CollectiveMismatchException.class, () -> stage.group().barrier().join());
  }

  /** The last rank has more. */
  @Rule({"F8", "O1"})
  @Needs
  static void differentCountsAreSeen(Stage stage) throws Exception {
    CommBuffer buffer = Stage.filled(stage.rank() == 2 ? 200 : 100, 1);
    mismatched(stage, () -> stage.group().allReduce(buffer, ReduceOp.SUM), "allReduce");
  }

  /** So much more that it takes another way. */
  @Rule({"F8", "O1"})
  @Needs
  static void veryDifferentCountsAreSeen(Stage stage) throws Exception {
    CommBuffer buffer = Stage.filled(stage.rank() == 0 ? 500_000 : 10, 1);
    mismatched(stage, () -> stage.group().allReduce(buffer, ReduceOp.SUM), "allReduce");
  }

  /** The same bytes, read differently. */
  @Rule({"F8", "O1"})
  @Needs
  static void differentTypesAreSeen(Stage stage) throws Exception {
    MemorySegment memory = MemorySegment.ofArray(new int[100]);
    CommBuffer buffer =
        CommBuffer.of(memory, stage.rank() == 1 ? DataType.INT32 : DataType.FLOAT32);
    mismatched(stage, () -> stage.group().allReduce(buffer, ReduceOp.SUM), "INT32", "FLOAT32");
  }

  /** The same numbers, combined differently. */
  @Rule({"F8", "O1"})
  @Needs
  static void differentOperatorsAreSeen(Stage stage) throws Exception {
    CommBuffer buffer = Stage.filled(100, 1);
    ReduceOp op = stage.rank() == 0 ? ReduceOp.MAX : ReduceOp.SUM;
    mismatched(stage, () -> stage.group().allReduce(buffer, op), "MAX", "SUM");
  }

  /** Two ranks that both believe they are the root. */
  @Rule({"F8", "O1"})
  @Needs
  static void differentRootsAreSeen(Stage stage) throws Exception {
    CommBuffer buffer = Stage.filled(100, 1);
    int root = stage.rank() == 2 ? 2 : 0;
    mismatched(stage, () -> stage.group().broadcast(buffer, root), "broadcast");
  }

  /** Another operation altogether. */
  @Rule({"F8", "O1"})
  @Needs
  static void differentOperationsAreSeen(Stage stage) throws Exception {
    ProcessGroup group = stage.group();
    CommBuffer all = Stage.filled(3 * 30, 1);
    CommBuffer part = all.slice(30L * stage.rank(), 30);
    mismatched(
        stage,
        () -> stage.rank() == 1 ? group.allReduce(all, ReduceOp.SUM) : group.allGather(part, all),
        "allReduce",
        "allGather");
  }

  /** One rank swaps two calls. */
  @Rule({"F8", "O1"})
  @Needs
  static void differentOrdersAreSeen(Stage stage) throws Exception {
    ProcessGroup group = stage.group();
    CommBuffer sum = Stage.filled(100, 1);
    CommBuffer copy = Stage.filled(100, 1);
    mismatched(
        stage,
        () -> {
          List<Work> works = new ArrayList<>();
          if (stage.rank() == 0) {
            works.add(group.broadcast(copy, 0));
            works.add(group.allReduce(sum, ReduceOp.SUM));
          } else {
            works.add(group.allReduce(sum, ReduceOp.SUM));
            works.add(group.broadcast(copy, 0));
          }
          return works.getLast();
        });
  }

  /** The receiver awaits less than was sent. */
  @Rule({"F8", "O3"})
  @Needs(ranks = 2)
  static void differentMessagesAreSeen(Stage stage) throws Exception {
    CommBuffer buffer = Stage.filled(stage.rank() == 0 ? 20 : 10, 1);
    mismatched(
        stage,
        () -> stage.rank() == 0 ? stage.group().send(buffer, 1) : stage.group().recv(buffer, 0));
  }

  /** Counts that do not fit each other's, in an uneven operation. */
  @Rule({"F8", "O1"})
  @Needs
  static void differentBlocksAreSeen(Stage stage) throws Exception {
    int n = stage.size();
    long[] counts = new long[n];
    Arrays.fill(counts, 50);
    counts[n - 1] = stage.rank() == 0 ? 60 : 50;
    long total = 0;
    for (long count : counts) {
      total += count;
    }
    CommBuffer send = Stage.filled(counts[stage.rank()], 1);
    CommBuffer recv = Stage.filled(total, 0);
    mismatched(stage, () -> stage.group().allGatherV(send, recv, counts), "allGatherV");
  }
}
