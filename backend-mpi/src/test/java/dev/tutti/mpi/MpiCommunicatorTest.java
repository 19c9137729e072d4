package dev.tutti.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.CollectiveMismatchException;
import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import dev.tutti.comm.NativeCommException;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.Operation.Counts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every operation, with memory of both kinds mixed among the ranks, cut into tiny pieces. */
class MpiCommunicatorTest {
  private static final long SEED = 20_261_130;
  private static final String TINY = "mpi?chunk=64B";

  private final Random random = new Random(SEED);

  /** Every rank's memory is on the heap or native, as it happens. */
  private CommBuffer buffer(long count) {
    MemorySegment memory =
        random.nextBoolean()
            ? MemorySegment.ofArray(new long[(int) count])
            : Arena.ofAuto().allocate(count * Long.BYTES, Long.BYTES);
    return CommBuffer.of(memory, DataType.INT64);
  }

  /** Elements that tell the rank, and the place. */
  private CommBuffer filled(int rank, long count) {
    CommBuffer buffer = buffer(count);
    for (long i = 0; i < count; i++) {
      buffer.segment().setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, value(rank, i));
    }
    return buffer;
  }

  private static long value(int rank, long i) {
    return 1_000_000L * (rank + 1) + i;
  }

  private static long[] values(CommBuffer buffer) {
    return buffer.segment().toArray(ValueLayout.JAVA_LONG_UNALIGNED);
  }

  private static long[] expected(int rank, long from, long count) {
    return LongStream.range(from, from + count).map(i -> value(rank, i)).toArray();
  }

  private static long[] sums(int size, long count) {
    return LongStream.range(0, count)
        .map(i -> LongStream.range(0, size).map(r -> value((int) r, i)).sum())
        .toArray();
  }

  private static List<OpContext> issue(FakeRanks ranks, IntFunction<Operation> operation) {
    List<OpContext> issued = new ArrayList<>();
    for (FakeRanks.Rank rank : ranks.all()) {
      issued.add(rank.issue(operation.apply(rank.context.rank())));
    }
    return issued;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void everyCollectiveIsRight(int size) {
    for (String config : List.of(TINY, "mpi")) {
      for (long count : new long[] {0, 1, 7, 39}) {
        for (int root = 0; root < size; root += Math.max(1, size - 1)) {
          FakeRanks ranks = new FakeRanks(size, config, SEED);
          checkWhole(ranks, size, count, root);
          checkBlocks(ranks, size, count, root);
          checkUneven(ranks, size, count, root);
          for (FakeRanks.Rank rank : ranks.all()) {
            assertThat(rank.communicator.memory().inUse()).isZero();
            rank.communicator.close(Duration.ofSeconds(1));
            assertThat(rank.comm.freed).isEqualTo(1);
          }
        }
      }
    }
  }

  private void checkWhole(FakeRanks ranks, int size, long count, int root) {
    List<CommBuffer> recv = new ArrayList<>();
    List<OpContext> all = new ArrayList<>();
    for (FakeRanks.Rank rank : ranks.all()) {
      int r = rank.context.rank();
      CommBuffer sum = buffer(count);
      CommBuffer inPlace = filled(r, count);
      CommBuffer average = filled(r, count);
      CommBuffer reduced = r == root ? buffer(count) : filled(r, count);
      CommBuffer told = filled(r, count);
      recv.addAll(List.of(sum, inPlace, average, reduced, told));
      all.add(rank.issue(new Operation.AllReduce(filled(r, count), sum, ReduceOp.SUM)));
      all.add(rank.issue(new Operation.AllReduce(inPlace, inPlace, ReduceOp.SUM)));
      all.add(rank.issue(new Operation.Barrier()));
      all.add(rank.issue(new Operation.AllReduce(average, average, ReduceOp.AVG)));
      all.add(
          rank.issue(
              new Operation.Reduce(
                  filled(r, count), r == root ? reduced : null, ReduceOp.SUM, root)));
      all.add(rank.issue(new Operation.Broadcast(told, root)));
    }
    ranks.finish(all);
    long[] sums = sums(size, count);
    for (int r = 0; r < size; r++) {
      assertThat(values(recv.get(5 * r))).isEqualTo(sums);
      assertThat(values(recv.get(5 * r + 1))).isEqualTo(sums);
      assertThat(values(recv.get(5 * r + 2)))
          .isEqualTo(Arrays.stream(sums).map(sum -> sum / size).toArray());
      assertThat(values(recv.get(5 * r + 3))).isEqualTo(r == root ? sums : expected(r, 0, count));
      assertThat(values(recv.get(5 * r + 4))).isEqualTo(expected(root, 0, count));
    }
  }

  private void checkBlocks(FakeRanks ranks, int size, long count, int root) {
    List<CommBuffer> recv = new ArrayList<>();
    List<OpContext> all = new ArrayList<>();
    for (FakeRanks.Rank rank : ranks.all()) {
      int r = rank.context.rank();
      CommBuffer gathered = buffer(size * count);
      CommBuffer inPlace = buffer(size * count);
      CommBuffer own = inPlace.slice(r * count, count);
      own.segment().copyFrom(filled(r, count).segment());
      CommBuffer atRoot = buffer(size * count);
      CommBuffer scattered = buffer(count);
      CommBuffer swapped = buffer(size * count);
      recv.addAll(List.of(gathered, inPlace, atRoot, scattered, swapped));
      all.add(rank.issue(new Operation.AllGather(filled(r, count), gathered)));
      all.add(rank.issue(new Operation.AllGather(own, inPlace)));
      all.add(rank.issue(new Operation.Gather(filled(r, count), r == root ? atRoot : null, root)));
      all.add(
          rank.issue(
              new Operation.Scatter(r == root ? filled(r, size * count) : null, scattered, root)));
      all.add(rank.issue(new Operation.AllToAll(filled(r, size * count), swapped)));
    }
    ranks.finish(all);
    for (int r = 0; r < size; r++) {
      for (int from = 0; from < size; from++) {
        long[] block = expected(from, 0, count);
        assertThat(values(recv.get(5 * r).slice(from * count, count))).isEqualTo(block);
        assertThat(values(recv.get(5 * r + 1).slice(from * count, count))).isEqualTo(block);
        assertThat(values(recv.get(5 * r + 2).slice(from * count, count)))
            .isEqualTo(r == root ? block : new long[(int) count]);
        assertThat(values(recv.get(5 * r + 4).slice(from * count, count)))
            .isEqualTo(expected(from, r * count, count));
      }
      assertThat(values(recv.get(5 * r + 3))).isEqualTo(expected(root, r * count, count));
    }
  }

  private void checkUneven(FakeRanks ranks, int size, long count, int root) {
    // Some have nothing.
    Counts counts = Counts.of(LongStream.range(0, size).map(r -> r % 3 * count).toArray());
    List<CommBuffer> recv = new ArrayList<>();
    List<OpContext> all = new ArrayList<>();
    for (FakeRanks.Rank rank : ranks.all()) {
      int r = rank.context.rank();
      boolean atRoot = r == root;
      long mine = counts.count(r);
      // Rank r sends counts(r) elements to each.
      long[] same = new long[size];
      Arrays.fill(same, mine);
      CommBuffer gathered = buffer(counts.total());
      CommBuffer toRoot = buffer(counts.total());
      CommBuffer scattered = buffer(mine);
      CommBuffer swapped = buffer(counts.total());
      recv.addAll(List.of(gathered, toRoot, scattered, swapped));
      all.add(rank.issue(new Operation.AllGatherV(filled(r, mine), gathered, counts)));
      all.add(
          rank.issue(
              new Operation.GatherV(
                  filled(r, mine), atRoot ? toRoot : null, atRoot ? counts : null, root)));
      all.add(
          rank.issue(
              new Operation.ScatterV(
                  atRoot ? filled(r, counts.total()) : null,
                  scattered,
                  atRoot ? counts : null,
                  root)));
      all.add(
          rank.issue(
              new Operation.AllToAllV(filled(r, size * mine), Counts.of(same), swapped, counts)));
    }
    ranks.finish(all);
    for (int r = 0; r < size; r++) {
      for (int from = 0; from < size; from++) {
        long length = counts.count(from);
        long offset = counts.offset(from);
        assertThat(values(recv.get(4 * r).slice(offset, length)))
            .isEqualTo(expected(from, 0, length));
        assertThat(values(recv.get(4 * r + 1).slice(offset, length)))
            .isEqualTo(r == root ? expected(from, 0, length) : new long[(int) length]);
        assertThat(values(recv.get(4 * r + 3).slice(offset, length)))
            .isEqualTo(expected(from, r * length, length));
      }
      assertThat(values(recv.get(4 * r + 2)))
          .isEqualTo(expected(root, counts.offset(r), counts.count(r)));
    }
  }

  @Test
  void messagesOfAPairComeInOrderHoweverTheyAreGrouped() {
    FakeRanks ranks = new FakeRanks(2, TINY, SEED);
    List<CommBuffer> got = List.of(buffer(30), buffer(3), buffer(20), buffer(5));
    CommBuffer mine = buffer(4);
    List<OpContext> all = new ArrayList<>();
    all.add(
        ranks
            .rank(0)
            .issue(
                new Operation.Batch(
                    List.of(
                        new Operation.Send(filled(0, 30), 1),
                        new Operation.Send(filled(1, 3), 1),
                        new Operation.Send(filled(2, 20), 1)))));
    all.add(ranks.rank(0).issue(new Operation.SendRecv(filled(4, 4), 0, mine, 0)));
    all.add(ranks.rank(0).issue(new Operation.Send(filled(3, 5), 1)));
    all.add(ranks.rank(1).issue(new Operation.Recv(got.get(0), 0)));
    all.add(
        ranks
            .rank(1)
            .issue(
                new Operation.Batch(
                    List.of(
                        new Operation.Recv(got.get(1), 0), new Operation.Recv(got.get(2), 0)))));
    all.add(ranks.rank(1).issue(new Operation.Recv(got.get(3), 0)));
    ranks.finish(all);
    for (int i = 0; i < got.size(); i++) {
      assertThat(values(got.get(i))).isEqualTo(expected(i, 0, got.get(i).count()));
    }
    assertThat(values(mine)).isEqualTo(expected(4, 0, 4));
  }

  @Test
  void memoryIsBoundedWhateverTheSize() {
    FakeRanks ranks = new FakeRanks(3, "mpi?scratch=64KiB", SEED);
    List<OpContext> all =
        issue(
            ranks,
            r ->
                new Operation.AllToAll(
                    CommBuffer.of(new long[30_000]), CommBuffer.of(new long[30_000])));
    ranks.finish(all);
    assertThat(ranks.rank(0).communicator.memory().allocatedBytes())
        .isPositive()
        .isLessThanOrEqualTo(64 << 10);
  }

  @Tag("slow")
  @Test
  void moreBytesThanAnIntCountsAreMoved() {
    long count = (1L << 31) + 17;
    long[] places = {0, 1, Integer.MAX_VALUE, 1L << 31, count - 1};
    FakeRanks ranks = new FakeRanks(2, "mpi", SEED);
    try (Arena arena = Arena.ofConfined()) {
      List<CommBuffer> all = new ArrayList<>();
      for (int rank = 0; rank < 2; rank++) {
        all.add(CommBuffer.of(arena.allocate(count), DataType.UINT8));
      }
      for (boolean broadcast : new boolean[] {true, false}) {
        int from = broadcast ? 0 : 1;
        for (int i = 0; i < places.length; i++) {
          all.get(from).segment().set(ValueLayout.JAVA_BYTE, places[i], (byte) (i + 1 + from));
        }
        ranks.finish(
            issue(
                ranks,
                r ->
                    broadcast
                        ? new Operation.Broadcast(all.get(r), 0)
                        : r == from
                            ? new Operation.Send(all.get(r), 0)
                            : new Operation.Recv(all.get(r), 1)));
        assertThat(all.get(0).segment().mismatch(all.get(1).segment())).isEqualTo(-1);
        for (int i = 0; i < places.length; i++) {
          assertThat(all.get(1 - from).segment().get(ValueLayout.JAVA_BYTE, places[i]))
              .isEqualTo((byte) (i + 1 + from));
        }
      }
    }
  }

  @Test
  void largeReductionsAreLeftToTheLayerThatFolds() {
    MpiCommunicator communicator = new FakeRanks(1, "mpi?fold=1KiB", SEED).rank(0).communicator;
    for (int count : new int[] {255, 256}) {
      CommBuffer floats = CommBuffer.of(new float[count]);
      assertThat(
              communicator
                  .supports(new Operation.AllReduce(floats, floats, ReduceOp.SUM))
                  .isAvailable())
          .isEqualTo(count < 256);
    }
  }

  @Test
  void aMessageOfAnotherLengthIsAMismatch() {
    for (int longer = 0; longer < 2; longer++) {
      FakeRanks ranks = new FakeRanks(2, "mpi", SEED);
      ranks.rank(0).issue(new Operation.Send(filled(0, 4 + longer), 1));
      ranks.rank(1).issue(new Operation.Recv(buffer(5 - longer), 0));
      ranks.move();
      assertThat(ranks.rank(1).thrown)
          .isInstanceOf(CollectiveMismatchException.class)
          .hasMessageContaining("rank 1/2 of group world")
          .hasMessageContaining("same calls in the same order");
    }
  }

  @Test
  void anErrorOfMpiKeepsItsCodeAndItsWords() {
    FakeRanks ranks = new FakeRanks(2, "mpi", SEED);
    ranks.rank(0).comm.failure = new MpiFailure("MPI_Ibarrier", 16, false, "internal error", null);
    OpContext barrier = ranks.rank(0).issue(new Operation.Barrier());
    assertThat(ranks.rank(0).thrown)
        .isInstanceOfSatisfying(NativeCommException.class, e -> assertThat(e.code()).isEqualTo(16))
        .hasMessageContaining("barrier() #0 on rank 0/2")
        .hasMessageContaining("MPI_Ibarrier returned error 16 (internal error)");
    assertThat(barrier.failure()).isSameAs(ranks.rank(0).thrown);
  }

  @Test
  void whatMpiMayStillWriteToIsKeptAfterAnAbort() {
    FakeRanks ranks = new FakeRanks(2, "mpi", SEED);
    CommBuffer heap = CommBuffer.of(new long[10]);
    FakeRanks.Rank late = ranks.rank(0);
    OpContext first = late.issue(new Operation.Recv(heap, 1));
    OpContext second = late.issue(new Operation.Barrier());
    assertThat(late.communicator.awaited()).isEqualTo("80 of 80 bytes from rank 1");
    late.communicator.abort(new CommAbortedException("for the test", null));
    assertThat(first.failure()).hasMessage("for the test");
    assertThat(second.failure()).hasMessageContaining("barrier() was queued behind the failure");
    assertThat(late.communicator.memory().allocatedBytes()).isPositive();
    late.communicator.close(Duration.ofSeconds(1));
    assertThat(late.comm.freed).isZero();
    // The message still comes, into memory that is still there.
    ranks.rank(1).issue(new Operation.Send(filled(1, 10), 0));
    ranks.move();
    assertThat(late.communicator.advance()).isFalse();
  }

  @Test
  void nothingWaitsForMpiWhileAnotherThreadIsInIt() throws InterruptedException {
    FakeRanks ranks = new FakeRanks(1, "mpi", SEED);
    FakeRanks.Rank rank = ranks.rank(0);
    Thread other = Thread.ofPlatform().start(() -> assertThat(rank.process.tryEnter()).isTrue());
    other.join();
    OpContext barrier = rank.issue(new Operation.Barrier());
    assertThat(rank.communicator.advance()).isFalse();
    assertThat(barrier.isDone()).isFalse();
    rank.communicator.abort(new CommAbortedException("for the test", null));
    assertThat(barrier.failure()).isNotNull();
  }

  @Test
  void reductionsThatMpiLacksAreRefused() {
    FakeRanks ranks = new FakeRanks(1, "mpi", SEED);
    CommBuffer floats = CommBuffer.of(new float[4]);
    MpiCommunicator communicator = ranks.rank(0).communicator;
    assertThat(communicator.supports(new Operation.AllReduce(floats, floats, ReduceOp.MAX)))
        .matches(answer -> !answer.isAvailable())
        .hasToString(
            "Availability[reason=MPI has no allReduce of FLOAT32 that means the same, nextStep=null]");
    assertThat(
            communicator
                .supports(new Operation.ReduceScatter(floats, floats, ReduceOp.SUM))
                .isAvailable())
        .isFalse();
    assertThat(
            new FakeRanks(1, "mpi?order=ranked", SEED)
                .rank(0)
                .communicator
                .supports(new Operation.AllReduce(floats, floats, ReduceOp.SUM))
                .isAvailable())
        .isFalse();
  }
}
