package dev.tutti.tcp;

import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.CollectiveMismatchException;
import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Engines whose connections end, or say something wrong, at a place that the test chooses. */
@Timeout(60)
class EngineTest {
  private static final Duration SOON = Duration.ofMillis(900);

  private static Operation allReduce(int count) {
    return new Operation.AllReduce(
        CommBuffer.of(new float[count]), CommBuffer.of(new float[count]), ReduceOp.SUM);
  }

  private static CommBuffer memory(long bytes) {
    return CommBuffer.of(Arena.ofAuto().allocate(bytes, 64), DataType.INT8);
  }

  private static EngineRanks connected(int size, boolean detectsDeath) throws IOException {
    EngineRanks ranks = EngineRanks.open(size, "tcp", detectsDeath);
    List<OpContext> barriers =
        IntStream.range(0, size)
            .mapToObj(rank -> ranks.rank(rank).issue(new Operation.Barrier()))
            .toList();
    ranks.finish(barriers);
    return ranks;
  }

  private static void checkLost(@Nullable CommException failure, int peer, String... parts) {
    if (!(failure instanceof PeerFailedException lost)) {
      throw new AssertionError("no peer is named", failure);
    }
    assertThat(lost.rank()).isEqualTo(peer);
    assertThat(lost).hasMessageContaining("the connection to rank " + peer + " is lost");
    assertThat(lost).hasMessageContaining("start the job again");
    for (String part : parts) {
      assertThat(lost).hasMessageContaining(part);
    }
  }

  @Test
  void aLostConnectionNamesThePeer() throws Exception {
    try (EngineRanks ranks = connected(3, false)) {
      CommBuffer all = CommBuffer.of(new float[300]);
      OpContext operation = ranks.rank(0).issue(new Operation.Gather(all.slice(0, 100), all, 0));
      ranks.rank(2).transport.cut();
      checkLost(
          ranks.failure(0, SOON), 2, "gather(100 FLOAT32, root 0) #1", "rank 0/3 of group world");
      assertThat(operation.isDone()).as("the group tells, not the engine").isFalse();
    }
  }

  /** Whether this side was sending or receiving, at every part of a message. */
  @ParameterizedTest
  @CsvSource({
    "send, 1", "send, 47", "send, 48", "send, 49", "send, 9000", "send, 500000",
    "recv, 1", "recv, 47", "recv, 48", "recv, 49", "recv, 9000", "recv, 500000",
  })
  void aConnectionThatEndsInAMessageIsLost(String direction, long after) throws Exception {
    try (EngineRanks ranks = connected(2, false)) {
      // More than the kernel takes without a reader.
      CommBuffer buffer = memory(30 << 20);
      boolean sends = direction.equals("send");
      Operation here = sends ? new Operation.Send(buffer, 1) : new Operation.Recv(buffer, 1);
      Operation there =
          sends ? new Operation.Recv(memory(30 << 20), 0) : new Operation.Send(memory(30 << 20), 0);
      ranks.rank(1).transport.cutAfter(after);
      ranks.rank(0).issue(here);
      ranks.rank(1).issue(there);
      long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
      while (ranks.failure(0, Duration.ofNanos(1)) == null) {
        assertThat(System.nanoTime()).as("nothing is seen").isLessThan(end);
        ranks.step(0, 1);
      }
      checkLost(ranks.failure(0, SOON), 1, direction);
      checkLost(ranks.failure(1, SOON), 0);
    }
  }

