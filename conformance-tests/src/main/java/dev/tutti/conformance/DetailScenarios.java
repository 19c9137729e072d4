package dev.tutti.conformance;

import dev.tutti.comm.CollectiveMismatchException;
import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.Work;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Function;

/**
 * What {@code debug=detail} promises: calls that do not fit together fail on all ranks, on every
 * backend, before anything has moved; those that fit are none the wiser. Each mismatch has a
 * subgroup of its own.
 */
final class DetailScenarios {
  private static final Duration TOLD_WITHIN = Duration.ofSeconds(5);

  private DetailScenarios() {}

  /**
   * Makes a call that does not fit on all ranks of a new group; it fails on all of them.
   *
   * @param words what every message must name
   */
  private static void disagreed(Stage stage, Function<ProcessGroup, Work> call, String... words)
      throws Exception {
    ProcessGroup group = stage.group().split(0, stage.rank()).orElseThrow();
    Stage.within(
        TOLD_WITHIN,
        "news of the mismatch",
        () ->
            told(
                Stage.thrown(CollectiveMismatchException.class, () -> call.apply(group).join()),
                words));
    Stage.thrown(CollectiveMismatchException.class, () -> group.barrier().join());
    group.close();
  }

  private static void told(Exception e, String... words) {
    for (String word : words) {
      Stage.check(String.valueOf(e.getMessage()).contains(word), "\"%s\" is not in: %s", word, e);
    }
  }

  private static CommBuffer floats(long count) {
    return Stage.filled(count, 1);
  }

  /** Calls between which no message would pass, or which one rank could do without the others. */
  @Rule("F12")
  @Needs(debug = "detail")
  static void callsThatNoMessageShowsAreSeen(Stage stage) throws Exception {
    boolean odd = stage.rank() == 2;
    disagreed(
        stage,
        group -> group.broadcast(floats(100), odd ? 2 : 0),
        "ranks 0, 1 called #0 broadcast(100 FLOAT32, root 0)",
        "rank 2 called #0 broadcast(100 FLOAT32, root 2)");
    disagreed(
        stage,
        group -> group.allReduce(floats(odd ? 0 : 100), ReduceOp.SUM),
        "ranks 0, 1 called #0 allReduce(100 FLOAT32, SUM)",
        "rank 2 called #0 allReduce(0 FLOAT32, SUM)");
    disagreed(
        stage,
        group -> {
          if (odd) {
            group.split(0, 0);
          }
          return group.barrier();
        },
        "ranks 0, 1 called #0 barrier()",
        "rank 2 called split");
  }

  /** Everything that belongs to a call. */
  @Rule("F12")
  @Needs(debug = "detail")
  static void everyPartOfACallIsCompared(Stage stage) throws Exception {
    boolean odd = stage.rank() == 0;
    MemorySegment memory = MemorySegment.ofArray(new int[30]);
    CommBuffer typed = CommBuffer.of(memory, odd ? DataType.INT32 : DataType.FLOAT32);
    disagreed(
        stage,
        group -> group.allReduce(typed, ReduceOp.SUM),
        "rank 0 called #0 allReduce(30 INT32, SUM)",
        "ranks 1, 2 called #0 allReduce(30 FLOAT32, SUM)");
    disagreed(
        stage,
        group -> group.reduce(floats(30), floats(30), odd ? ReduceOp.MAX : ReduceOp.SUM, 1),
        "rank 0 called #0 reduce(30 FLOAT32, MAX, root 1)",
        "ranks 1, 2 called #0 reduce(30 FLOAT32, SUM, root 1)");
    disagreed(
        stage,
        group ->
            odd ? group.allGather(floats(30), floats(90)) : group.allToAll(floats(30), floats(30)),
        "rank 0 called #0 allGather(30 FLOAT32)",
        "ranks 1, 2 called #0 allToAll(30 FLOAT32)");
  }

  /** Two calls in the other order on one rank, and nobody has waited for the first. */
  @Rule("F12")
  @Needs(debug = "detail")
  static void aSwapIsSeenAtTheFirstOfTheTwo(Stage stage) throws Exception {
    CommBuffer untouched = Stage.filled(100, 1);
    disagreed(
        stage,
        group -> {
          group.barrier();
          if (stage.rank() == 1) {
            Work first = group.broadcast(floats(100), 0);
            group.allReduce(untouched, ReduceOp.SUM);
            return first;
          }
          Work first = group.allReduce(untouched, ReduceOp.SUM);
          group.broadcast(floats(100), 0);
          return first;
        },
        "ranks 0, 2 called #1 allReduce(100 FLOAT32, SUM)",
        "rank 1 called #1 broadcast(100 FLOAT32, root 0)");
    Stage.checkFilled(untouched, 1, "what was not to be reduced");
  }

  private static long[] counts(int size, long last) {
    long[] counts = new long[size];
    Arrays.fill(counts, 5);
    counts[size - 1] = last;
    return counts;
  }

