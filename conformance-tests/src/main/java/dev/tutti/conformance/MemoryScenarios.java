package dev.tutti.conformance;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.Work;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Whose a buffer is, and when. */
final class MemoryScenarios {
  private MemoryScenarios() {}

  /** The sender writes the next message into the same memory at once. */
  @Rule("M1")
  @Needs(ranks = 2)
  static void aSentBufferIsTheCallersAgain(Stage stage) {
    for (long count : List.of(4L, 300_000L)) {
      CommBuffer buffer = Stage.filled(count, -1);
      for (int i = 0; i < 20; i++) {
        if (stage.rank() == 0) {
          for (long k = 0; k < count; k++) {
            buffer.segment().setAtIndex(ValueLayout.JAVA_FLOAT, k, i);
          }
          stage.group().send(buffer, 1).join();
        } else {
          if (i % 5 == 0) {
            Stage.pause(Duration.ofMillis(2));
          }
          stage.group().recv(buffer, 0).join();
          Stage.checkFilled(buffer, i, "message " + i);
        }
      }
    }
  }

  /** A slow rank reads what a quick one sent before it went on to other things. */
  @Rule("M1")
  @Needs
  static void buffersOfCollectivesAreTheCallersAgain(Stage stage) {
    CommBuffer send = Stage.filled(50_000, 0);
    for (int i = 0; i < 10; i++) {
      if (i % stage.size() == stage.rank()) {
        Stage.pause(Duration.ofMillis(3));
      }
      for (long k = 0; k < send.count(); k++) {
        send.segment().setAtIndex(ValueLayout.JAVA_FLOAT, k, i + stage.rank());
      }
      CommBuffer recv = Stage.filled(send.count(), -1);
      stage.group().allReduce(send, recv, ReduceOp.MAX).join();
      send.segment().fill((byte) 0x7F);
      Stage.checkFilled(recv, i + stage.size() - 1, "allReduce " + i);
    }
  }

  /** Every kind of arena whose memory other threads may use, and a few typed arrays. */
  @Rule("M2")
  @Needs
  static void memoryMayComeFromAnySharedArena(Stage stage) {
    int count = 1000;
    try (Arena shared = Arena.ofShared()) {
      List<MemorySegment> segments =
          List.of(
              shared.allocate(4L * count),
              Arena.ofAuto().allocate(4L * count),
              Arena.global().allocate(4L * count),
              MemorySegment.ofArray(new int[count]),
              MemorySegment.ofArray(new byte[4 * count]),
              MemorySegment.ofArray(new double[count / 2]));
      for (MemorySegment segment : segments) {
        for (long i = 0; i < count; i++) {
          segment.set(ValueLayout.JAVA_INT_UNALIGNED, 4 * i, (int) i + stage.rank());
        }
        stage.group().allReduce(CommBuffer.of(segment, DataType.INT32), ReduceOp.MAX).join();
        for (long i = 0; i < count; i++) {
          int got = segment.get(ValueLayout.JAVA_INT_UNALIGNED, 4 * i);
          Stage.check(got == i + stage.size() - 1, "element %d is %d in %s", i, got, segment);
        }
      }
      // Nothing reads or writes a buffer any more once its operation is complete.
    }
    Stage.checkUsable(stage.group());
  }

  /** A sent buffer may be one that cannot be written. */
  @Rule({"M2", "M4"})
  @Needs
  static void readOnlyMemoryMayBeSent(Stage stage) {
    float[] mine = {stage.rank()};
    CommBuffer send = CommBuffer.of(MemorySegment.ofArray(mine).asReadOnly(), DataType.FLOAT32);
    float[] all = new float[stage.size()];
    stage.group().allGather(send, CommBuffer.of(all)).join();
    for (int rank = 0; rank < all.length; rank++) {
      Stage.check(all[rank] == rank, "block %d is %s", rank, all[rank]);
    }
  }

  /** Messages far larger than the memory that a group may hold. */
  @Rule("M3")
  @Needs(scratch = "2MiB")
  static void messagesCrossInBoundedMemory(Stage stage) {
    int count = 3_000_000;
    float[] array = new float[count];
    Arrays.fill(array, 1);
    stage.group().allReduce(CommBuffer.of(array), ReduceOp.SUM).join();
    for (int i = 0; i < count; i++) {
      Stage.check(array[i] == stage.size(), "element %d is %s", i, array[i]);
    }
    long held = stage.group().memory().allocatedBytes();
    Stage.check(held <= 2 << 20, "the group holds %d bytes with scratch=2MiB", held);
  }

  /** Every rank sends nothing to some ranks, in an order of its own, without waiting in between. */
  @Rule({"M7", "M8"})
  @Needs
  static void emptyBlocksHoldNobodyUp(Stage stage) {
    List<Work> works = new ArrayList<>();
    List<CommBuffer> buffers = new ArrayList<>();
    List<Integer> senders = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      int sender = i % stage.size();
      long count = i % 4 == 3 ? 0 : 1 + i * 50L;
      long[] sent = new long[stage.size()];
      long[] got = new long[stage.size()];
      got[sender] = count;
      if (stage.rank() == sender) {
        Arrays.fill(sent, count);
      }
      CommBuffer send = Stage.filled(stage.rank() == sender ? count * stage.size() : 0, sender);
      CommBuffer recv = Stage.filled(count, -1);
      works.add(stage.group().allToAllV(send, sent, recv, got));
      buffers.add(recv);
      senders.add(sender);
    }
    works.reversed().forEach(Work::join);
    for (int i = 0; i < buffers.size(); i++) {
      Stage.checkFilled(buffers.get(i), senders.get(i), "allToAllV " + i);
    }
  }

  /** An operation on nothing ends on every rank. */
  @Rule("M7")
  @Needs
  static void emptyOperationsEnd(Stage stage) {
    CommBuffer none = Stage.filled(0, 0);
    int next = (stage.rank() + 1) % stage.size();
    int previous = (stage.rank() + stage.size() - 1) % stage.size();
    List<Work> works = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      works.add(stage.group().allReduce(none, ReduceOp.SUM));
      works.add(stage.group().allToAll(none, none));
      works.add(stage.group().sendRecv(none, next, none, previous));
      works.add(stage.group().batch(b -> {}));
    }
    works.forEach(Work::join);
    Stage.checkUsable(stage.group());
  }
}
