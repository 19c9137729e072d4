package dev.tutti.comm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import dev.tutti.comm.Device;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.spi.Operation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Every refusal, with its text; and what is not to be refused. */
class ArgumentsTest {
  /** Rank 1 of 3. */
  private final Arguments rank1 = new Arguments(1, 3);

  private static CommBuffer ints(int count) {
    return CommBuffer.of(new int[count]);
  }

  private static CommBuffer floats(int count) {
    return CommBuffer.of(new float[count]);
  }

  private static CommBuffer cuda(int count) {
    return CommBuffer.ofDevice(
        MemorySegment.ofAddress(1 << 20), DataType.INT32, count, Device.cuda(0));
  }

  private static CommBuffer readOnly(int count) {
    return CommBuffer.of(MemorySegment.ofArray(new int[count]).asReadOnly(), DataType.INT32);
  }

  private static void refused(ThrowingCallable call, String text) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(text);
  }

  @Test
  void absentBuffers() {
    refused(
        () -> rank1.allReduce(null, ints(1), ReduceOp.SUM),
        "allReduce on rank 1/3: send is null; pass a CommBuffer, of count 0 if there is nothing");
    refused(
        () -> rank1.allReduce(ints(1), null, ReduceOp.SUM),
        "allReduce on rank 1/3: recv is null; pass a CommBuffer, of count 0 if there is nothing");
    refused(
        () -> rank1.broadcast(null, 0),
        "broadcast on rank 1/3: buffer is null; pass a CommBuffer, of count 0 if there is nothing");
    refused(
        () -> rank1.reduce(ints(1), null, ReduceOp.SUM, 1),
        "reduce on rank 1/3: recv is null; pass a CommBuffer, of count 0 if there is nothing");
    refused(
        () -> rank1.scatter(null, ints(1), 1),
        "scatter on rank 1/3: send is null; pass a CommBuffer, of count 0 if there is nothing");
    refused(
        () -> rank1.send(null, 0),
        "send on rank 1/3: buffer is null; pass a CommBuffer, of count 0 if there is nothing");
  }

  @Test
  void buffersThatOnlyTheRootNeedsMayBeAbsentElsewhereAndAreForgotten() {
    assertThat(rank1.reduce(ints(1), null, ReduceOp.SUM, 0).buffers()).hasSize(1);
    assertThat(rank1.reduce(ints(1), floats(9), ReduceOp.SUM, 0).buffers()).hasSize(1);
    assertThat(rank1.gather(ints(1), floats(9), 0).buffers()).hasSize(1);
    assertThat(rank1.gatherV(ints(1), null, null, 0).buffers()).hasSize(1);
    assertThat(rank1.scatter(floats(9), ints(1), 0).buffers()).hasSize(1);
    assertThat(rank1.scatterV(null, ints(1), null, 0).buffers()).hasSize(1);
  }

  @Test
  void memoryThatIsGoneOrOutOfReach() {
    MemorySegment closed;
    try (Arena arena = Arena.ofShared()) {
      closed = arena.allocate(8);
    }
    CommBuffer dead = CommBuffer.of(closed, DataType.INT32);
    refused(
        () -> rank1.broadcast(dead, 0),
        "broadcast on rank 1/3: buffer is of an arena that was closed; keep it open until the"
            + " operation's Work is complete");
    try (Arena arena = Arena.ofConfined()) {
      CommBuffer confined = CommBuffer.of(arena.allocate(8), DataType.INT32);
      refused(
          () -> rank1.send(confined, 0),
          "send on rank 1/3: buffer is of a confined arena, which the backend's threads cannot"
              + " reach; allocate it from Arena.ofShared(), ofAuto() or global()");
    }
    assertThat(rank1.send(CommBuffer.of(Arena.ofAuto().allocate(8), DataType.INT32), 0).bytes())
        .isEqualTo(8);
  }

  @Test
  void readOnlyMemoryMayBeSentOnly() {
    refused(
        () -> rank1.allReduce(readOnly(1), readOnly(1), ReduceOp.SUM),
        "allReduce on rank 1/3: recv is read-only, but receives data");
    refused(
        () -> rank1.broadcast(readOnly(1), 0),
        "broadcast on rank 1/3: buffer is read-only, but receives data");
    refused(
        () -> rank1.recv(readOnly(1), 0),
        "recv on rank 1/3: buffer is read-only, but receives data");
    assertThat(rank1.broadcast(readOnly(1), 1).rootRank()).isOne();
    assertThat(rank1.allReduce(readOnly(1), ints(1), ReduceOp.SUM).buffers()).hasSize(2);
  }

  @Test
  void operators() {
    refused(
        () -> rank1.allReduce(ints(1), ints(1), null),
        "allReduce on rank 1/3: op is null; pass a ReduceOp such as ReduceOp.SUM");
    refused(
        () -> rank1.reduce(floats(1), null, ReduceOp.BXOR, 0),
        "reduce on rank 1/3: BXOR is for integers, not for FLOAT32");
    refused(
        () -> rank1.reduceScatter(floats(3), floats(1), ReduceOp.BAND),
        "reduceScatter on rank 1/3: BAND is for integers, not for FLOAT32");
    assertThat(rank1.allReduce(ints(1), ints(1), ReduceOp.BOR).reduceOp()).isEqualTo(ReduceOp.BOR);
  }

  @Test
  void roots() {
    refused(
        () -> rank1.broadcast(ints(1), 3),
        "broadcast on rank 1/3: root is 3; ranks of this group are 0 to 2");
    refused(
        () -> rank1.reduce(ints(1), ints(1), ReduceOp.SUM, -1),
        "reduce on rank 1/3: root is -1; ranks of this group are 0 to 2");
    refused(
        () -> rank1.gather(ints(1), ints(3), 7),
        "gather on rank 1/3: root is 7; ranks of this group are 0 to 2");
    refused(
        () -> rank1.scatterV(ints(1), ints(3), new long[3], 7),
        "scatterV on rank 1/3: root is 7; ranks of this group are 0 to 2");
  }

  @Test
  void peers() {
    refused(
        () -> rank1.send(ints(1), 3),
        "send on rank 1/3: peer is 3; ranks of this group are 0 to 2");
    refused(
        () -> rank1.recv(ints(1), 1),
        "recv on rank 1/3: peer is this rank itself; use sendRecv or batch, where the receive"
            + " stands beside the send");
    refused(
        () -> rank1.sendRecv(ints(1), 4, ints(1), 0),
        "sendRecv on rank 1/3: destination is 4; ranks of this group are 0 to 2");
    refused(
        () -> rank1.sendRecv(ints(1), 0, ints(1), -2),
        "sendRecv on rank 1/3: source is -2; ranks of this group are 0 to 2");
    refused(
        () -> rank1.sendRecv(ints(1), 1, ints(1), 0),
        "sendRecv on rank 1/3: destination is 1 and source is 0; what a rank sends itself it must"
            + " receive in the same call");
    refused(
        () -> rank1.sendRecv(ints(1), 1, ints(2), 1),
        "sendRecv on rank 1/3: recv holds 2 elements, but send.count(), both of this rank = 1 are"
            + " needed; pass recv.slice(0, 1)");
    assertThat(rank1.sendRecv(ints(1), 0, floats(2), 2).buffers()).hasSize(2);
    assertThat(rank1.sendRecv(ints(1), 1, ints(1), 1).buffers()).hasSize(2);
  }

  @Test
  void typesAndDevices() {
    refused(
        () -> rank1.allReduce(ints(1), floats(1), ReduceOp.SUM),
        "allReduce on rank 1/3: send is INT32 but recv is FLOAT32; they must be of one type");
    refused(
        () -> rank1.allGather(ints(1), cuda(3)),
        "allGather on rank 1/3: buffers on cpu and on cuda:0; one operation's buffers lie on one"
            + " device");
    refused(
        () -> rank1.sendRecv(ints(1), 0, cuda(1), 0),
        "sendRecv on rank 1/3: buffers on cpu and on cuda:0; one operation's buffers lie on one"
            + " device");
    assertThat(rank1.allReduce(cuda(1), cuda(1), ReduceOp.SUM).buffers()).hasSize(2);
  }

  @Test
  void countsOfTheEvenForms() {
    refused(
        () -> rank1.allReduce(ints(2), ints(3), ReduceOp.SUM),
        "allReduce on rank 1/3: recv holds 3 elements, but send.count() = 2 are needed; pass"
            + " recv.slice(0, 2)");
    refused(
        () -> rank1.reduce(ints(2), ints(3), ReduceOp.SUM, 1),
        "reduce on rank 1/3: recv holds 3 elements, but send.count() = 2 are needed; pass"
            + " recv.slice(0, 2)");
    refused(
        () -> rank1.allGather(ints(2), ints(5)),
        "allGather on rank 1/3: recv holds 5 elements, but send.count() * size = 6 are needed; pass"
            + " a buffer of that size");
    refused(
        () -> rank1.gather(ints(2), ints(7), 1),
        "gather on rank 1/3: recv holds 7 elements, but send.count() * size = 6 are needed; pass"
            + " recv.slice(0, 6)");
    refused(
        () -> rank1.reduceScatter(ints(2), ints(2), ReduceOp.SUM),
        "reduceScatter on rank 1/3: send holds 2 elements, but recv.count() * size = 6 are needed;"
            + " pass a buffer of that size");
    refused(
        () -> rank1.scatter(ints(2), ints(2), 1),
        "scatter on rank 1/3: send holds 2 elements, but recv.count() * size = 6 are needed; pass"
            + " a buffer of that size");
    refused(
        () -> rank1.allToAll(ints(4), ints(4)),
        "allToAll on rank 1/3: send holds 4 elements, which 3 ranks cannot share equally; pass a"
            + " multiple of size, or use allToAllV");
    refused(
        () -> rank1.allToAll(ints(3), ints(6)),
        "allToAll on rank 1/3: recv holds 6 elements, but send.count() = 3 are needed; pass"
            + " recv.slice(0, 3)");
  }

  @Test
  void countsThatNoLongHolds() {
    CommBuffer huge =
        CommBuffer.ofDevice(
            MemorySegment.ofAddress(1 << 20), DataType.INT8, Long.MAX_VALUE / 2, Device.cuda(0));

    refused(
        () -> rank1.allGather(huge, huge),
        "allGather on rank 1/3: count 4611686018427387903 times 3 ranks is more than a long holds");
    refused(
        () -> rank1.allGatherV(ints(1), ints(1), new long[] {Long.MAX_VALUE, 1, 0}),
        "allGatherV on rank 1/3: the sum of counts is more than a long holds");
  }

  @Test
  void countsOfTheUnevenForms() {
    refused(
        () -> rank1.allGatherV(ints(1), ints(1), null),
        "allGatherV on rank 1/3: counts is null; pass one count a rank");
    refused(
        () -> rank1.gatherV(ints(1), ints(1), new long[2], 1),
        "gatherV on rank 1/3: counts has 2 entries; one is needed for each of 3 ranks");
    refused(
        () -> rank1.scatterV(ints(1), ints(1), new long[] {0, 1, -4}, 1),
        "scatterV on rank 1/3: counts: count -4 of rank 2 is negative");
    refused(
        () -> rank1.allGatherV(ints(2), ints(6), new long[] {2, 1, 3}),
        "allGatherV on rank 1/3: send holds 2 elements, but counts[rank] = 1 are needed; pass"
            + " send.slice(0, 1)");
    refused(
        () -> rank1.allGatherV(ints(1), ints(5), new long[] {2, 1, 3}),
        "allGatherV on rank 1/3: recv holds 5 elements, but the sum of counts = 6 are needed; pass"
            + " a buffer of that size");
    refused(
        () -> rank1.reduceScatterV(ints(6), ints(2), new long[] {2, 1, 3}, ReduceOp.SUM),
        "reduceScatterV on rank 1/3: recv holds 2 elements, but counts[rank] = 1 are needed; pass"
            + " recv.slice(0, 1)");
    refused(
        () -> rank1.gatherV(ints(2), ints(6), new long[] {2, 1, 3}, 1),
        "gatherV on rank 1/3: send holds 2 elements, but counts[root] = 1 are needed; pass"
            + " send.slice(0, 1)");
    refused(
        () -> rank1.scatterV(ints(5), ints(1), new long[] {2, 1, 3}, 1),
        "scatterV on rank 1/3: send holds 5 elements, but the sum of counts = 6 are needed; pass"
            + " a buffer of that size");
    refused(
        () -> rank1.allToAllV(ints(3), new long[] {1, 1, 1}, ints(3), new long[] {1, 2, 0}),
        "allToAllV on rank 1/3: sendCounts[rank] is 1 but recvCounts[rank] is 2; what a rank sends"
            + " itself it also receives");
    refused(
        () -> rank1.allToAllV(ints(3), new long[] {1, 1, 0}, ints(3), new long[] {1, 1, 1}),
        "allToAllV on rank 1/3: send holds 3 elements, but the sum of sendCounts = 2 are needed;"
            + " pass send.slice(0, 2)");
    assertThat(rank1.allGatherV(ints(0), ints(5), new long[] {2, 0, 3}).buffers()).hasSize(2);
  }

  @Test
  void overlapOtherThanTheInPlaceForms() {
    CommBuffer six = ints(6);
    refused(
        () -> rank1.allReduce(six.slice(0, 3), six.slice(1, 3), ReduceOp.SUM),
        "allReduce on rank 1/3: the buffers overlap; in place allows only: send and recv are the"
            + " same memory");
    refused(
        () -> rank1.allGather(six.slice(0, 2), six),
        "allGather on rank 1/3: the buffers overlap; in place allows only: send is block 1 of"
            + " recv");
    refused(
        () -> rank1.reduceScatter(six, six.slice(4, 2), ReduceOp.SUM),
        "reduceScatter on rank 1/3: the buffers overlap; in place allows only: recv is block 1 of"
            + " send");
    refused(
        () -> rank1.gather(six.slice(3, 2), six, 1),
        "gather on rank 1/3: the buffers overlap; in place allows only: send is block 1 of recv");
    refused(
        () -> rank1.scatter(six, six.slice(0, 2), 1),
        "scatter on rank 1/3: the buffers overlap; in place allows only: recv is block 1 of send");
    refused(
        () -> rank1.allToAll(six, six),
        "allToAll on rank 1/3: the buffers overlap; in place allows only: nothing: allToAll has no"
            + " in-place form");
    refused(
        () -> rank1.sendRecv(six.slice(0, 2), 0, six.slice(1, 2), 0),
        "sendRecv on rank 1/3: the buffers overlap; in place allows only: nothing: sendRecv has no"
            + " in-place form");
  }

  @Test
  void theInPlaceForms() {
    CommBuffer six = ints(6);
    long[] counts = {1, 2, 3};

    assertThat(
            List.of(
                rank1.allReduce(six, six, ReduceOp.SUM),
                rank1.reduce(six, six, ReduceOp.SUM, 1),
                rank1.allGather(six.slice(2, 2), six),
                rank1.allGatherV(six.slice(1, 2), six, counts),
                rank1.reduceScatter(six, six.slice(2, 2), ReduceOp.SUM),
                rank1.reduceScatterV(six, six.slice(1, 2), counts, ReduceOp.SUM),
                rank1.gather(six.slice(2, 2), six, 1),
                rank1.gatherV(six.slice(1, 2), six, counts, 1),
                rank1.scatter(six, six.slice(2, 2), 1),
                rank1.scatterV(six, six.slice(1, 2), counts, 1)))
        .extracting(Operation::name)
        .containsExactly(
            "allReduce",
            "reduce",
            "allGather",
            "allGatherV",
            "reduceScatter",
            "reduceScatterV",
            "gather",
            "gatherV",
            "scatter",
            "scatterV");
  }

  @Test
  void batches() {
    CommBuffer six = ints(6);
    refused(
        () -> rank1.batch(List.of(new Operation.Send(ints(1), 5))),
        "batch on rank 1/3: peer is 5; ranks of this group are 0 to 2");
    refused(
        () -> rank1.batch(List.of(new Operation.Recv(readOnly(1), 0))),
        "batch on rank 1/3: buffer is read-only, but receives data");
    refused(
        () -> rank1.batch(List.of(new Operation.Send(nothing(), 0))),
        "batch on rank 1/3: buffer is null; pass a CommBuffer, of count 0 if there is nothing");
    refused(
        () -> rank1.batch(List.of(new Operation.Barrier())),
        "batch on rank 1/3: barrier is no part of a batch; only send and recv are");
    refused(
        () -> rank1.batch(List.of(new Operation.Send(ints(1), 1))),
        "batch on rank 1/3: 1 sends to this rank itself and 0 receives from itself; each needs the"
            + " other in the same batch");
    refused(
        () ->
            rank1.batch(
                List.of(
                    new Operation.Send(ints(1), 1),
                    new Operation.Recv(ints(1), 1),
                    new Operation.Recv(ints(2), 1),
                    new Operation.Send(floats(2), 1))),
        "batch on rank 1/3: the 2nd send to this rank itself is 2 FLOAT32 on cpu, its receive 2"
            + " INT32 on cpu; they must be alike");
    refused(
        () ->
            rank1.batch(
                List.of(
                    new Operation.Send(six.slice(0, 3), 0),
                    new Operation.Recv(six.slice(2, 2), 2))),
        "batch on rank 1/3: a recv buffer overlaps another buffer of the batch; give each its own"
            + " memory");
    refused(
        () -> rank1.batch(List.of(new Operation.Send(ints(1), 0), new Operation.Send(cuda(1), 2))),
        "batch on rank 1/3: buffers on cpu and on cuda:0; one operation's buffers lie on one"
            + " device");

    assertThat(rank1.batch(List.of()).buffers()).isEmpty();
    assertThat(
            rank1
                .batch(
                    List.of(
                        new Operation.Send(six.slice(0, 3), 0),
                        new Operation.Send(six.slice(1, 3), 2),
                        new Operation.Recv(six.slice(4, 1), 0),
                        new Operation.Recv(six.slice(5, 1), 0),
                        new Operation.Recv(six.slice(5, 0), 0)))
                .buffers())
        .hasSize(5);
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // what a careless caller does
  private static <T> T nothing() {
    return null;
  }
}
