package dev.tutti.comm.internal.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import dev.tutti.comm.LocalRanks;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.Work;
import dev.tutti.comm.internal.TestProviders;
import dev.tutti.comm.internal.reduce.ReduceKernels;
import dev.tutti.comm.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Groups of threads over backends that lack reductions: every operation, operator and type, in one
 * chunk or many, against a fold of all ranks' elements on this thread. The kernels have a test of
 * their own.
 */
@Timeout(100)
class FoldedResultsTest {
  private static final int[] SIZES = {1, 2, 3, 5};

  /**
   * None, fewer than ranks, one round or a few, and many chunks with a rest in 1 KiB of scratch.
   */
  private static final int[] COUNTS = {0, 1, 21, 333};

  private final long seed = Long.getLong("tutti.test.seed", System.nanoTime());

  /** Runs ranks on one of {@link LackingBackends}. */
  private static void run(int size, String config, Consumer<ProcessGroup> body) throws Exception {
    TestProviders.with(
        () -> LocalRanks.run(size, config, body::accept),
        LackingBackends.Unranked.class,
        LackingBackends.Mover.class,
        LackingBackends.ByteMover.class,
        LackingBackends.Barriers.class);
  }

  static Stream<Arguments> groups() {
    return Stream.of(
            "unranked?order=ranked",
            "mover",
            "bytemover",
            "unranked?order=ranked&scratch=1KiB",
            "mover?scratch=1KiB",
            "bytemover?order=ranked&scratch=1KiB",
            "local?order=ranked")
        .flatMap(config -> Arrays.stream(SIZES).mapToObj(size -> Arguments.of(config, size)));
  }

  @ParameterizedTest
  @MethodSource("groups")
  void everyReductionIsThatOfTheRanksInOrder(String config, int size) throws Exception {
    run(
        size,
        config + (config.contains("?") ? "&" : "?") + "timeout=30s",
        group -> {
          for (DataType type : DataType.values()) {
            for (ReduceOp op : ReduceOp.all()) {
              // Single ranks, and what is exact in any order, go straight to an unranked backend.
              if (op.supports(type)) {
                for (int count : COUNTS) {
                  new Trial(group, type, op, count, seed).run();
                }
              }
            }
          }
        });
  }

  /** One rank's part in four reductions, in place and not. */
  private record Trial(ProcessGroup group, DataType type, ReduceOp op, int count, long seed) {
    private byte[] input(int rank, long elements) {
      byte[] bytes = new byte[Math.toIntExact(elements * type.byteSize())];
      new Random(seed + 31L * rank + count).nextBytes(bytes);
      return bytes;
    }

    private byte[] expected(long elements) {
      MemorySegment[] sources = new MemorySegment[group.size()];
      for (int rank = 0; rank < group.size(); rank++) {
        sources[rank] = MemorySegment.ofArray(input(rank, elements));
      }
      byte[] result = new byte[Math.toIntExact(elements * type.byteSize())];
      ReduceKernels.fold(
          op, type, MemorySegment.ofArray(result), 0, sources, new long[sources.length], elements);
      return result;
    }

    private CommBuffer view(byte[] bytes) {
      return CommBuffer.of(MemorySegment.ofArray(bytes), type);
    }

    private CommBuffer readOnly(byte[] bytes) {
      return CommBuffer.of(MemorySegment.ofArray(bytes).asReadOnly(), type);
    }

    void run() {
      allReduce();
      reduce();
      reduceScatter();
      reduceScatterV();
    }

    private void allReduce() {
      byte[] apart = new byte[count * type.byteSize()];
      byte[] inPlace = input(group.rank(), count);
      Work first = group.allReduce(readOnly(input(group.rank(), count)), view(apart), op);
      group.allReduce(view(inPlace), op).join();
      first.join();
      same("allReduce", apart, expected(count));
      same("allReduce in place", inPlace, expected(count));
    }

    private void reduce() {
      int root = count % group.size();
      byte[] untouched = input(99, count);
      byte[] recv = untouched.clone();
      boolean atRoot = group.rank() == root;
      group.reduce(readOnly(input(group.rank(), count)), view(recv), op, root).join();
      same("reduce", recv, atRoot ? expected(count) : untouched);
      byte[] inPlace = input(group.rank(), count);
      group.reduce(view(inPlace), atRoot ? view(inPlace) : null, op, root).join();
      same("reduce in place", inPlace, atRoot ? expected(count) : input(group.rank(), count));
    }

    private void reduceScatter() {
      int total = count * group.size();
      byte[] recv = new byte[count * type.byteSize()];
      byte[] send = input(group.rank(), total);
      group.reduceScatter(readOnly(send), view(recv), op).join();
      byte[] mine = part(expected(total), (long) group.rank() * count, count);
      same("reduceScatter", recv, mine);
      CommBuffer whole = view(send);
      group.reduceScatter(whole, whole.slice((long) group.rank() * count, count), op).join();
      same("reduceScatter in place", part(send, (long) group.rank() * count, count), mine);
    }

    private void reduceScatterV() {
      long[] counts = new long[group.size()];
      for (int rank = 0; rank < counts.length; rank++) {
        counts[rank] = rank % 2 == 1 ? 0 : count + rank;
      }
      Operation.Counts blocks = Operation.Counts.of(counts);
      byte[] send = input(group.rank(), blocks.total());
      long own = blocks.count(group.rank());
      byte[] recv = new byte[Math.toIntExact(own * type.byteSize())];
      group.reduceScatterV(readOnly(send), view(recv), op, counts).join();
      same(
          "reduceScatterV", recv, part(expected(blocks.total()), blocks.offset(group.rank()), own));
    }

