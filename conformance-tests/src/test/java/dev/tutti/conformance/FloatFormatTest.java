package dev.tutti.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.DataType;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FloatFormatTest {
  private static final FloatFormat FLOAT16 = FloatFormat.of(DataType.FLOAT16);
  private static final FloatFormat BFLOAT16 = FloatFormat.of(DataType.BFLOAT16);
  private static final FloatFormat FLOAT32 = FloatFormat.of(DataType.FLOAT32);
  private static final FloatFormat FLOAT64 = FloatFormat.of(DataType.FLOAT64);

  @Test
  void everyFloat16IsWhatTheJdkSays() {
    for (int bits = 0; bits < 1 << 16; bits++) {
      Double expected = (double) Float.float16ToFloat((short) bits);
      assertThat(FLOAT16.decode(bits)).isEqualTo(expected);
      if (!expected.isNaN()) {
        assertThat(FLOAT16.encodeExact(expected)).isEqualTo(bits);
      }
    }
  }

  @Test
  void everyBfloat16IsTheUpperHalfOfAFloat() {
    for (int bits = 0; bits < 1 << 16; bits++) {
      Double expected = (double) Float.intBitsToFloat(bits << 16);
      assertThat(BFLOAT16.decode(bits)).isEqualTo(expected);
      if (!expected.isNaN()) {
        assertThat(BFLOAT16.encodeExact(expected)).isEqualTo(bits);
      }
    }
  }

  @Test
  void floatsAndDoublesGoThereAndBack() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 200_000; i++) {
      int single = random.nextInt();
      long twice = random.nextLong() & (i % 3 == 0 ? 0x800F_FFFF_FFFF_FFFFL : -1L);
      float f = Float.intBitsToFloat(single);
      double d = Double.longBitsToDouble(twice);
      assertThat(FLOAT32.decode(single & 0xFFFF_FFFFL)).isEqualTo(Double.valueOf(f));
      assertThat(FLOAT64.decode(twice)).isEqualTo(Double.valueOf(d));
      if (!Float.isNaN(f)) {
        assertThat(FLOAT32.encodeExact(f)).isEqualTo(single & 0xFFFF_FFFFL);
      }
      if (!Double.isNaN(d)) {
        assertThat(FLOAT64.encodeExact(d)).isEqualTo(twice);
      }
    }
  }

  @Test
  void whatDoesNotFitIsRefused() {
    assertThatThrownBy(() -> FLOAT16.encodeExact(65536)).isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> FLOAT16.encodeExact(2049)).isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> BFLOAT16.encodeExact(257)).isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> FLOAT32.encodeExact(0.1)).isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> FLOAT32.encodeExact(0x1p-150)).isInstanceOf(ArithmeticException.class);
    assertThat(FLOAT32.encodeExact(0x1p-149)).isEqualTo(1);
  }
}
