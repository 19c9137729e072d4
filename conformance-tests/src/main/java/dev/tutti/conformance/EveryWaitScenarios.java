package dev.tutti.conformance;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Every operation that may have to wait for another rank, each in a group of its own, all at once:
 * rank 0 never calls, and every one of them ends.
 */
final class EveryWaitScenarios {
  private static final int PEER = 0;

  private EveryWaitScenarios() {}

  /** Returns the operations; ranks 1 and 2 can complete none of them without rank 0. */
  private static Map<String, Function<ProcessGroup, Work>> operations() {
    long[] counts = new long[3];
    Arrays.fill(counts, 100);
    Map<String, Function<ProcessGroup, Work>> calls = new LinkedHashMap<>();
    calls.put("barrier", ProcessGroup::barrier);
    calls.put("allReduce", group -> group.allReduce(one(), ReduceOp.SUM));
    calls.put("broadcast", group -> group.broadcast(one(), PEER));
    calls.put("allGather", group -> group.allGather(one(), three()));
    calls.put("allGatherV", group -> group.allGatherV(one(), three(), counts));
    calls.put("reduceScatter", group -> group.reduceScatter(three(), one(), ReduceOp.SUM));
    calls.put(
        "reduceScatterV", group -> group.reduceScatterV(three(), one(), ReduceOp.SUM, counts));
    calls.put("scatter", group -> group.scatter(null, one(), PEER));
    calls.put("scatterV", group -> group.scatterV(null, one(), PEER, null));
    calls.put("allToAll", group -> group.allToAll(three(), three()));
    calls.put("allToAllV", group -> group.allToAllV(three(), counts, three(), counts));
    calls.put("recv", group -> group.recv(one(), PEER));
    calls.put("sendRecv", group -> group.sendRecv(one(), PEER, one(), PEER));
    calls.put("batch", group -> group.batch(b -> b.send(one(), PEER).recv(one(), PEER)));
    return calls;
  }

  private static CommBuffer one() {
    return Stage.filled(100, 1);
  }

  private static CommBuffer three() {
    return Stage.filled(300, 1);
  }

  /** Whoever waits is told what for, after the time that was set. */
  @Rule({"F3", "F5", "F11"})
  @Needs(timeout = "5s")
  static void everyOperationIsTimedOut(Stage stage) throws Exception {
    Map<String, Function<ProcessGroup, Work>> calls = operations();
    List<ProcessGroup> groups = groups(stage, calls.size());
    if (stage.rank() == PEER) {
      // Late, but alive; then it is told what happened.
      Stage.pause(Duration.ofMillis(6500));
      groups.forEach(group -> Stage.failure(() -> group.barrier().join()));
    } else {
      Stage.within(
          Duration.ofMillis(6400),
          "the end of all waits",
          () -> {
            for (CommException e : failures(groups, calls)) {
              Stage.check(e instanceof CommTimeoutException, "%s instead of a timeout", e);
            }
          });
    }
    groups.forEach(ProcessGroup::close);
  }

  /** Whoever waits is told, as soon as one rank has had enough. */
  @Rule({"F7", "F2", "F11"})
  @Needs
  static void everyOperationEndsWithAnAbort(Stage stage) throws Exception {
    Map<String, Function<ProcessGroup, Work>> calls = operations();
    List<ProcessGroup> groups = groups(stage, calls.size());
    if (stage.rank() == PEER) {
      Stage.pause(Duration.ofMillis(50));
      Stage.within(
          Duration.ofSeconds(3), "aborting all", () -> groups.forEach(ProcessGroup::abort));
    } else {
      Stage.within(
          Duration.ofSeconds(5),
          "the end of all waits",
          () -> {
            for (CommException e : failures(groups, calls)) {
              Stage.check(e instanceof CommAbortedException, "%s instead of an abort", e);
            }
          });
    }
    groups.forEach(ProcessGroup::close);
    Stage.checkUsable(stage.group());
  }

  private static List<ProcessGroup> groups(Stage stage, int count) {
    List<ProcessGroup> groups = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      groups.add(stage.group().split(0, stage.rank()).orElseThrow());
    }
    stage.group().barrier().join();
    return groups;
  }

  /** Calls everything, then waits for each, which must fail and say which it is. */
  private static List<CommException> failures(
      List<ProcessGroup> groups, Map<String, Function<ProcessGroup, Work>> calls) {
    Map<String, Stage.Action> waits = new LinkedHashMap<>();
    Iterator<ProcessGroup> each = groups.iterator();
    calls.forEach((name, call) -> waits.put(name, issued(each.next(), call)));
    List<CommException> failures = new ArrayList<>();
    waits.forEach(
        (name, wait) -> {
          CommException e = Stage.failure(wait);
          String text = e.getMessage();
          Stage.check(text.contains(name), "%s is not named in: %s", name, text);
          failures.add(e);
        });
    return failures;
  }

  /** Returns the wait for an operation; news of an abort may be there before the call. */
  private static Stage.Action issued(ProcessGroup group, Function<ProcessGroup, Work> call) {
    try {
      return call.apply(group)::join;
    } catch (CommException e) {
      return () -> {
        throw e;
      };
    }
  }
}
