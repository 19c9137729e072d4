package dev.tutti.conformance;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import dev.tutti.comm.Device;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.Operation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What a caller must not do: it throws at once, with the same text on every backend. */
final class MisuseScenarios {
  private static final ReduceOp SUM = ReduceOp.SUM;

  private MisuseScenarios() {}

  /** One wrong argument each. */
  @Rule({"F1", "M2", "M9"})
  @Needs
  @SuppressWarnings("NullAway") // null is one of the wrong arguments
  static void wrongArgumentsAreRefused(Stage stage) {
    ProcessGroup g = stage.group();
    int n = stage.size();
    int me = stage.rank();
    int next = (me + 1) % n;
    CommBuffer four = CommBuffer.of(new float[4]);
    CommBuffer five = CommBuffer.of(new float[5]);
    CommBuffer ints = CommBuffer.of(new int[4]);
    CommBuffer wide = CommBuffer.of(new float[4 * n]);
    MemorySegment readOnly = MemorySegment.ofArray(new float[4]).asReadOnly();
    CommBuffer fixed = CommBuffer.of(readOnly, DataType.FLOAT32);
    long[] fours = new long[n];
    Arrays.fill(fours, 4);
    long[] short1 = new long[n - 1];
    long[] negative = fours.clone();
    negative[0] = -1;

    List<Stage.Action> calls = new ArrayList<>();
    calls.add(() -> g.allReduce(null, four, SUM));
    calls.add(() -> g.allReduce(four, null, SUM));
    calls.add(() -> g.allReduce(four, null));
    calls.add(() -> g.allReduce(four, five, SUM));
    calls.add(() -> g.allReduce(four, ints, SUM));
    calls.add(() -> g.allReduce(four, fixed, SUM));
    calls.add(() -> g.allReduce(wide.slice(0, 4), wide.slice(1, 4), SUM));
    calls.add(() -> g.reduce(four, five, SUM, me));
    calls.add(() -> g.reduce(four, four, SUM, n));
    calls.add(() -> g.reduce(four, four, SUM, -1));
    calls.add(() -> g.reduce(four, null, SUM, me));
    calls.add(() -> g.broadcast(null, 0));
    calls.add(() -> g.broadcast(four, n));
    calls.add(() -> g.broadcast(fixed, next));
    calls.add(() -> g.allGather(four, five));
    calls.add(() -> g.allGather(wide.slice(1, 4), wide));
    calls.add(() -> g.allGatherV(four, wide, short1));
    calls.add(() -> g.allGatherV(four, wide, negative));
    calls.add(() -> g.allGatherV(five, wide, fours));
    calls.add(() -> g.reduceScatter(five, four, SUM));
    calls.add(() -> g.reduceScatter(wide, wide.slice(1, 4), SUM));
    calls.add(() -> g.reduceScatterV(wide, five, SUM, fours));
    calls.add(() -> g.gather(four, null, me));
    calls.add(() -> g.gather(four, five, me));
    calls.add(() -> g.gatherV(four, wide, me, short1));
    calls.add(() -> g.gatherV(four, wide, me, (long[]) null));
    calls.add(() -> g.scatter(null, four, me));
    calls.add(() -> g.scatter(five, four, me));
    calls.add(() -> g.scatter(wide, four, -7));
    calls.add(() -> g.scatterV(wide, five, me, fours));
    calls.add(() -> g.allToAll(four, four));
    calls.add(() -> g.allToAll(five, CommBuffer.of(new float[5 + 5 % n])));
    calls.add(() -> g.allToAllV(wide, fours, wide, fours));
    calls.add(() -> g.allToAllV(wide, short1, four, fours));
    calls.add(() -> g.send(four, me));
    calls.add(() -> g.send(four, n));
    calls.add(() -> g.recv(fixed, next));
    calls.add(() -> g.recv(four, -1));
    calls.add(() -> g.sendRecv(four, next, four, next));
    calls.add(() -> g.sendRecv(four, me, five, next));
    calls.add(() -> g.batch(b -> b.send(four, n)));
    calls.add(() -> g.batch(b -> b.send(four, me)));
    calls.add(() -> g.batch(b -> b.recv(four, next).recv(four, next)));
    for (int i = 0; i < calls.size(); i++) {
      refused(stage, i, calls.get(i));
    }
    Stage.checkUsable(g);
  }