  /**
   * In the midst of a message the system says that an address is bad (EFAULT), which looks like a
   * lost connection; what came with the message's header is copied, which the JVM refuses.
   */
  @ParameterizedTest
  @CsvSource({"send, true", "recv, true", "recv, false"})
  void memoryFreedUnderWayIsNotBlamedOnThePeer(String direction, boolean inTheMidst)
      throws Exception {
    // More than the kernel takes without a reader.
    long bytes = 30 << 20;
    Path file = Files.createTempFile("tutti-freed", null);
    try (EngineRanks ranks = connected(2, false);
        FileChannel channel = FileChannel.open(file, READ, WRITE, DELETE_ON_CLOSE)) {
      boolean sends = direction.equals("send");
      CommBuffer kept = memory(bytes);
      Operation there = sends ? new Operation.Recv(kept, 0) : new Operation.Send(kept, 0);
      try (Arena arena = Arena.ofShared()) {
        // Mapped: what is unmapped is gone at once, where freed memory may linger.
        CommBuffer freed =
            CommBuffer.of(channel.map(MapMode.READ_WRITE, 0, bytes, arena), DataType.INT8);
        ranks.rank(0).issue(sends ? new Operation.Send(freed, 1) : new Operation.Recv(freed, 1));
        if (inTheMidst) {
          ranks.rank(1).issue(there);
          ranks.step(0, 1, 0);
        }
      }
      if (!inTheMidst) {
        ranks.rank(1).issue(there);
      }
      long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
      while (ranks.failure(0, Duration.ofNanos(1)) == null) {
        assertThat(System.nanoTime()).as("nothing is seen").isLessThan(end);
        ranks.step(0, 1);
      }
      assertThat(ranks.failure(0, SOON))
          .isInstanceOf(CommAbortedException.class)
          .hasMessageContaining("rank 0/2 of group world: a buffer's memory was freed")
          .hasMessageContaining("keep its arena open until the Work is complete");
    }
  }

  @Test
  void theControlLineIsGivenTimeToSayWhoFailed() throws Exception {
    try (EngineRanks ranks = connected(3, true)) {
      OpContext running = ranks.rank(0).issue(allReduce(100));
      OpContext queued = ranks.rank(0).issue(new Operation.Barrier());
      assertThat(ranks.rank(0).engine.losing()).isFalse();
      ranks.rank(1).transport.cut();
      ranks.rank(2).transport.cut();
      assertThat(ranks.failure(0, Duration.ofMillis(500))).isNull();
      assertThat(ranks.rank(0).engine.losing()).isTrue();
      CommException verdict = new PeerFailedException(2, "rank 2 was killed", null);
      ranks.rank(0).engine.abort(verdict);
      assertThat(running.failure()).isSameAs(verdict);
      assertThat(queued.failure())
          .isInstanceOf(PeerFailedException.class)
          .hasMessageContaining("barrier() was queued behind the failure");
      assertThat(ranks.rank(0).engine.advance()).isFalse();
    }
  }

  @Test
  void withoutAWordTheConnectionItselfIsBlamedAfterASecond() throws Exception {
    try (EngineRanks ranks = connected(3, true)) {
      ranks.rank(0).issue(allReduce(100));
      ranks.rank(1).transport.cut();
      long begin = System.nanoTime();
      checkLost(ranks.failure(0, Duration.ofSeconds(10)), 1);
      assertThat(Duration.ofNanos(System.nanoTime() - begin))
          .isBetween(Duration.ofMillis(900), Duration.ofSeconds(4));
    }
  }

  /** A socket that showed the right secret, then anything. */
  @ParameterizedTest
  @CsvSource({
    "0, what it sent is no frame of Tutti's",
    "2, 'frames of version 65, this rank knows 1'",
    "3, what it sent is no frame of Tutti's",
    "4, a frame of another group",
  })
  void aPeerThatSpeaksNonsenseIsLost(int wrong, String why) throws Exception {
    try (EngineRanks ranks = EngineRanks.open(2, "tcp", false)) {
      EngineRanks.Rank rank = ranks.rank(0);
      OpContext operation = rank.issue(new Operation.Recv(CommBuffer.of(new float[2]), 1));
      byte[] says = new byte[3 * Frame.BYTES];
      MemorySegment memory = MemorySegment.ofArray(says);
      Frame.writeHello(memory, rank.context.epoch(), rank.connections.secret(), 1, 2);
      Call call = Call.of(operation.operation());
      Frame.writeData(memory.asSlice(Frame.BYTES), rank.context.epoch(), 0, call, 0, 8);
      says[Frame.BYTES + wrong] ^= 0x40;
      try (Socket impostor =
          new Socket(
              rank.transport.listening().getAddress(), rank.transport.listening().getPort())) {
        impostor.getOutputStream().write(says);
        checkLost(ranks.failure(0, Duration.ofSeconds(5)), 1, why);
      }
      assertThat(rank.engine.awaited())
          .isEqualTo("8 of 8 bytes from rank 1, which has sent nothing yet");
    }
  }

