package dev.tutti.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RegionTest {
  @ParameterizedTest
  @EnumSource
  void untouchedMemoryIsRight(Memory kind) {
    for (DataType type : DataType.values()) {
      Region region = new Region("recv", kind, type, 5, i -> i);
      assertThat(region.verify()).isNull();
      assertThat(region.buffer().count()).isEqualTo(5);
      assertThat(region.buffer().segment().isNative()).isEqualTo(!kind.isHeap());
      long address = region.buffer().segment().address();
      boolean odd = kind.shift(type) % 2 == 1;
      assertThat(address % 2 == 1).as("%s at %d", kind, address).isEqualTo(odd);
      assertThat(new Region("nothing", kind, type, 0, i -> i).verify()).isNull();
    }
  }

  @ParameterizedTest
  @EnumSource
  void anyOtherElementIsSeen(Memory kind) {
    Region region = new Region("recv", kind, DataType.INT32, 5, i -> i);
    CommBuffer buffer = region.buffer();
    buffer.segment().set(ValueLayout.JAVA_INT_UNALIGNED, 12, 77);
    assertThat(region.verify())
        .isEqualTo("element 3 of recv is 77 (0x4d), but must not be written and was 3 (0x3)");
    region.expect(3, 1, (i, bits) -> bits == 77 ? null : "wrong");
    assertThat(region.verify()).isNull();
    buffer.segment().set(ValueLayout.JAVA_INT_UNALIGNED, 0, 1);
    buffer.segment().set(ValueLayout.JAVA_INT_UNALIGNED, 12, 78);
    assertThat(region.verify())
        .startsWith("element 0 of recv")
        .endsWith("2 of 5 elements are wrong");
  }

  @ParameterizedTest
  @EnumSource
  void bytesBesideAreSeen(Memory kind) {
    for (long count : new long[] {0, 5}) {
      for (int beside : new int[] {-64, -1, 0, 63}) {
        Region region = new Region("recv", kind, DataType.INT64, count, i -> i);
        MemorySegment memory = region.memory();
        long begin = region.buffer().segment().address() - memory.address();
        long at = beside < 0 ? begin + beside : begin + 8 * count + beside;
        memory.set(ValueLayout.JAVA_BYTE, at, (byte) 0);
        String place = beside < 0 ? -beside + " before recv" : beside + 1 + " behind recv";
        assertThat(region.verify()).isEqualTo("the byte " + place + " was written");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT16", "BFLOAT16", "FLOAT32", "FLOAT64"})
  void digestsTellBitsButNotKindsOfNotANumber(DataType type) {
    FloatFormat format = FloatFormat.of(type);
    long one = digest(type, format.encodeExact(1));
    assertThat(digest(type, format.encodeExact(-1))).isNotEqualTo(one);
    assertThat(digest(type, 0)).isNotEqualTo(digest(type, format.signBit()));
    assertThat(digest(type, format.nan() | 1 | format.signBit()))
        .isEqualTo(digest(type, format.nan()));
  }

  private static long digest(DataType type, long bits) {
    Region region = new Region("recv", Memory.NATIVE, type, 1, i -> bits);
    region.expect(0, 1, (i, b) -> null);
    return region.digest(Digest.EMPTY, true);
  }
}