    private byte[] part(byte[] bytes, long offset, long elements) {
      return MemorySegment.ofArray(bytes)
          .asSlice(offset * type.byteSize(), elements * type.byteSize())
          .toArray(ValueLayout.JAVA_BYTE);
    }

    private void same(String operation, byte[] actual, byte[] expected) {
      byte[] a = canonical(actual);
      byte[] e = canonical(expected);
      if (!Arrays.equals(a, e)) {
        throw new AssertionError(
            "%s of %d %s with %s on rank %d/%d of %s differs at byte %d; -Dtutti.test.seed=%d"
                .formatted(
                    operation,
                    count,
                    type,
                    op,
                    group.rank(),
                    group.size(),
                    group.backend(),
                    Arrays.mismatch(a, e),
                    seed));
      }
    }

    /** Any NaN equals any other. */
    private byte[] canonical(byte[] bytes) {
      byte[] result = bytes.clone();
      MemorySegment memory = MemorySegment.ofArray(result);
      for (int at = 0; at < bytes.length; at += type.byteSize()) {
        switch (type) {
          case FLOAT16 -> {
            short x = memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, at);
            if (Float.isNaN(Float.float16ToFloat(x))) {
              memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, (short) 0x7e00);
            }
          }
          case BFLOAT16 -> {
            short x = memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, at);
            if (Float.isNaN(Float.intBitsToFloat(x << 16))) {
              memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, (short) 0x7fc0);
            }
          }
          case FLOAT32 -> {
            float x = memory.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at);
            if (Float.isNaN(x)) {
              memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, Float.NaN);
            }
          }
          case FLOAT64 -> {
            double x = memory.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at);
            if (Double.isNaN(x)) {
              memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, Double.NaN);
            }
          }
          default -> {}
        }
      }
      return result;
    }
  }

  /** A large vector, in heap memory, through 64 KiB: some hundred chunks. */
  @Test
  void aLongVectorCrossesInBoundedMemory() throws Exception {
    run(
        3,
        "mover?scratch=64KiB&timeout=30s",
        group -> {
          float[] data = new float[1_000_003];
          Arrays.fill(data, group.rank() + 1);
          group.allReduce(CommBuffer.of(data), ReduceOp.SUM).join();
          assertThat(data).containsOnly(6f);
          assertThat(group.memory().allocatedBytes()).isBetween(1L, 64L << 10);
          assertThat(group.memory().inUse()).isZero();
        });
  }

  /** Many at once, among operations that need no fold; each takes its turn. */
  @Test
  void operationsTakeTheirTurns() throws Exception {
    run(
        3,
        "unranked?order=ranked&scratch=1KiB&timeout=30s",
        group -> {
          List<Work> works = new ArrayList<>();
          List<float[]> sums = new ArrayList<>();
          List<int[]> moved = new ArrayList<>();
          for (int i = 0; i < 30; i++) {
            float[] sum = new float[i * 20];
            Arrays.fill(sum, group.rank() + i);
            int[] ints = {group.rank() == i % 3 ? i : -1};
            sums.add(sum);
            moved.add(ints);
            works.add(group.allReduce(CommBuffer.of(sum), ReduceOp.SUM));
            works.add(group.broadcast(CommBuffer.of(ints), i % 3));
            works.add(group.reduce(CommBuffer.of(sum), CommBuffer.of(sum), ReduceOp.SUM, i % 3));
          }
          for (int w = works.size() - 1; w >= 0; w--) {
            works.get(w).join();
          }
          for (int i = 0; i < 30; i++) {
            float all = 3 + 3 * i;
            assertThat(moved.get(i)).containsExactly(i);
            if (i > 0) {
              assertThat(sums.get(i)).containsOnly(group.rank() == i % 3 ? 3 * all : all);
            }
          }
        });
  }

  @Test
  void aSubgroupFoldsToo() throws Exception {
    run(
        4,
        "unranked?order=ranked&timeout=30s",
        group -> {
          try (ProcessGroup half = group.split(group.rank() % 2, -group.rank()).orElseThrow()) {
            // In the order of the subgroup's ranks, the two large ones cancel out first.
            float[] data = {half.rank() == 0 ? 1e30f : -1e30f, 1};
            half.allReduce(CommBuffer.of(data), ReduceOp.SUM).join();
            assertThat(data).containsExactly(0f, 2f);
            double[] mean = {half.rank()};
            half.allReduce(CommBuffer.of(mean), ReduceOp.AVG).join();
            assertThat(mean).containsExactly(0.5);
          }
        });
  }

  @Test
  void whatCannotBeMovedIsRefusedInTheBackendsWords() throws Exception {
    run(
        2,
        "barriers?timeout=30s",
        group -> {
          float[] data = {1};
          assertThatThrownBy(() -> group.allReduce(CommBuffer.of(data), ReduceOp.SUM))
              .isInstanceOf(UnsupportedOperationException.class)
              .hasMessage(
                  "allReduce(1 FLOAT32, SUM) on rank %d/2: it has barriers only; use another"
                      .formatted(group.rank()));
          group.barrier().join();
        });
  }
}
