package dev.tutti.conformance;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Buffers that lie upon each other: what is no in-place form is refused, what is one is done. */
final class OverlapScenarios {
  private static final ReduceOp SUM = ReduceOp.SUM;
  private static final int BLOCK = 4;

  private OverlapScenarios() {}

  /** Every operation with two buffers, in every way that is wrong, on the heap and off it. */
  @Rule({"F1", "M9"})
  @Needs
  static void overlapsAreRefused(Stage stage) {
    int number = 0;
    for (CommBuffer wide : memories(stage.size())) {
      for (Stage.Action call : overlapping(stage, wide)) {
        MisuseScenarios.refused(stage, number++, call);
      }
    }
    Stage.checkUsable(stage.group());
  }

  /** Buffers that only touch, and the rank's own block, are no overlap. */
  @Rule("M9")
  @Needs
  static void neighboursAndOwnBlocksAreAccepted(Stage stage) {
    int n = stage.size();
    int me = stage.rank();
    ProcessGroup g = stage.group();
    for (CommBuffer wide : memories(n)) {
      long own = (long) me * BLOCK;
      g.allReduce(wide.slice(0, BLOCK), wide.slice(0, BLOCK), SUM).join();
      g.allReduce(wide.slice(0, BLOCK), wide.slice(BLOCK, BLOCK), SUM).join();
      g.allGather(wide.slice(own, BLOCK), wide.slice(0, (long) n * BLOCK)).join();
      g.reduceScatter(wide.slice(0, (long) n * BLOCK), wide.slice(own, BLOCK), SUM).join();
      g.allToAll(wide.slice(0, n), wide.slice(n, n)).join();
      g.sendRecv(wide.slice(0, 1), (me + 1) % n, wide.slice(1, 1), (me + n - 1) % n).join();
      // Nothing overlaps nothing.
      g.allToAll(wide.slice(1, 0), wide.slice(1, 0)).join();
    }
    Stage.checkUsable(g);
  }

  /** The same bytes may be reached through two segments. */
  private static List<CommBuffer> memories(int size) {
    long count = (long) (size + 1) * BLOCK;
    MemorySegment memory = Arena.ofAuto().allocate(count * Float.BYTES, Float.BYTES);
    return List.of(CommBuffer.of(new float[(int) count]), CommBuffer.of(memory, DataType.FLOAT32));
  }

  private static List<Stage.Action> overlapping(Stage stage, CommBuffer wide) {
    ProcessGroup g = stage.group();
    int n = stage.size();
    int me = stage.rank();
    int next = (me + 1) % n;
    CommBuffer all = wide.slice(0, (long) n * BLOCK);
    CommBuffer block = all.slice(0, BLOCK);
    CommBuffer shifted = all.slice(1, BLOCK);
    CommBuffer others = all.slice((long) next * BLOCK, BLOCK);
    // Half the own block, half a neighbour's.
    CommBuffer across = all.slice((long) Math.min(me, n - 2) * BLOCK + BLOCK / 2, BLOCK);
    CommBuffer allShifted = wide.slice(1, (long) n * BLOCK);
    long[] counts = new long[n];
    Arrays.fill(counts, BLOCK);

    List<Stage.Action> calls = new ArrayList<>();
    calls.add(() -> g.allReduce(block, shifted, SUM));
    calls.add(() -> g.allReduce(shifted, block, SUM));
    calls.add(() -> g.reduce(block, shifted, SUM, me));
    for (CommBuffer wrong : List.of(others, across)) {
      calls.add(() -> g.allGather(wrong, all));
      calls.add(() -> g.allGatherV(wrong, all, counts));
      calls.add(() -> g.reduceScatter(all, wrong, SUM));
      calls.add(() -> g.reduceScatterV(all, wrong, SUM, counts));
      calls.add(() -> g.gather(wrong, all, me));
      calls.add(() -> g.gatherV(wrong, all, me, counts));
      calls.add(() -> g.scatter(all, wrong, me));
      calls.add(() -> g.scatterV(all, wrong, me, counts));
    }
    for (CommBuffer wrong : List.of(all, allShifted)) {
      calls.add(() -> g.allToAll(all, wrong));
      calls.add(() -> g.allToAllV(all, counts, wrong, counts));
    }
    for (CommBuffer wrong : List.of(block, shifted)) {
      calls.add(() -> g.sendRecv(block, next, wrong, next));
      calls.add(() -> g.batch(b -> b.send(block, next).recv(wrong, next)));
      calls.add(() -> g.batch(b -> b.recv(block, next).recv(wrong, next)));
    }
    return calls;
  }
}
