package dev.tutti.comm.internal.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.internal.reduce.Regions.Memory;
import dev.tutti.comm.internal.reduce.Regions.Region;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every operator on every type, in memory of every kind, by every engine, against {@link Scalar}.
 *
 * <p>The vector engine takes part where the JVM runs with {@code --add-modules
 * jdk.incubator.vector}.
 */
@Timeout(120)
class ReduceKernelsTest {
  private static final int[] COUNTS = {0, 1, 2, 7, 39, 1000, 4097};

  /** How the three regions lie to each other. */
  private enum Place {
    APART,
    ONTO_A,
    ONTO_B,
    ALL_ONE
  }

  private final long seed = Long.getLong("tutti.test.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final Arena arena = Arena.ofShared();
  private final Regions regions = new Regions(arena, random, seed);

  @AfterEach
  void close() {
    arena.close();
  }

  static Stream<Arguments> operations() {
    return Stream.of(DataType.values())
        .flatMap(
            type ->
                ReduceOp.all().stream()
                    .filter(op -> op.supports(type))
                    .map(op -> Arguments.of(op, type)));
  }

  /** Returns what serves an operator on a type, by each engine that is there. */
  private static List<Kernel> engines(ReduceOp op, DataType type) {
    Kernel plain = PlainKernels.kernel(op.kind(), type);
    return ReduceKernels.VECTORS
        ? List.of(plain, VectorKernels.kernel(op.kind(), type))
        : List.of(plain);
  }

  @Test
  void testsTheVectorEngineToo() {
    assumeTrue(ReduceKernels.VECTORS, "needs --add-modules jdk.incubator.vector");
    assertThat(engines(ReduceOp.SUM, DataType.FLOAT32)).hasSize(2);
  }

  @ParameterizedTest
  @MethodSource("operations")
  void agreesWithTheModel(ReduceOp op, DataType type) {
    for (int count : COUNTS) {
      for (Place place : Place.values()) {
        check(op, type, count, place, Memory.NATIVE, Memory.NATIVE, Memory.NATIVE);
        check(
            op, type, count, place, regions.anyMemory(), regions.anyMemory(), regions.anyMemory());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(DataType.class)
  void agreesInEveryMixOfMemory(DataType type) {
    for (Memory dst : Memory.values()) {
      for (Memory a : Memory.values()) {
        for (Memory b : Memory.values()) {
          check(ReduceOp.SUM, type, 39, Place.APART, dst, a, b);
          check(ReduceOp.MIN, type, 67, Place.APART, dst, a, b);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("operations")
  void agreesAboutEveryPairOfSpecialValues(ReduceOp op, DataType type) {
    List<Long> values = new ArrayList<>();
    while (values.size() < 100) {
      values.add(Elements.random(type, random));
    }
    int size = type.byteSize();
    int count = values.size() * values.size();
    MemorySegment a = arena.allocate((long) count * size);
    MemorySegment b = arena.allocate((long) count * size);
    for (int i = 0; i < count; i++) {
      Elements.set(type, a, (long) i * size, values.get(i / values.size()));
      Elements.set(type, b, (long) i * size, values.get(i % values.size()));
    }
    MemorySegment dst = arena.allocate((long) count * size);
    for (Kernel engine : engines(op, type)) {
      engine.combine(dst, 0, a, 0, b, 0, (long) count * size);
      for (int i = 0; i < count; i++) {
        long offset = (long) i * size;
        long x = Elements.get(type, a, offset);
        long y = Elements.get(type, b, offset);
        assertSame(type, Elements.get(type, dst, offset), Scalar.combine(op, type, x, y), op, x, y);
      }
    }
  }

  /** All 65,536 values against 200 others: the conversions, each way, in each lane. */
  @ParameterizedTest
  @EnumSource(names = {"FLOAT16", "BFLOAT16"})
  void rounds16BitFloatsToNearestEven(DataType type) {
    int all = 1 << 16;
    MemorySegment a = arena.allocate(2L * all);
    MemorySegment b = arena.allocate(2L * all);
    MemorySegment dst = arena.allocate(2L * all);
    for (int i = 0; i < all; i++) {
      a.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) i);
    }
    for (int k = 0; k < 200; k++) {
      long other = Elements.random(type, random) & 0xffff;
      for (int i = 0; i < all; i++) {
        b.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) other);
      }
      ReduceOp op = k % 2 == 0 ? ReduceOp.SUM : ReduceOp.PROD;
      long[] expected = new long[all];
      for (int i = 0; i < all; i++) {
        expected[i] = Scalar.combine(op, type, i, other);
      }
      for (Kernel engine : engines(op, type)) {
        engine.combine(dst, 0, a, 0, b, 0, 2L * all);
        for (int i = 0; i < all; i++) {
          assertSame(type, Elements.get(type, dst, 2L * i), expected[i], op, i, other);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(DataType.class)
  void divides(DataType type) {
    int size = type.byteSize();
    for (int count : COUNTS) {
      for (int divisor : new int[] {1, 2, 3, 7, 128, 255, 300, 10_000}) {
        Region region = regions.region(regions.anyMemory(), (long) count * size);
        for (int i = 0; i < count; i++) {
          long at = region.offset() + (long) i * size;
          Elements.set(type, region.segment(), at, Elements.random(type, random));
        }
        MemorySegment before = Regions.copyOf(region.segment());
        ReduceKernels.divide(type, region.segment(), region.offset(), count, divisor);
        for (int i = 0; i < count; i++) {
          long at = region.offset() + (long) i * size;
          long x = Elements.get(type, before, at);
          long expected = Scalar.divide(type, x, divisor);
          assertSame(
              type, Elements.get(type, region.segment(), at), expected, "division", x, divisor);
        }
        regions.assertUntouched(region.segment(), before, region.offset(), (long) count * size);
      }
    }
  }

  @Test
  void dividesTowardZero() {
    MemorySegment region = MemorySegment.ofArray(new byte[] {(byte) 200, (byte) 255, 1});
    ReduceKernels.divide(DataType.UINT8, region, 0, 3, 2);
    assertThat(region.toArray(ValueLayout.JAVA_BYTE)).containsExactly(100, 127, 0);
    MemorySegment signed = MemorySegment.ofArray(new byte[] {-7, 7, -128});
    ReduceKernels.divide(DataType.INT8, signed, 0, 3, 2);
    assertThat(signed.toArray(ValueLayout.JAVA_BYTE)).containsExactly(-3, 3, -64);
  }

  @Test
  void worksOnManyThreadsAtOnce() throws InterruptedException, ExecutionException {
    int count = 10_007;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Boolean>> futures = new ArrayList<>();
      for (int t = 0; t < 40; t++) {
        float mine = t;
        futures.add(
            threads.submit(
                () -> {
                  float[] a = new float[count];
                  MemorySegment segment = MemorySegment.ofArray(a);
                  Arrays.fill(a, mine);
                  for (int i = 0; i < 5; i++) {
                    ReduceKernels.combine(
                        ReduceOp.SUM, DataType.FLOAT32, segment, 0, segment, 0, segment, 0, count);
                  }
                  for (float x : a) {
                    if (x != 32 * mine) {
                      return false;
                    }
                  }
                  return true;
                }));
      }
      for (Future<Boolean> future : futures) {
        assertThat(future.get()).isTrue();
      }
    }
  }

  @Test
  void refusesWhatIsNotDefined() {
    MemorySegment x = arena.allocate(16);
    assertThatThrownBy(
            () -> ReduceKernels.combine(ReduceOp.BAND, DataType.FLOAT32, x, 0, x, 0, x, 0, 4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("BAND is not defined for FLOAT32: bitwise operators take integers");
    assertThatThrownBy(
            () -> ReduceKernels.combine(ReduceOp.SUM, DataType.FLOAT32, x, 0, x, 0, x, 0, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("count must not be negative, but is -1");
    assertThatThrownBy(() -> ReduceKernels.divide(DataType.INT32, x, 0, 4, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("divisor must be at least 1, but is 0");
  }

  @ParameterizedTest
  @EnumSource(DataType.class)
  void refusesRegionsBeyondTheirSegmentBeforeWriting(DataType type) {
    long count = 5000 / type.byteSize();
    long bytes = count * type.byteSize();
    MemorySegment enough = arena.allocate(bytes + 8).fill((byte) 1);
    MemorySegment less = arena.allocate(bytes + 7).fill((byte) 1);
    for (Runnable call :
        List.<Runnable>of(
            () -> ReduceKernels.combine(ReduceOp.SUM, type, less, 8, enough, 8, enough, 8, count),
            () -> ReduceKernels.combine(ReduceOp.SUM, type, enough, 8, less, 8, enough, 8, count),
            () -> ReduceKernels.combine(ReduceOp.SUM, type, enough, 8, enough, 8, less, 8, count),
            () -> ReduceKernels.combine(ReduceOp.SUM, type, enough, -1, enough, 8, enough, 8, 1),
            () -> ReduceKernels.divide(type, less, 8, count, 3))) {
      assertThatThrownBy(call::run).isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThat(enough.toArray(ValueLayout.JAVA_BYTE)).containsOnly(1);
    assertThat(less.toArray(ValueLayout.JAVA_BYTE)).containsOnly(1);
    assertThatThrownBy(
            () ->
                ReduceKernels.combine(
                    ReduceOp.SUM, DataType.INT64, enough, 0, enough, 0, enough, 0, Long.MAX_VALUE))
        .isInstanceOf(ArithmeticException.class);
  }

  @ParameterizedTest
  @EnumSource(DataType.class)
  void survivesClosedMemory(DataType type) {
    MemorySegment closed;
    try (Arena brief = Arena.ofShared()) {
      closed = brief.allocate(8000);
    }
    for (int i = 0; i < 50; i++) {
      assertThatThrownBy(
              () -> ReduceKernels.combine(ReduceOp.SUM, type, closed, 0, closed, 0, closed, 0, 900))
          .isInstanceOf(IllegalStateException.class);
    }
    check(ReduceOp.SUM, type, 1000, Place.APART, Memory.NATIVE, Memory.NATIVE, Memory.BYTES);
  }

  /** More bytes than an {@code int} can count, and an odd number of them. */
  @Test
  @Tag("slow")
  void combinesMoreThanTwoGibibytes() {
    long count = (1L << 31) + 4099;
    MemorySegment region = arena.allocate(count).fill((byte) 3);
    region.set(ValueLayout.JAVA_BYTE, count - 1, (byte) 100);
    ReduceKernels.combine(ReduceOp.SUM, DataType.INT8, region, 0, region, 0, region, 0, count);
    for (long i = 0; i < count - 1; i += 1021) {
      assertThat(region.get(ValueLayout.JAVA_BYTE, i)).isEqualTo((byte) 6);
    }
    assertThat(region.get(ValueLayout.JAVA_BYTE, count - 2)).isEqualTo((byte) 6);
    assertThat(region.get(ValueLayout.JAVA_BYTE, count - 1)).isEqualTo((byte) 200);
  }

  private void check(
      ReduceOp op, DataType type, int count, Place place, Memory dst, Memory a, Memory b) {
    for (Kernel engine : engines(op, type)) {
      check(engine, op, type, count, place, dst, a, b);
    }
  }

  private void check(
      Kernel engine,
      ReduceOp op,
      DataType type,
      int count,
      Place place,
      Memory dst,
      Memory a,
      Memory b) {
    int size = type.byteSize();
    long bytes = (long) count * size;
    Region left = regions.region(a, bytes);
    Region right = place == Place.ALL_ONE ? left : regions.region(b, bytes);
    for (int i = 0; i < count; i++) {
      Elements.set(
          type, left.segment(), left.offset() + (long) i * size, Elements.random(type, random));
      Elements.set(
          type, right.segment(), right.offset() + (long) i * size, Elements.random(type, random));
    }
    Region target =
        switch (place) {
          case APART -> regions.region(dst, bytes);
          case ONTO_A, ALL_ONE -> left;
          case ONTO_B -> right;
        };
    MemorySegment leftBefore = Regions.copyOf(left.segment());
    MemorySegment rightBefore = Regions.copyOf(right.segment());
    MemorySegment targetBefore = Regions.copyOf(target.segment());

    engine.combine(
        target.segment(),
        target.offset(),
        left.segment(),
        left.offset(),
        right.segment(),
        right.offset(),
        bytes);

    for (int i = 0; i < count; i++) {
      long x = Elements.get(type, leftBefore, left.offset() + (long) i * size);
      long y = Elements.get(type, rightBefore, right.offset() + (long) i * size);
      long actual = Elements.get(type, target.segment(), target.offset() + (long) i * size);
      assertSame(type, actual, Scalar.combine(op, type, x, y), op, x, y);
    }
    regions.assertUntouched(target.segment(), targetBefore, target.offset(), bytes);
    if (place == Place.APART || place == Place.ONTO_B) {
      assertThat(left.segment().mismatch(leftBefore)).as("operand a; seed %d", seed).isEqualTo(-1);
    }
    if (place == Place.APART || place == Place.ONTO_A) {
      assertThat(right.segment().mismatch(rightBefore))
          .as("operand b; seed %d", seed)
          .isEqualTo(-1);
    }
  }

  private void assertSame(
      DataType type, long actual, long expected, Object operation, long x, long y) {
    boolean same =
        actual == expected || (Scalar.isNaN(type, actual) && Scalar.isNaN(type, expected));
    if (!same) { // a description for each of millions of elements would take minutes
      throw new AssertionError(
          "%s %s of %x and %x is %x, not %x; -Dtutti.test.seed=%d"
              .formatted(operation, type, x, y, actual, expected, seed));
    }
  }
}