  /** Counts that every rank may have for itself, but not against another's. */
  @Rule("F12")
  @Needs(debug = "detail")
  static void countsOfUnevenCallsAreCompared(Stage stage) throws Exception {
    int n = stage.size();
    boolean odd = stage.rank() == n - 1;
    long own = odd ? 6 : 5;
    long[] even = counts(n, 5);
    long[] uneven = counts(n, odd ? 6 : 5);
    disagreed(
        stage,
        group -> group.allGatherV(floats(own), floats(odd ? 16 : 15), uneven),
        "allGatherV(counts [5, 5, 5], FLOAT32)",
        "allGatherV(counts [5, 5, 6], FLOAT32)");
    disagreed(
        stage,
        group -> group.reduceScatterV(floats(odd ? 16 : 15), floats(own), ReduceOp.SUM, uneven),
        "reduceScatterV(counts [5, 5, 5], FLOAT32, SUM)",
        "reduceScatterV(counts [5, 5, 6], FLOAT32, SUM)");
    disagreed(
        stage,
        group -> group.gatherV(floats(own), floats(15), 0, even),
        "rank 2 has 6 elements for rank 0, which takes 5 from it");
    disagreed(
        stage,
        group -> group.scatterV(floats(15), floats(own), 0, even),
        "rank 0 has 5 elements for rank 2, which takes 6 from it");
    disagreed(
        stage,
        group ->
            group.allToAllV(
                floats(odd ? 16 : 15), odd ? new long[] {6, 5, 5} : even, floats(15), even),
        "rank 2 has 6 elements for rank 0, which takes 5 from it",
        "rank 2 called #0 allToAllV(send counts [6, 5, 5], receive counts [5, 5, 5], FLOAT32)");
  }

  /** The two ends of a message, however they are called. */
  @Rule("F12")
  @Needs(debug = "detail")
  static void theEndsOfMessagesAreCompared(Stage stage) throws Exception {
    int rank = stage.rank();
    disagreed(
        stage,
        group ->
            switch (rank) {
              case 0 -> group.send(floats(20), 1);
              case 1 -> group.recv(floats(10), 0);
              default -> group.barrier();
            },
        "message #0 from rank 0 to rank 1",
        "send(20 FLOAT32, to rank 1)",
        "recv(10 FLOAT32, from rank 0)");
    disagreed(
        stage,
        group ->
            switch (rank) {
              case 0 -> group.sendRecv(floats(4), 2, CommBuffer.of(new int[4]), 2);
              case 2 ->
                  group.batch(
                      b -> {
                        b.send(floats(4), 0);
                        b.recv(floats(4), 0);
                      });
              default -> group.barrier();
            },
        "message #0 from rank 2 to rank 0",
        "with send(4 FLOAT32)",
        "4 INT32 from rank 2");
  }

  /** A rank that calls once more while the others are done. */
  @Rule("F12")
  @Needs(debug = "detail")
  static void aCallMoreIsSeen(Stage stage) throws Exception {
    ProcessGroup group = stage.group().split(0, stage.rank()).orElseThrow();
    group.barrier().join();
    if (stage.rank() == 1) {
      Stage.within(
          TOLD_WITHIN,
          "news that the others are done",
          () ->
              told(
                  Stage.thrown(
                      CollectiveMismatchException.class,
                      () -> group.allReduce(floats(7), ReduceOp.SUM).join()),
                  "ranks 0, 2 called close",
                  "rank 1 called #1 allReduce(7 FLOAT32, SUM)"));
    }
    group.close();
  }

  /** Who does not call is named by the others' timeout. */
  @Rule({"F12", "F11"})
  @Needs(debug = "detail", timeout = "1s")
  static void whoHasNotCalledIsNamed(Stage stage) {
    stage.group().barrier().join();
    if (stage.rank() == 2) {
      Stage.pause(Duration.ofSeconds(2));
    } else {
      told(
          Stage.thrown(
              CommTimeoutException.class,
              () -> stage.group().allReduce(floats(7), ReduceOp.SUM).join()),
          "allReduce(7 FLOAT32, SUM) #1 on rank " + stage.rank() + "/3",
          "rank 2 to call",
          "barrier() #0");
    }
  }

  /** A slice of the case list, with many calls in flight, beside another group. */
  @Rule("F12")
  @Needs(debug = "detail")
  static void callsThatFitPassTheCheck(Stage stage) {
    try (ProcessGroup other = stage.group().split(0, -stage.rank()).orElseThrow()) {
      for (ProcessGroup group : new ProcessGroup[] {stage.group(), other}) {
        for (Trial trial : Stage.trials(group, 120)) {
          trial.issue();
          Work beside = (group == other ? stage.group() : other).barrier();
          Stage.check(trial.join(Duration.ofSeconds(20)), "an operation did not end in 20 s");
          trial.check("after a check");
          beside.join();
        }
      }
    }
  }
}
