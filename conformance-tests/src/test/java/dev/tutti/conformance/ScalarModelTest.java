package dev.tutti.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import java.math.BigInteger;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ScalarModelTest {
  private static final long NAN32 = 0x7FC0_0000L;

  @ParameterizedTest
  @EnumSource(names = {"INT8", "UINT8", "INT32", "UINT32", "INT64", "UINT64"})
  void integersAreThoseOfMathematicsModuloTheirRange(DataType type) {
    SplittableRandom random = new SplittableRandom(2);
    BigInteger range = BigInteger.ONE.shiftLeft(8 * type.byteSize());
    for (int i = 0; i < 3000; i++) {
      int size = 1 + random.nextInt(6);
      boolean extreme = i % 2 == 0;
      long[] bits =
          LongStream.generate(() -> extreme ? random.nextLong(-3, 4) : random.nextLong())
              .limit(size)
              .map(value -> ScalarModel.wrap(type, value))
              .toArray();
      for (ReduceOp op : ReduceOp.all()) {
        BigInteger result = value(type, bits[0]);
        for (int rank = 1; rank < size; rank++) {
          BigInteger next = value(type, bits[rank]);
          result =
              switch (op.kind()) {
                case SUM, AVG -> result.add(next);
                case PROD -> result.multiply(next);
                case MIN -> result.min(next);
                case MAX -> result.max(next);
                case BAND -> result.and(next);
                case BOR -> result.or(next);
                case BXOR -> result.xor(next);
              };
        }
        BigInteger wrapped = result.mod(range);
        if (op.equals(ReduceOp.AVG)) {
          BigInteger sum = value(type, wrapped.longValue());
          wrapped = sum.divide(BigInteger.valueOf(size)).mod(range);
        }
        assertThat(ScalarModel.reduce(type, op, bits))
            .as("%s of %s", op, bits)
            .isEqualTo(wrapped.longValue());
      }
    }
  }

  private static BigInteger value(DataType type, long bits) {
    int width = 8 * type.byteSize();
    BigInteger range = BigInteger.ONE.shiftLeft(width);
    BigInteger value = BigInteger.valueOf(bits).mod(range);
    return !type.isUnsigned() && value.testBit(width - 1) ? value.subtract(range) : value;
  }

  @Test
  void notANumberWins() {
    for (ReduceOp op : ReduceOp.all()) {
      if (op.supports(DataType.FLOAT32)) {
        assertThat(reduce(op, Float.NaN, 1)).isEqualTo(NAN32);
        assertThat(reduce(op, 1, Float.NaN)).isEqualTo(NAN32);
        assertThat(reduce(op, Float.NEGATIVE_INFINITY, Float.NaN)).isEqualTo(NAN32);
      }
    }
  }

  @Test
  void zerosHaveSigns() {
    assertThat(reduce(ReduceOp.MIN, 0f, -0f)).isEqualTo(bits(-0f));
    assertThat(reduce(ReduceOp.MIN, -0f, 0f)).isEqualTo(bits(-0f));
    assertThat(reduce(ReduceOp.MAX, 0f, -0f)).isEqualTo(bits(0f));
    assertThat(reduce(ReduceOp.MAX, -0f, 0f)).isEqualTo(bits(0f));
    assertThat(reduce(ReduceOp.SUM, -0f, -0f)).isEqualTo(bits(-0f));
    assertThat(reduce(ReduceOp.SUM, -0f, 0f)).isEqualTo(bits(0f));
    assertThat(reduce(ReduceOp.PROD, -0f, 5f)).isEqualTo(bits(-0f));
    assertThat(reduce(ReduceOp.AVG, -0f, -0f)).isEqualTo(bits(-0f));
  }

  @Test
  void infinitiesFollowArithmetic() {
    float infinity = Float.POSITIVE_INFINITY;
    assertThat(reduce(ReduceOp.SUM, infinity, 1)).isEqualTo(bits(infinity));
    assertThat(reduce(ReduceOp.SUM, infinity, -infinity)).isEqualTo(NAN32);
    assertThat(reduce(ReduceOp.PROD, infinity, 0)).isEqualTo(NAN32);
    assertThat(reduce(ReduceOp.MIN, infinity, -infinity)).isEqualTo(bits(-infinity));
    assertThat(reduce(ReduceOp.AVG, -infinity, 3)).isEqualTo(bits(-infinity));
  }

  @Test
  void averagesDivideTheSum() {
    assertThat(reduce(ReduceOp.AVG, 1, 2, 6)).isEqualTo(bits(3));
    assertThat(reduce(ReduceOp.MAX, -4, 7, 3)).isEqualTo(bits(7));
    assertThat(reduce(ReduceOp.MIN, 4, -7, 3)).isEqualTo(bits(-7));
    assertThat(reduce(ReduceOp.PROD, 4, -7, 3)).isEqualTo(bits(-84));
  }

  @Test
  void whatDependsOnTheOrderIsNoExactCase() {
    assertThatThrownBy(() -> reduce(ReduceOp.SUM, 1e10f, 1))
        .isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> reduce(ReduceOp.AVG, 1, 1, 2)).isInstanceOf(ArithmeticException.class);
  }

  private static long reduce(ReduceOp op, float... values) {
    long[] bits = new long[values.length];
    for (int i = 0; i < bits.length; i++) {
      bits[i] = bits(values[i]);
    }
    return ScalarModel.reduce(DataType.FLOAT32, op, bits);
  }

  private static long bits(float value) {
    return Float.floatToRawIntBits(value) & 0xFFFF_FFFFL;
  }
}
