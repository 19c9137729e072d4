package dev.tutti.comm.internal.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.internal.reduce.Regions.Memory;
import dev.tutti.comm.internal.reduce.Regions.Region;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Folds of several regions in order, against {@link Scalar#fold}. */
@Timeout(120)
class FoldTest {
  private static final int MOST_SOURCES = 5;

  private final long seed = Long.getLong("tutti.test.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final Arena arena = Arena.ofShared();
  private final Regions regions = new Regions(arena, random, seed);

  @AfterEach
  void close() {
    arena.close();
  }

  static Stream<Arguments> operations() {
    return ReduceKernelsTest.operations();
  }

  /** Into memory apart from the sources, and onto each of them. */
  @ParameterizedTest
  @MethodSource("operations")
  void agreesWithTheModel(ReduceOp op, DataType type) {
    for (int sources = 1; sources <= MOST_SOURCES; sources++) {
      for (int onto = -1; onto < sources; onto++) {
        for (int count : new int[] {0, 1, 7, 39}) {
          check(op, type, count, sources, onto, false);
          check(op, type, count, sources, onto, true);
        }
      }
      int pieces = Block.REGION / type.byteSize() + 7;
      check(op, type, pieces, sources, random.nextInt(sources + 1) - 1, random.nextBoolean());
    }
  }

  /** One rounding: 1 + u/2 + u/2 is 1 + u, though 1 + u/2 alone rounds back to 1. */
  @Test
  void rounds16BitFloatsOnce() {
    short one = Float.floatToFloat16(1);
    short half = Float.floatToFloat16(0x1p-11f);
    assertThat(folded(ReduceOp.SUM, DataType.FLOAT16, one, half, half))
        .isEqualTo(Float.floatToFloat16(1 + 0x1p-10f));
    short bOne = 0x3f80;
    short bHalf = 0x3b80;
    assertThat(folded(ReduceOp.SUM, DataType.BFLOAT16, bOne, bHalf, bHalf))
        .isEqualTo((short) 0x3f81);
  }

  /** The sum is past the largest FLOAT16, the average is not. */
  @Test
  void dividesBeforeItRounds() {
    short largest = Float.floatToFloat16(65504);
    assertThat(folded(ReduceOp.AVG, DataType.FLOAT16, largest, largest, largest))
        .isEqualTo(largest);
  }

  private static short folded(ReduceOp op, DataType type, short... elements) {
    MemorySegment all = MemorySegment.ofArray(elements);
    MemorySegment[] sources = new MemorySegment[elements.length];
    long[] offsets = new long[elements.length];
    for (int i = 0; i < elements.length; i++) {
      sources[i] = all;
      offsets[i] = 2L * i;
    }
    short[] result = new short[1];
    ReduceKernels.fold(op, type, MemorySegment.ofArray(result), 0, sources, offsets, 1);
    return result[0];
  }

  @Test
  void foldsInTheOrderOfTheArray() {
    MemorySegment big = MemorySegment.ofArray(new float[] {1e30f});
    MemorySegment minus = MemorySegment.ofArray(new float[] {-1e30f});
    MemorySegment one = MemorySegment.ofArray(new float[] {1});
    float[] result = new float[1];
    MemorySegment dst = MemorySegment.ofArray(result);
    long[] offsets = new long[3];
    ReduceKernels.fold(
        ReduceOp.SUM, DataType.FLOAT32, dst, 0, new MemorySegment[] {big, minus, one}, offsets, 1);
    assertThat(result[0]).isEqualTo(1f);
    ReduceKernels.fold(
        ReduceOp.SUM, DataType.FLOAT32, dst, 0, new MemorySegment[] {big, one, minus}, offsets, 1);
    assertThat(result[0]).isEqualTo(0f);
  }

  @Test
  void refusesWhatIsNotDefined() {
    MemorySegment x = arena.allocate(16);
    MemorySegment[] none = {};
    MemorySegment[] one = {x};
    assertThatThrownBy(
            () -> ReduceKernels.fold(ReduceOp.SUM, DataType.INT8, x, 0, none, new long[0], 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a fold needs sources and an offset for each, but has 0 and 0");
    assertThatThrownBy(
            () -> ReduceKernels.fold(ReduceOp.SUM, DataType.INT8, x, 0, one, new long[2], 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a fold needs sources and an offset for each, but has 1 and 2");
    assertThatThrownBy(
            () -> ReduceKernels.fold(ReduceOp.BOR, DataType.FLOAT16, x, 0, one, new long[1], 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("BOR is not defined for FLOAT16: bitwise operators take integers");
    assertThatThrownBy(
            () -> ReduceKernels.fold(ReduceOp.SUM, DataType.INT8, x, 0, one, new long[1], -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("count must not be negative, but is -1");
  }

  @ParameterizedTest
  @EnumSource(DataType.class)
  void refusesRegionsBeyondTheirSegmentBeforeWriting(DataType type) {
    long count = 24 / type.byteSize();
    MemorySegment enough = arena.allocate(32).fill((byte) 1);
    MemorySegment less = arena.allocate(31).fill((byte) 1);
    long[] offsets = {8, 8, 8};
    for (Runnable call :
        List.<Runnable>of(
            () -> fold(type, less, new MemorySegment[] {enough, enough, enough}, offsets, count),
            () -> fold(type, enough, new MemorySegment[] {enough, less, enough}, offsets, count),
            () -> fold(type, enough, new MemorySegment[] {enough, enough, less}, offsets, count))) {
      assertThatThrownBy(call::run).isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThat(enough.toArray(ValueLayout.JAVA_BYTE)).containsOnly(1);
    assertThat(less.toArray(ValueLayout.JAVA_BYTE)).containsOnly(1);
  }

  private static void fold(
      DataType type, MemorySegment dst, MemorySegment[] sources, long[] offsets, long count) {
    ReduceKernels.fold(ReduceOp.SUM, type, dst, 8, sources, offsets, count);
  }

  private void check(
      ReduceOp op, DataType type, int count, int sources, int onto, boolean allNative) {
    int size = type.byteSize();
    long bytes = (long) count * size;
    MemorySegment[] segments = new MemorySegment[sources];
    MemorySegment[] before = new MemorySegment[sources];
    long[] offsets = new long[sources];
    for (int k = 0; k < sources; k++) {
      Region region = regions.region(allNative ? Memory.NATIVE : regions.anyMemory(), bytes);
      segments[k] = region.segment();
      offsets[k] = region.offset();
      for (int i = 0; i < count; i++) {
        Elements.set(
            type, segments[k], offsets[k] + (long) i * size, Elements.random(type, random));
      }
      before[k] = Regions.copyOf(segments[k]);
    }
    Region target =
        onto >= 0
            ? new Region(segments[onto], offsets[onto])
            : regions.region(allNative ? Memory.NATIVE : regions.anyMemory(), bytes);
    MemorySegment targetBefore = Regions.copyOf(target.segment());

    ReduceKernels.fold(op, type, target.segment(), target.offset(), segments, offsets, count);

    long[] elements = new long[sources];
    for (int i = 0; i < count; i++) {
      for (int k = 0; k < sources; k++) {
        elements[k] = Elements.get(type, before[k], offsets[k] + (long) i * size);
      }
      long actual = Elements.get(type, target.segment(), target.offset() + (long) i * size);
      long expected = Scalar.fold(op, type, elements);
      if (actual != expected && !(Scalar.isNaN(type, actual) && Scalar.isNaN(type, expected))) {
        throw new AssertionError(
            "element %d of %d: %s of %d sources onto %d is %x, not %x; -Dtutti.test.seed=%d"
                .formatted(i, count, op, sources, onto, actual, expected, seed));
      }
    }
    regions.assertUntouched(target.segment(), targetBefore, target.offset(), bytes);
    for (int k = 0; k < sources; k++) {
      if (k != onto) {
        assertThat(segments[k].mismatch(before[k])).as("source %d; seed %d", k, seed).isEqualTo(-1);
      }
    }
  }
}
