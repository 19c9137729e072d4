package dev.tutti.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CollectiveMismatchException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.internal.reduce.ReduceKernels;
import dev.tutti.comm.spi.SlotPool;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A link over a scripted wire: however its bytes are cut up, the messages come out whole or not at
 * all.
 */
@Timeout(60)
class LinkTest {
  private static final long SEED = 20250607;
  private static final int EPOCH = 77;

  /** Inline, just about the inline limit and the stage, in the payload's own memory, many slots. */
  private static final List<Integer> LENGTHS =
      List.of(0, 8, 4096, 8136, 8144, 8184, 8192, 8200, 8240, 20_000);

  private static final Call CALL = new Call(0x010901, -1, 1000);

  private final Arena arena = Arena.ofShared();
  private final SlotPool pool = new SlotPool(2, 256);

  @AfterEach
  void free() {
    assertThat(pool.usage().inUse()).as("slots that nobody gave back").isZero();
    pool.close();
    arena.close();
  }

  /** Where a message's memory lies, or what is done with it. */
  enum Path {
    NATIVE,
    HEAP,
    REDUCE,
    REDUCE_HEAP;

    boolean reduces() {
      return this == REDUCE || this == REDUCE_HEAP;
    }
  }

  /** How the bytes of a stream are cut up. */
  enum Cut {
    WHOLE,
    ONE_BYTE,
    RANDOM,
    RANDOM_OR_NOTHING,
    ODD_BLOCKS;

    LongUnaryOperator moves(Random random) {
      return switch (this) {
        case WHOLE -> wanted -> wanted;
        case ONE_BYTE -> wanted -> Math.min(wanted, 1);
        case RANDOM -> wanted -> wanted == 0 ? 0 : 1 + random.nextLong(wanted);
        case RANDOM_OR_NOTHING -> wanted -> random.nextBoolean() ? 0 : random.nextLong(wanted + 1);
        case ODD_BLOCKS -> wanted -> Math.min(wanted, 53);
      };
    }
  }

  private Link link(int peer) {
    return new Link(peer, EPOCH, pool, arena);
  }

  private MemorySegment memory(Path path, int bytes) {
    // An odd offset: nothing may depend on alignment.
    return path == Path.HEAP || path == Path.REDUCE_HEAP
        ? MemorySegment.ofArray(new byte[bytes + 1]).asSlice(1)
        : arena.allocate(bytes + 1).asSlice(1);
  }