  static void refused(Stage stage, int number, Stage.Action call) {
    IllegalArgumentException refusal;
    try {
      refusal = Stage.thrown(IllegalArgumentException.class, call);
    } catch (AssertionError e) {
      throw new AssertionError("call " + number + ": " + e.getMessage(), e);
    }
    String text = String.valueOf(refusal.getMessage());
    Stage.check(
        text.contains("rank %d/%d".formatted(stage.rank(), stage.size())),
        "call %d does not say where it was refused: %s",
        number,
        text);
    stage.note(text);
  }

  /** Memory that the backend's threads may not touch, or that is no more. */
  @Rule({"F1", "M2"})
  @Needs
  static void memoryOutOfReachIsRefused(Stage stage) {
    CommBuffer freed;
    try (Arena arena = Arena.ofShared()) {
      freed = CommBuffer.of(arena.allocate(16), DataType.FLOAT32);
    }
    refused(stage, 0, () -> stage.group().allReduce(freed, SUM));
    try (Arena arena = Arena.ofConfined()) {
      CommBuffer confined = CommBuffer.of(arena.allocate(16), DataType.FLOAT32);
      refused(stage, 1, () -> stage.group().allReduce(confined, SUM));
      refused(stage, 2, () -> stage.group().broadcast(confined, 0));
    }
    Stage.checkUsable(stage.group());
  }

  /** Bitwise operators are for integers: refused on every floating type, by every reduction. */
  @Rule("F1")
  @Needs
  static void bitwiseOperatorsOnFloatsAreRefused(Stage stage) {
    int n = stage.size();
    int number = 0;
    for (DataType type : DataType.values()) {
      for (ReduceOp op : ReduceOp.all()) {
        if (op.supports(type)) {
          continue;
        }
        CommBuffer one = CommBuffer.of(Arena.ofAuto().allocate(type.byteSize()), type);
        CommBuffer many = CommBuffer.of(Arena.ofAuto().allocate((long) n * type.byteSize()), type);
        long[] counts = new long[n];
        Arrays.fill(counts, 1);
        ProcessGroup g = stage.group();
        refused(stage, number++, () -> g.allReduce(one, op));
        refused(stage, number++, () -> g.reduce(one, one, op, 0));
        refused(stage, number++, () -> g.reduceScatter(many, one, op));
        refused(stage, number++, () -> g.reduceScatterV(many, one, op, counts));
      }
    }
    Stage.check(number == 4 * 3 * 4, "%d combinations were tried instead of 48", number);
    Stage.checkUsable(stage.group());
  }

  /** No call after the end. */
  @Rule({"F1", "F9"})
  @Needs
  static void closedGroupsRefuseEveryCall(Stage stage) {
    ProcessGroup closed = stage.group().split(0, 0).orElseThrow();
    closed.close();
    CommBuffer four = CommBuffer.of(new float[4]);
    IllegalStateException e =
        Stage.thrown(IllegalStateException.class, () -> closed.allReduce(four, SUM));
    stage.note(String.valueOf(e.getMessage()));
    Stage.thrown(IllegalStateException.class, () -> closed.barrier());
    Stage.thrown(IllegalStateException.class, () -> closed.split(0, 0));
    closed.abort();
    closed.close();
    Stage.checkUsable(stage.group());
  }

  /**
   * A device that no backend of the group takes: known beforehand, on all ranks, and no failure.
   */
  @Rule("F10")
  @Needs
  static void whatIsUnsupportedIsToldBeforehand(Stage stage) {
    Device device = new Device("fantasy", 0);
    CommBuffer there =
        CommBuffer.ofDevice(MemorySegment.ofAddress(4096), DataType.FLOAT32, 4, device);
    Availability answer = stage.group().supports(new Operation.AllReduce(there, there, SUM));
    Stage.check(!answer.isAvailable(), "a device that does not exist is supported");
    Stage.thrown(UnsupportedOperationException.class, () -> stage.group().allReduce(there, SUM));
    CommBuffer here = CommBuffer.of(new float[4]);
    Stage.check(
        stage.group().supports(new Operation.AllReduce(here, here, SUM)).isAvailable(),
        "allReduce of host memory is not supported");
    Stage.checkUsable(stage.group());
  }
}
