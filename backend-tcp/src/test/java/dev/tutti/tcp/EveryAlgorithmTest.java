package dev.tutti.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.Operation.Counts;
import dev.tutti.tcp.schedule.OperationKind;
import dev.tutti.tcp.schedule.Overrides;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every algorithm that {@code algo=} can name, through the engine and real sockets: all types, odd
 * counts, even and uneven blocks, uncut and piece by piece.
 */
@Timeout(60)
class EveryAlgorithmTest {
  private static final List<Integer> SIZES = List.of(2, 3, 5, 8);

  /** Chunks and slots of 64 bytes, 512 bytes of scratch for schedules. */
  private static final String TINY = "&scratch=1024&chunk=64B&slot=64B";

  /** They pass on others' blocks, whose counts only the even forms tell. */
  private static final Set<String> ONLY_EVEN =
      Set.of("gather:binomial", "scatter:binomial", "allToAll:bruck");

  static Stream<Arguments> algorithms() {
    return Arrays.stream(OperationKind.values())
        .flatMap(
            kind -> Overrides.choices(kind).stream().map(each -> Arguments.of(kind, each.label())));
  }

  @ParameterizedTest(name = "{0} by {1}")
  @MethodSource("algorithms")
  void everyType(OperationKind kind, String algorithm) throws IOException {
    for (int size : SIZES) {
      try (EngineRanks ranks = open(kind, algorithm, size, "")) {
        for (DataType type : DataType.values()) {
          for (int count : new int[] {1, 39}) {
            new Round(kind, size, type, count, false).run(ranks, algorithm);
          }
        }
      }
    }
  }

  @ParameterizedTest(name = "{0} by {1}")
  @MethodSource("algorithms")
  void unevenBlocks(OperationKind kind, String algorithm) throws IOException {
    for (int size : SIZES) {
      try (EngineRanks ranks = open(kind, algorithm, size, "")) {
        for (int count : new int[] {1, 7, 1001}) {
          new Round(kind, size, DataType.INT32, count, true).run(ranks, algorithm);
        }
      }
    }
  }

  @ParameterizedTest(name = "{0} by {1}")
  @MethodSource("algorithms")
  void pieceByPiece(OperationKind kind, String algorithm) throws IOException {
    for (int size : SIZES) {
      try (EngineRanks ranks = open(kind, algorithm, size, TINY)) {
        for (boolean uneven : new boolean[] {false, true}) {
          new Round(kind, size, DataType.INT32, 211, uneven).run(ranks, algorithm);
        }
      }
    }
  }

  private static EngineRanks open(OperationKind kind, String algorithm, int size, String more)
      throws IOException {
    String config = "tcp?algo=%s:%s%s".formatted(kind.label(), algorithm, more);
    return EngineRanks.open(size, config, false);
  }

  /**
   * One operation on all ranks: rank r's element i is {@code (3r + i) % 7}, so that all sums are
   * exact in every type.
   *
   * @param count elements of a vector or block; of the longest one where they are uneven
   */
  private record Round(OperationKind kind, int size, DataType type, int count, boolean uneven) {

    void run(EngineRanks ranks, String algorithm) {
      List<CommBuffer> received = new ArrayList<>();
      List<OpContext> issued = new ArrayList<>();
      for (int rank = 0; rank < size; rank++) {
        CommBuffer send = encoded(sent(rank));
        CommBuffer recv =
            kind == OperationKind.BROADCAST ? send : encoded(new int[expected(rank).length]);
        received.add(recv);
        issued.add(ranks.rank(rank).issue(operation(rank, send, recv)));
      }
      ranks.finish(issued);
      String what = "%s by %s, %s".formatted(kind.label(), algorithm, this);
      for (int rank = 0; rank < size; rank++) {
        CommBuffer expected = encoded(expected(rank));
        assertThat(expected.segment().mismatch(received.get(rank).segment()))
            .as("%s: the first wrong byte on rank %d", what, rank)
            .isEqualTo(-1);
        String ran = issued.get(rank).trace().algorithm();
        if (uneven && ONLY_EVEN.contains(kind.label() + ":" + algorithm)) {
          assertThat(ran).as(what).isNotEqualTo(algorithm);
        } else {
          assertThat(ran).as(what).isEqualTo(algorithm);
        }
      }
    }

    private int root() {
      return size / 2;
    }

    private int element(int rank, long i) {
      return (int) ((3L * rank + i) % 7);
    }

    private int sum(long i) {
      return IntStream.range(0, size).map(rank -> element(rank, i)).sum();
    }

    /** Elements of a rank's block: none for one in four. */
    private long block(int rank) {
      return uneven ? (rank + 3L) % 4 * count / 3 : count;
    }

    private long[] blocks() {
      return IntStream.range(0, size).mapToLong(this::block).toArray();
    }

    private int total() {
      return (int) Arrays.stream(blocks()).sum();
    }