  private static MemorySegment fill(MemorySegment memory, Random random) {
    for (long i = 0; i < memory.byteSize(); i++) {
      memory.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt(256));
    }
    return memory;
  }

  private static byte[] bytes(MemorySegment memory) {
    return memory.toArray(ValueLayout.JAVA_BYTE);
  }

  /** The bytes of one message as a link writes them. */
  private byte[] frame(long sequence, Call call, int message, MemorySegment payload)
      throws IOException {
    FakeWire wire = new FakeWire();
    Link link = link(1);
    link.attach(wire);
    send(link, sequence, call, message, payload);
    return wire.written();
  }

  private static void send(Link link, long sequence, Call call, int message, MemorySegment payload)
      throws IOException {
    assertThat(link.readyToSend()).isTrue();
    link.beginSend(sequence, call, message, payload, 0, payload.byteSize());
    int calls = 0;
    while (link.sending()) {
      link.flush();
      assertThat(++calls).as("calls").isLessThan(1_000_000);
    }
  }

  private static void receive(
      Link link,
      long sequence,
      Call call,
      int message,
      MemorySegment into,
      Link.@Nullable Combination with)
      throws IOException {
    link.beginReceive(sequence, call, message, into, 0, into.byteSize(), with);
    int calls = 0;
    while (link.receiving()) {
      link.fill();
      assertThat(++calls).as("calls").isLessThan(1_000_000);
    }
  }

  static Stream<Path> paths() {
    return Stream.of(Path.values());
  }

  @ParameterizedTest
  @MethodSource("paths")
  void aMessageIsWrittenTheSameHoweverTheWireTakesIt(Path path) throws IOException {
    Random random = new Random(SEED);
    for (int length : LENGTHS) {
      MemorySegment payload = fill(memory(path, length), random);
      ByteBuffer expected = ByteBuffer.allocate(Frame.BYTES + length);
      Frame.writeData(MemorySegment.ofBuffer(expected), EPOCH, 5, CALL, 3, length);
      expected.put(Frame.BYTES, bytes(payload));
      for (Cut cut : Cut.values()) {
        FakeWire wire = new FakeWire().writing(cut.moves(random));
        Link link = link(1);
        link.attach(wire);
        send(link, 5, CALL, 3, payload);
        assertThat(wire.written()).as("%s, %d bytes", cut, length).isEqualTo(expected.array());
        assertThat(link.readyToSend()).isTrue();
        assertThat(link.flush()).as("nothing is left").isFalse();
        assertThat(wire.writeInterest).isFalse();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("paths")
  void messagesInOneStreamAreReadTheSameHoweverTheyArrive(Path path) throws IOException {
    Random random = new Random(SEED);
    for (Cut cut : Cut.values()) {
      FakeWire wire = new FakeWire().reading(cut.moves(random));
      List<MemorySegment> sent = new ArrayList<>();
      for (int length : LENGTHS) {
        MemorySegment payload = fill(memory(Path.NATIVE, length), random);
        wire.receives(frame(sent.size(), CALL, 2, payload));
        sent.add(payload);
      }
      Link link = link(1);
      link.attach(wire);
      for (int i = 0; i < sent.size(); i++) {
        int length = LENGTHS.get(i);
        MemorySegment into = memory(path, length);
        MemorySegment local = fill(memory(path, length), random);
        Link.Combination with =
            path.reduces() ? new Link.Combination(ReduceOp.SUM, DataType.INT32, local, 0) : null;
        receive(link, i, CALL, 2, into, with);
        MemorySegment expected = sent.get(i);
        if (path.reduces()) {
          expected = memory(Path.HEAP, length);
          ReduceKernels.combine(
              ReduceOp.SUM, DataType.INT32, expected, 0, local, 0, sent.get(i), 0, length / 4);
        }
        assertThat(bytes(into)).as("%s, %d bytes", cut, length).isEqualTo(bytes(expected));
      }
      assertThat(wire.unread()).isZero();
      assertThat(wire.readInterest).isFalse();
    }
  }

  /** Elements are combined whole, wherever a read ends and whatever a slot holds. */
  @ParameterizedTest
  @EnumSource(DataType.class)
  void anElementMayBeSplitBetweenReads(DataType type) throws IOException {
    int length = 8_500 / type.byteSize() * type.byteSize();
    Random random = new Random(SEED);
    MemorySegment sent = fill(memory(Path.NATIVE, length), random);
    MemorySegment local = fill(memory(Path.NATIVE, length), random);
    if (type.isFloating()) {
      // No NaN, whose bits are nobody's promise.
      sent.fill((byte) 0x11);
      local.fill((byte) 0x12);
    }
    MemorySegment expected = memory(Path.NATIVE, length);
    ReduceKernels.combine(
        ReduceOp.SUM, type, expected, 0, local, 0, sent, 0, length / type.byteSize());
    byte[] stream = frame(1, CALL, 0, sent);
    for (int slotBytes : new int[] {64, 8192}) {
      for (int atOnce = 1; atOnce <= 2 * type.byteSize() + 1; atOnce++) {
        int most = atOnce;
        try (SlotPool slots = new SlotPool(1, slotBytes)) {
          FakeWire wire = new FakeWire().receives(stream).reading(n -> Math.min(n, most));
          Link link = new Link(1, EPOCH, slots, arena);
          link.attach(wire);
          MemorySegment into = memory(Path.NATIVE, length);
          receive(link, 1, CALL, 0, into, new Link.Combination(ReduceOp.SUM, type, local, 0));
          assertThat(bytes(into)).as("%d at once", atOnce).isEqualTo(bytes(expected));
          assertThat(slots.usage().inUse()).isZero();
        }
      }
    }
  }

  @Test
  void aReductionMayWriteOverItsLocalOperand() throws IOException {
    for (int count : new int[] {3, 5000}) {
      MemorySegment sent = arena.allocate(4L * count);
      MemorySegment memory = arena.allocate(4L * count);
      for (int i = 0; i < count; i++) {
        sent.setAtIndex(ValueLayout.JAVA_INT, i, i);
        memory.setAtIndex(ValueLayout.JAVA_INT, i, 10 * i);
      }
      Link link = link(1);
      link.attach(new FakeWire().receives(frame(1, CALL, 0, sent)).reading(n -> Math.min(n, 101)));
      receive(
          link, 1, CALL, 0, memory, new Link.Combination(ReduceOp.SUM, DataType.INT32, memory, 0));
      for (int i = 0; i < count; i++) {
        assertThat(memory.getAtIndex(ValueLayout.JAVA_INT, i)).isEqualTo(11 * i);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("paths")
  void withoutAFreeSlotAMessageWaitsForOne(Path path) throws IOException {
    MemorySegment payload = fill(memory(path, 20_000), new Random(SEED));
    byte[] stream = frame(1, CALL, 0, payload);
    MemorySegment first = Objects.requireNonNull(pool.tryAcquire());
    MemorySegment second = Objects.requireNonNull(pool.tryAcquire());
    boolean sendNeedsSlot = path == Path.HEAP || path == Path.REDUCE_HEAP;

    FakeWire out = new FakeWire();
    Link sender = link(1);
    sender.attach(out);
    sender.beginSend(1, CALL, 0, payload, 0, payload.byteSize());
    for (int i = 0; i < 100; i++) {
      sender.flush();
    }
    assertThat(sender.sending()).isEqualTo(sendNeedsSlot);

    FakeWire in = new FakeWire().receives(stream);
    Link receiver = link(1);
    receiver.attach(in);
    MemorySegment into = memory(path, 20_000);
    MemorySegment zeros = arena.allocate(20_000);
    receiver.beginReceive(
        1,
        CALL,
        0,
        into,
        0,
        into.byteSize(),
        path.reduces() ? new Link.Combination(ReduceOp.BXOR, DataType.INT8, zeros, 0) : null);
    for (int i = 0; i < 100; i++) {
      receiver.fill();
    }
    assertThat(receiver.receiving()).isEqualTo(path != Path.NATIVE);
    if (path == Path.NATIVE) {
      assertThat(pool.usage().waits()).isZero();
    } else {
      assertThat(pool.usage().waits()).isPositive();
      assertThat(receiver.awaited()).contains("of 20000 bytes from rank 1");
    }

    pool.release(first);
    for (int i = 0; i < 1000; i++) {
      sender.flush();
      receiver.fill();
    }
    assertThat(sender.sending()).isFalse();
    assertThat(receiver.receiving()).isFalse();
    assertThat(out.written()).isEqualTo(stream);
    assertThat(bytes(into)).isEqualTo(bytes(payload));
    pool.release(second);
  }

  /** Else the last slots of two ranks could wait for each other: both send, neither can receive. */
  @Test
  void aSendThatIsStuckGivesTheLastSlotUp() throws IOException {
    long[] room = {100};
    FakeWire stuck =
        new FakeWire()
            .writing(
                wanted -> {
                  long moved = Math.min(wanted, room[0]);
                  room[0] -= moved;
                  return moved;
                });
    MemorySegment payload = fill(memory(Path.HEAP, 20_000), new Random(SEED));
    Link sender = link(1);
    sender.attach(stuck);
    sender.beginSend(1, CALL, 0, payload, 0, payload.byteSize());
    sender.flush();
    sender.flush();
    assertThat(pool.usage().inUse()).as("kept while there are others").isEqualTo(1);
    MemorySegment other = Objects.requireNonNull(pool.tryAcquire());
    sender.flush();
    assertThat(pool.usage().inUse()).as("given up").isEqualTo(1);

    Link receiver = link(2);
    receiver.attach(new FakeWire().receives(frame(1, CALL, 0, payload)));
    MemorySegment into = memory(Path.HEAP, 20_000);
    receive(receiver, 1, CALL, 0, into, null);
    assertThat(bytes(into)).isEqualTo(bytes(payload));

    room[0] = Long.MAX_VALUE;
    while (sender.sending()) {
      sender.flush();
    }
    assertThat(stuck.written()).isEqualTo(frame(1, CALL, 0, payload));
    pool.release(other);
  }

  @ParameterizedTest
  @MethodSource("paths")
  void aStreamThatEndsIsNeverAMessage(Path path) throws IOException {
    for (int length : new int[] {8, 300, 8_400}) {
      byte[] stream = frame(1, CALL, 0, fill(memory(path, length), new Random(SEED)));
      int step = length > 100 ? 37 : 1;
      for (int end = 0; end < stream.length; end += step) {
        byte[] begun = Arrays.copyOf(stream, end);
        Link link = link(1);
        link.attach(new FakeWire().receives(begun).ends().reading(n -> Math.min(n, 1000)));
        MemorySegment into = memory(path, length);
        Link.Combination with =
            path.reduces() ? new Link.Combination(ReduceOp.BOR, DataType.INT8, into, 0) : null;
        assertThatThrownBy(() -> receive(link, 1, CALL, 0, into, with))
            .as("%d of %d bytes", end, stream.length)
            .isInstanceOf(EOFException.class)
            .hasMessage("it closed its connection");
        assertThat(link.receiving()).isTrue();
        link.close();
      }
    }
  }

  @Test
  void theEndBehindAMessageIsNotLookedAt() throws IOException {
    MemorySegment payload = fill(memory(Path.NATIVE, 9_000), new Random(SEED));
    Link link = link(1);
    link.attach(new FakeWire().receives(frame(1, CALL, 0, payload)).ends());
    MemorySegment into = memory(Path.NATIVE, 9_000);
    receive(link, 1, CALL, 0, into, null);
    assertThat(bytes(into)).isEqualTo(bytes(payload));
  }

  /** A byte of the header that is not what it should be: where it lies, what comes of it. */
  @ParameterizedTest
  @CsvSource({
    "0, what it sent is no frame of Tutti's",
    "1, what it sent is no frame of Tutti's",
    "3, what it sent is no frame of Tutti's",
    "2, it sends frames of version",
    "4, it sent a frame of another group",
  })
  void whatIsNoFrameOfThisGroupLosesTheConnection(int at, String why) throws IOException {
    byte[] stream = frame(1, CALL, 0, arena.allocate(8));
    stream[at] ^= 0x40;
    Link link = link(1);
    link.attach(new FakeWire().receives(stream));
    assertThatThrownBy(() -> receive(link, 1, CALL, 0, arena.allocate(8), null))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why);
    assertThat(link.receiving()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 7, 9, 4096, 1L << 40, Long.MAX_VALUE, -1, Long.MIN_VALUE})
  void aLengthOtherThanTheExpectedOneIsNeverRead(long length) {
    ByteBuffer stream = ByteBuffer.allocate(Frame.BYTES + 4096);
    Frame.writeData(MemorySegment.ofBuffer(stream), EPOCH, 1, CALL, 0, length);
    MemorySegment memory = arena.allocate(24);
    memory.fill((byte) 9);
    Link link = link(1);
    link.attach(new FakeWire().receives(stream.array()));
    assertThatThrownBy(() -> receive(link, 1, CALL, 0, memory.asSlice(8, 8), null))
        .isInstanceOf(CollectiveMismatchException.class)
        .hasMessageContaining("message 0 of " + length + " bytes")
        .hasMessageContaining("message 0 of 8 bytes was due");
    assertThat(bytes(memory)).containsOnly(9);
  }

  @Test
  void aMismatchShowsBothCalls() throws IOException {
    Call theirs = new Call(4 << 16 | 9 << 8, -1, 8);
    Call mine = new Call(1 << 16 | 10 << 8 | 4, -1, 7);
    Consumer<byte[]> check =
        stream -> {
          Link link = link(3);
          link.attach(new FakeWire().receives(stream));
          assertThatThrownBy(() -> receive(link, 12, mine, 0, arena.allocate(32), null))
              .isInstanceOf(CollectiveMismatchException.class)
              .hasMessageContaining("rank 3 called allGather(8 FLOAT32), its number 11;")
              .hasMessageContaining(
                  "the rank that got its message called allReduce(7 FLOAT64, MAX), its number 12")
              .hasMessageContaining("same calls in the same order");
        };
    check.accept(frame(11, theirs, 0, arena.allocate(32)));
  }

  @Test
  void everyPartOfTheFingerprintCounts() throws IOException {
    List<byte[]> others =
        List.of(
            frame(2, CALL, 0, arena.allocate(8)),
            frame(1, CALL, 1, arena.allocate(8)),
            frame(1, new Call(CALL.code() + 1, CALL.root(), CALL.count()), 0, arena.allocate(8)),
            frame(1, new Call(CALL.code(), 0, CALL.count()), 0, arena.allocate(8)),
            frame(
                1,
                new Call(CALL.code(), CALL.root(), CALL.count() + (1L << 33)),
                0,
                arena.allocate(8)));
    for (byte[] stream : others) {
      Link link = link(1);
      link.attach(new FakeWire().receives(stream));
      assertThatThrownBy(() -> receive(link, 1, CALL, 0, arena.allocate(8), null))
          .isInstanceOf(CollectiveMismatchException.class);
    }
  }

  @Test
  void randomBytesNeverBecomeAMessage() {
    Random random = new Random(SEED);
    for (int i = 0; i < 2_000; i++) {
      byte[] garbage = new byte[random.nextInt(200)];
      random.nextBytes(garbage);
      Link link = link(1);
      link.attach(new FakeWire().receives(garbage).ends());
      assertThatThrownBy(() -> receive(link, 1, CALL, 0, arena.allocate(8), null))
          .isInstanceOf(IOException.class);
    }
  }

  @ParameterizedTest
  @EnumSource(Cut.class)
  void theHelloGoesOutBeforeAnythingElse(Cut cut) throws IOException {
    FakeWire wire = new FakeWire().writing(cut.moves(new Random(SEED)));
    Link link = link(0);
    assertThat(link.isConnected()).isFalse();
    assertThat(link.readyToSend()).isFalse();
    assertThat(link.flush()).isFalse();
    assertThat(link.greet()).isFalse();
    link.attach(wire, 0x1122334455667788L, 4, 5);
    assertThat(link.isConnected()).isTrue();
    assertThat(link.readyToSend()).as("before the hello is written").isFalse();
    assertThat(wire.writeInterest).isTrue();
    int calls = 0;
    while (!link.readyToSend()) {
      link.greet();
      assertThat(++calls).isLessThan(10_000);
    }
    assertThat(wire.writeInterest).isFalse();
    send(link, 9, CALL, 0, arena.allocate(16));
    byte[] all = wire.written();
    ByteBuffer hello = ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN);
    assertThat(all).hasSize(2 * Frame.BYTES + 16);
    assertThat(hello.getShort(0)).isEqualTo(Frame.MAGIC);
    assertThat(hello.get(2)).isEqualTo(Frame.VERSION);
    assertThat(hello.get(3)).isEqualTo(Frame.HELLO);
    assertThat(hello.getInt(4)).isEqualTo(EPOCH);
    assertThat(hello.getLong(8)).isEqualTo(0x1122334455667788L);
    assertThat(hello.getInt(16)).isEqualTo(4);
    assertThat(hello.getInt(20)).isEqualTo(5);
    assertThat(hello.get(Frame.BYTES + 3)).isEqualTo(Frame.DATA);
  }

  @Test
  void aRefusedHelloShowsAsAnEnd() throws IOException {
    FakeWire wire = new FakeWire();
    Link link = link(0);
    link.attach(wire, 1, 1, 2);
    link.greet();
    wire.ends();
    assertThatThrownBy(() -> receive(link, 0, CALL, 0, arena.allocate(8), null))
        .isInstanceOf(EOFException.class);
    assertThat(link.awaited()).isEqualTo("8 of 8 bytes from rank 0, which has sent nothing yet");
  }

  @Test
  void aBrokenWireThrowsWhatBrokeIt() throws IOException {
    FakeWire wire = new FakeWire();
    Link link = link(1);
    link.attach(wire);
    IOException how = new IOException("Connection reset by peer");
    wire.breaks(how);
    link.beginSend(1, CALL, 0, arena.allocate(8), 0, 8);
    assertThatThrownBy(link::flush).isSameAs(how);
    assertThatThrownBy(() -> receive(link, 1, CALL, 0, arena.allocate(8), null)).isSameAs(how);
  }

  @Test
  void saysWhatItWaitsFor() throws IOException {
    Link link = link(3);
    assertThat(link.awaited()).isEmpty();
    link.beginReceive(1, CALL, 0, arena.allocate(64), 0, 64, null);
    assertThat(link.fill()).isFalse();
    assertThat(link.awaited()).isEqualTo("64 of 64 bytes from rank 3, which has not connected");
    FakeWire wire = new FakeWire();
    link.attach(wire);
    assertThat(wire.readInterest).as("posted before it was connected").isTrue();
    assertThat(link.awaited()).isEqualTo("64 of 64 bytes from rank 3, which has sent nothing yet");
    byte[] stream = frame(1, CALL, 0, arena.allocate(64));
    wire.receives(Arrays.copyOf(stream, stream.length - 60));
    link.fill();
    assertThat(link.awaited()).isEqualTo("60 of 64 bytes from rank 3");
    link.ignore();
    assertThat(wire.readInterest).isFalse();
    link.close();
    assertThat(wire.closed).isTrue();
    assertThat(link.awaited()).isEmpty();

    Link sender = link(2);
    sender.attach(new FakeWire().writing(wanted -> 0));
    sender.beginSend(1, CALL, 0, arena.allocate(9_000), 0, 9_000);
    assertThat(sender.flush()).isFalse();
    assertThat(sender.awaited()).isEqualTo("rank 2 to take 9048 bytes");
  }

  @Test
  void closeGivesTheSlotsBack() throws IOException {
    Link link = link(1);
    link.attach(new FakeWire().writing(wanted -> Math.min(wanted, 60)));
    link.beginSend(1, CALL, 0, memory(Path.HEAP, 20_000), 0, 20_000);
    link.flush();
    assertThat(pool.usage().inUse()).isEqualTo(1);
    link.close();
    link.close();
    assertThat(pool.usage().inUse()).isZero();
  }
}