  @Test
  void aConnectionThatIsRefusedIsLost() throws Exception {
    try (EngineRanks ranks = EngineRanks.open(2, "tcp", false)) {
      ranks.rank(0).connections.close();
      ranks.rank(1).issue(new Operation.Barrier());
      checkLost(ranks.failure(1, Duration.ofSeconds(5)), 0, "barrier() #0", "refused");
    }
  }

  @Test
  void anotherCallIsAMismatchAtOnce() throws Exception {
    try (EngineRanks ranks = connected(2, true)) {
      ranks.rank(0).issue(allReduce(100));
      ranks
          .rank(1)
          .issue(
              new Operation.AllReduce(
                  CommBuffer.of(new float[100]), CommBuffer.of(new float[100]), ReduceOp.MAX));
      ranks.step(0);
      assertThat(ranks.failure(1, SOON))
          .isInstanceOf(CollectiveMismatchException.class)
          .hasMessageContaining("rank 0 called allReduce(100 FLOAT32, SUM), its number 1")
          .hasMessageContaining(
              "the rank that got its message called allReduce(100 FLOAT32, MAX), its number 1");
    }
  }

  /** An operation without a message, between others: nothing of its predecessor may be left. */
  @Test
  void anOperationWithoutStepsIsDoneAtOnce() throws Exception {
    try (EngineRanks ranks = connected(3, true)) {
      for (int i = 0; i < 3; i++) {
        OpContext empty = ranks.rank(1).issue(allReduce(0));
        assertThat(empty.isDone()).isTrue();
        ranks.finish(
            List.of(
                ranks.rank(0).issue(allReduce(0)),
                ranks.rank(2).issue(allReduce(0)),
                ranks.rank(0).issue(allReduce(9)),
                ranks.rank(1).issue(allReduce(9)),
                ranks.rank(2).issue(allReduce(9))));
      }
    }
  }

  @Test
  void saysWhatItWaitsFor() throws Exception {
    try (EngineRanks ranks = EngineRanks.open(3, "tcp", true)) {
      EngineRanks.Rank rank = ranks.rank(1);
      assertThat(rank.engine.awaited()).isEmpty();
      rank.issue(
          new Operation.Batch(
              List.of(
                  new Operation.Recv(CommBuffer.of(new float[4]), 0),
                  new Operation.Recv(CommBuffer.of(new double[4]), 2))));
      ranks.step(1);
      assertThat(rank.engine.awaited())
          .isEqualTo(
              "16 of 16 bytes from rank 0, which has sent nothing yet,"
                  + " 32 of 32 bytes from rank 2, which has not connected");
    }
  }

  /**
   * From arrays through two slots, everyone with everyone: a step at a time, no wait hides a
   * deadlock.
   */
  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void ranksThatAllSendEndWithTheLeastOfSlots(String transport) throws Exception {
    String config = "tcp?scratch=64KiB&slot=16KiB&transport=" + transport;
    try (EngineRanks ranks = EngineRanks.open(3, config, true)) {
      // Far more than the sockets' buffers hold.
      int each = 12 << 20;
      List<OpContext> all =
          IntStream.range(0, 3)
              .mapToObj(
                  rank ->
                      ranks
                          .rank(rank)
                          .issue(
                              new Operation.AllToAll(
                                  CommBuffer.of(new byte[3 * each]),
                                  CommBuffer.of(new byte[3 * each]))))
              .toList();
      ranks.finish(all);
      assertThat(ranks.rank(0).pool.usage().inUse()).isZero();
      assertThat(ranks.rank(0).pool.usage().waits()).isPositive();
    }
  }
}
