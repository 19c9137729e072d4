package dev.tutti.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.Operation.Counts;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What goes over the wire, to the byte: another release must be able to say that it is another one.
 */
class FrameTest {
  private static final HexFormat HEX = HexFormat.of();

  @Test
  void theDataHeaderIsFixed() {
    byte[] bytes = new byte[Frame.BYTES];
    MemorySegment header = MemorySegment.ofArray(bytes);
    Frame.writeData(
        header,
        0x0a0b0c0d,
        0x0102030405060708L,
        new Call(0x010901, 5, 0x1112131415161718L),
        0x21222324,
        0x3132333435363738L);
    assertThat(HEX.formatHex(bytes))
        .isEqualTo(
            "7554"
                + "01"
                + "01"
                + "0d0c0b0a"
                + "0807060504030201"
                + "01090100"
                + "05000000"
                + "1817161514131211"
                + "24232221"
                + "00000000"
                + "3837363534333231");
    assertThat(Frame.magic(header, 0)).isEqualTo(Frame.MAGIC);
    assertThat(Frame.version(header, 0)).isEqualTo(Frame.VERSION);
    assertThat(Frame.kind(header, 0)).isEqualTo(Frame.DATA);
    assertThat(Frame.epoch(header, 0)).isEqualTo(0x0a0b0c0d);
    assertThat(Frame.sequence(header, 0)).isEqualTo(0x0102030405060708L);
    assertThat(Frame.call(header, 0)).isEqualTo(0x010901);
    assertThat(Frame.root(header, 0)).isEqualTo(5);
    assertThat(Frame.count(header, 0)).isEqualTo(0x1112131415161718L);
    assertThat(Frame.message(header, 0)).isEqualTo(0x21222324);
    assertThat(Frame.length(header, 0)).isEqualTo(0x3132333435363738L);
  }

  @Test
  void theHelloIsFixed() {
    byte[] bytes = new byte[Frame.BYTES];
    MemorySegment hello = MemorySegment.ofArray(bytes);
    hello.fill((byte) 0xff);
    Frame.writeHello(hello, 2, 0x0102030405060708L, 6, 7);
    assertThat(HEX.formatHex(bytes))
        .isEqualTo(
            "7554"
                + "01"
                + "02"
                + "02000000"
                + "0807060504030201"
                + "06000000"
                + "07000000"
                + "00".repeat(24));
    assertThat(Frame.secret(hello, 0)).isEqualTo(0x0102030405060708L);
    assertThat(Frame.from(hello, 0)).isEqualTo(6);
    assertThat(Frame.size(hello, 0)).isEqualTo(7);
  }

  @Test
  void everyCallHasItsOwnFingerprint() {
    CommBuffer eight = CommBuffer.of(new float[8]);
    CommBuffer four = CommBuffer.of(new float[4]);
    Counts counts = Counts.of(4, 4);
    List<Operation> operations =
        List.of(
            new Operation.AllReduce(eight, eight, ReduceOp.SUM),
            new Operation.Reduce(eight, null, ReduceOp.SUM, 1),
            new Operation.Broadcast(eight, 1),
            new Operation.AllGather(four, eight),
            new Operation.AllGatherV(four, eight, counts),
            new Operation.ReduceScatter(eight, four, ReduceOp.SUM),
            new Operation.ReduceScatterV(eight, four, counts, ReduceOp.SUM),
            new Operation.Gather(four, null, 1),
            new Operation.GatherV(four, null, null, 1),
            new Operation.Scatter(null, four, 1),
            new Operation.ScatterV(null, four, null, 1),
            new Operation.AllToAll(eight, eight),
            new Operation.AllToAllV(eight, counts, eight, counts),
            new Operation.Send(eight, 1),
            new Operation.Barrier());
    assertThat(operations.stream().map(Call::of).map(Call::code)).doesNotHaveDuplicates();
    assertThat(operations.stream().map(Call::of).map(Call::describe))
        .containsExactly(
            "allReduce(8 FLOAT32, SUM)",
            "reduce(8 FLOAT32, SUM, root 1)",
            "broadcast(8 FLOAT32, root 1)",
            "allGather(4 FLOAT32)",
            "allGatherV(8 FLOAT32)",
            "reduceScatter(4 FLOAT32, SUM)",
            "reduceScatterV(8 FLOAT32, SUM)",
            "gather(4 FLOAT32, root 1)",
            "gatherV(FLOAT32, root 1)",
            "scatter(4 FLOAT32, root 1)",
            "scatterV(FLOAT32, root 1)",
            "allToAll(8 FLOAT32)",
            "allToAllV(FLOAT32)",
            "send or recv(8 FLOAT32)",
            "barrier()");
  }

  /**
   * Numbers of types and operators are the wire's own: a new constant in the middle must not move
   * them.
   */
  @ParameterizedTest
  @EnumSource(DataType.class)
  void typesAndOperatorsHaveFixedNumbers(DataType type) {
    assertThat(Call.knows(type)).isTrue();
    List<DataType> order =
        List.of(
            DataType.INT8,
            DataType.UINT8,
            DataType.INT32,
            DataType.UINT32,
            DataType.INT64,
            DataType.UINT64,
            DataType.FLOAT16,
            DataType.BFLOAT16,
            DataType.FLOAT32,
            DataType.FLOAT64);
    List<ReduceOp> operators =
        List.of(
            ReduceOp.SUM,
            ReduceOp.PROD,
            ReduceOp.MIN,
            ReduceOp.MAX,
            ReduceOp.AVG,
            ReduceOp.BAND,
            ReduceOp.BOR,
            ReduceOp.BXOR);
    CommBuffer buffer = CommBuffer.of(MemorySegment.ofArray(new byte[8]), type);
    for (ReduceOp op : ReduceOp.all()) {
      int code = 1 << 16 | (order.indexOf(type) + 1) << 8 | (operators.indexOf(op) + 1);
      assertThat(Call.of(new Operation.AllReduce(buffer, buffer, op)).code()).isEqualTo(code);
    }
  }

  @Test
  void whatAnotherReleaseMayCallIsDescribedToo() {
    assertThat(new Call(0x7f6e6d, -1, -1).describe())
        .isEqualTo("unknown 127(unknown 110, unknown 109)");
    assertThat(new Call(-1, -1, -1).describe()).isEqualTo("unknown 255(unknown 255, unknown 255)");
  }
}