    private long before(int rank) {
      return Arrays.stream(blocks(), 0, rank).sum();
    }

    /** Elements that one rank has for another. */
    private long between(int from, int to) {
      return uneven ? (from + 2L * to) % 3 * count / 2 : count;
    }

    private long[] row(int from) {
      return IntStream.range(0, size).mapToLong(to -> between(from, to)).toArray();
    }

    private long[] column(int to) {
      return IntStream.range(0, size).mapToLong(from -> between(from, to)).toArray();
    }

    private int[] sent(int rank) {
      long length =
          switch (kind) {
            case ALL_REDUCE, REDUCE, BROADCAST -> count;
            case ALL_GATHER, GATHER -> block(rank);
            case REDUCE_SCATTER, SCATTER -> total();
            case ALL_TO_ALL -> Arrays.stream(row(rank)).sum();
            case BARRIER, BATCH -> 0;
          };
      return IntStream.range(0, (int) length).map(i -> element(rank, i)).toArray();
    }

    private int[] expected(int rank) {
      return switch (kind) {
        case ALL_REDUCE -> IntStream.range(0, count).map(this::sum).toArray();
        case REDUCE ->
            rank == root() ? IntStream.range(0, count).map(this::sum).toArray() : new int[count];
        case BROADCAST -> sent(root());
        case ALL_GATHER -> gathered();
        case GATHER -> rank == root() ? gathered() : new int[total()];
        case REDUCE_SCATTER ->
            IntStream.range(0, (int) block(rank)).map(i -> sum(before(rank) + i)).toArray();
        case SCATTER -> {
          int from = (int) before(rank);
          yield Arrays.copyOfRange(sent(root()), from, from + (int) block(rank));
        }
        case ALL_TO_ALL ->
            IntStream.range(0, size)
                .flatMap(
                    from -> {
                      int at = (int) Arrays.stream(row(from), 0, rank).sum();
                      int end = at + (int) between(from, rank);
                      return Arrays.stream(sent(from), at, end);
                    })
                .toArray();
        case BARRIER, BATCH -> new int[0];
      };
    }

    private int[] gathered() {
      return IntStream.range(0, size).flatMap(rank -> Arrays.stream(sent(rank))).toArray();
    }

    private Operation operation(int rank, CommBuffer send, CommBuffer recv) {
      boolean here = rank == root();
      Counts all = Counts.of(blocks());
      @Nullable Counts known = here ? all : null;
      return switch (kind) {
        case ALL_REDUCE -> new Operation.AllReduce(send, recv, ReduceOp.SUM);
        case REDUCE -> new Operation.Reduce(send, recv, ReduceOp.SUM, root());
        case BROADCAST -> new Operation.Broadcast(send, root());
        case ALL_GATHER ->
            uneven
                ? new Operation.AllGatherV(send, recv, all)
                : new Operation.AllGather(send, recv);
        case REDUCE_SCATTER ->
            uneven
                ? new Operation.ReduceScatterV(send, recv, all, ReduceOp.SUM)
                : new Operation.ReduceScatter(send, recv, ReduceOp.SUM);
        case GATHER ->
            uneven
                ? new Operation.GatherV(send, here ? recv : null, known, root())
                : new Operation.Gather(send, here ? recv : null, root());
        case SCATTER ->
            uneven
                ? new Operation.ScatterV(here ? send : null, recv, known, root())
                : new Operation.Scatter(here ? send : null, recv, root());
        case ALL_TO_ALL ->
            uneven
                ? new Operation.AllToAllV(send, Counts.of(row(rank)), recv, Counts.of(column(rank)))
                : new Operation.AllToAll(send, recv);
        case BARRIER -> new Operation.Barrier();
        case BATCH -> throw new IllegalArgumentException("a batch has no algorithm to choose");
      };
    }

    /** Returns small numbers as elements of the type. */
    private CommBuffer encoded(int[] values) {
      CommBuffer buffer = Placed.NATIVE.buffer(type, values.length);
      MemorySegment to = buffer.segment();
      for (int i = 0; i < values.length; i++) {
        float value = values[i];
        switch (type) {
          case INT8, UINT8 -> to.set(ValueLayout.JAVA_BYTE, i, (byte) values[i]);
          case INT32, UINT32 -> to.setAtIndex(ValueLayout.JAVA_INT, i, values[i]);
          case INT64, UINT64 -> to.setAtIndex(ValueLayout.JAVA_LONG, i, values[i]);
          case FLOAT16 -> to.setAtIndex(ValueLayout.JAVA_SHORT, i, Float.floatToFloat16(value));
          case BFLOAT16 ->
              to.setAtIndex(
                  ValueLayout.JAVA_SHORT, i, (short) (Float.floatToRawIntBits(value) >>> 16));
          case FLOAT32 -> to.setAtIndex(ValueLayout.JAVA_FLOAT, i, value);
          case FLOAT64 -> to.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
        }
      }
      return buffer;
    }
  }
}
