package dev.tutti.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.LocalRanks;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.internal.reduce.ReduceKernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code order=ranked}: the bits of one fold in rank order, by every algorithm that is taken. */
@Timeout(60)
class RankOrderTest {
  private static final long SEED = Long.getLong("tutti.seed", 20_261_130L);
  private static final List<DataType> TYPES =
      List.of(DataType.FLOAT16, DataType.BFLOAT16, DataType.FLOAT32, DataType.FLOAT64);
  private static final List<ReduceOp> OPS = List.of(ReduceOp.SUM, ReduceOp.PROD, ReduceOp.AVG);

  /** Around the thresholds of the table, and odd. */
  private static final List<Integer> COUNTS = List.of(0, 1, 39, 5003);

  static Stream<Arguments> settings() {
    return Stream.of(
            "tcp?order=ranked",
            "tcp?order=ranked&small=0&chunk=1KiB&scratch=64KiB",
            "tcp?order=ranked&scratch=1024&chunk=64B&slot=64B",
            "tcp?order=ranked&algo=allReduce:oneShot+reduce:linear+reduceScatter:direct",
            "tcp?order=ranked&algo=allReduce:direct+reduce:reduceScatterGather",
            "tcp?order=ranked&algo=allReduce:ring+reduce:binomial+reduceScatter:ring")
        .flatMap(config -> Stream.of(1, 2, 3, 5).map(size -> Arguments.of(config, size)));
  }

  @ParameterizedTest
  @MethodSource("settings")
  void reductionsAreFoldedInRankOrder(String config, int size) {
    List<Integer> counts = config.contains("scratch=1024") ? COUNTS.subList(0, 3) : COUNTS;
    LocalRanks.run(
        size,
        config,
        group -> {
          for (DataType type : TYPES) {
            for (ReduceOp op : OPS) {
              for (int count : counts) {
                new Case(group, type, op, count).check();
              }
            }
          }
        });
  }

  /** One type, operator and count. */
  private record Case(ProcessGroup group, DataType type, ReduceOp op, int count) {
    void check() {
      int root = count % group.size();
      MemorySegment expected = folded(count);
      CommBuffer recv = buffer(count);
      group.allReduce(mine(count), recv, op).join();
      compare("allReduce", expected, recv);
      CommBuffer inPlace = mine(count);
      group.allReduce(inPlace, op).join();
      compare("allReduce in place", expected, inPlace);

      CommBuffer reduced = buffer(count);
      group.reduce(mine(count), reduced, op, root).join();
      boolean isRoot = group.rank() == root;
      compare("reduce", isRoot ? expected : buffer(count).segment(), reduced);
      CommBuffer kept = mine(count);
      group.reduce(kept, isRoot ? kept : null, op, root).join();
      compare("reduce in place", isRoot ? expected : mine(count).segment(), kept);

      long[] counts = new long[group.size()];
      Arrays.setAll(counts, rank -> rank % 3 == 1 ? 0 : count);
      long total = Arrays.stream(counts).sum();
      long before = Arrays.stream(counts, 0, group.rank()).sum();
      CommBuffer block = buffer(counts[group.rank()]);
      group.reduceScatterV(mine(total), block, op, counts).join();
      compare("reduceScatterV", slice(folded(total), before, block.count()), block);
      CommBuffer all = mine((long) count * group.size());
      CommBuffer own = all.slice((long) count * group.rank(), count);
      group.reduceScatter(all, own, op).join();
      long from = (long) count * group.rank();
      compare("reduceScatter in place", slice(folded(all.count()), from, count), own);
    }

    private void compare(String what, MemorySegment expected, CommBuffer actual) {
      assertThat(actual.segment().mismatch(expected))
          .as(
              "%s of %d %s, %s, rank %d/%d, seed %d: first different byte",
              what, count, type, op, group.rank(), group.size(), SEED)
          .isEqualTo(-1);
    }

    private MemorySegment slice(MemorySegment of, long from, long elements) {
      return of.asSlice(from * type.byteSize(), elements * type.byteSize());
    }

    private CommBuffer buffer(long elements) {
      return CommBuffer.of(Arena.ofAuto().allocate(elements * type.byteSize(), 64), type);
    }

    private CommBuffer mine(long elements) {
      CommBuffer buffer = buffer(elements);
      fill(buffer.segment(), group.rank());
      return buffer;
    }

    private MemorySegment folded(long elements) {
      MemorySegment[] sources = new MemorySegment[group.size()];
      for (int rank = 0; rank < sources.length; rank++) {
        sources[rank] = buffer(elements).segment();
        fill(sources[rank], rank);
      }
      MemorySegment folded = buffer(elements).segment();
      ReduceKernels.fold(op, type, folded, 0, sources, new long[sources.length], elements);
      return folded;
    }

    /** Numbers of one size but of all last digits, whose sums round in every order differently. */
    private void fill(MemorySegment into, int rank) {
      SplittableRandom random = new SplittableRandom(SEED + rank);
      for (long at = 0; at < into.byteSize(); at += type.byteSize()) {
        float value = (float) random.nextDouble(-2, 2);
        switch (type) {
          case FLOAT16 ->
              into.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, Float.floatToFloat16(value));
          case BFLOAT16 ->
              into.set(
                  ValueLayout.JAVA_SHORT_UNALIGNED,
                  at,
                  (short) (Float.floatToRawIntBits(value) >> 16));
          case FLOAT32 -> into.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, value);
          default -> into.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, random.nextDouble(-2, 2));
        }
      }
    }
  }

  @Test
  void tooLittleScratchIsRefused() {
    assertThatThrownBy(
            () ->
                TcpMemory.of(
                    EngineRanks.contexts(67, "tcp?order=ranked&scratch=1024", true).get(3)))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "scratch=1024 is too little for order=ranked with 67 ranks; give it at least 1152");
    TcpMemory memory =
        TcpMemory.of(EngineRanks.contexts(67, "tcp?order=ranked&scratch=1152", true).get(3));
    assertThat(memory.scratchBytes()).isGreaterThanOrEqualTo(66 * Double.BYTES);
    memory = TcpMemory.of(EngineRanks.contexts(67, "tcp?scratch=1024", true).get(3));
    assertThat(memory.scratchBytes()).isEqualTo(512);
  }
}
