package dev.tutti.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** Typed views of memory: counts, slices, overlap. */
class CommBufferTest {
  /** Device memory as a runtime hands it out: an address without an extent. */
  private static MemorySegment at(long address) {
    return MemorySegment.ofAddress(address);
  }

  @Test
  void arraysAreViewedWhereTheyLie() {
    float[] floats = {1, 2, 3};
    CommBuffer buffer = CommBuffer.of(floats);
    buffer.segment().set(ValueLayout.JAVA_FLOAT, 4, 9);

    assertThat(floats).containsExactly(1, 9, 3);
    assertThat(buffer.count()).isEqualTo(3);
    assertThat(buffer.byteSize()).isEqualTo(12);
    assertThat(buffer.type()).isEqualTo(DataType.FLOAT32);
    assertThat(buffer.device()).isEqualTo(Device.CPU);
    assertThat(buffer).hasToString("3 FLOAT32 on cpu");
    assertThat(CommBuffer.of(new double[2]).type()).isEqualTo(DataType.FLOAT64);
    assertThat(CommBuffer.of(new int[2]).type()).isEqualTo(DataType.INT32);
    assertThat(CommBuffer.of(new long[2]).type()).isEqualTo(DataType.INT64);
    assertThat(CommBuffer.of(new byte[2]).type()).isEqualTo(DataType.INT8);
  }

  @Test
  void aSegmentMustHoldWholeElements() {
    byte[] bytes = new byte[10];
    MemorySegment segment = MemorySegment.ofArray(bytes);

    assertThat(CommBuffer.of(segment, DataType.BFLOAT16).count()).isEqualTo(5);
    assertThatThrownBy(() -> CommBuffer.of(segment, DataType.FLOAT32))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "a segment of 10 bytes is no whole number of FLOAT32 elements (4 bytes each); pass"
                + " segment.asSlice(offset, count * 4)");
    assertThatThrownBy(() -> CommBuffer.of(nothing(), DataType.INT8)).hasMessage("segment");
    assertThatThrownBy(() -> CommBuffer.of(segment, nothing())).hasMessage("type");
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // what a careless caller does
  private static <T> T nothing() {
    return null;
  }

  @Test
  void aSliceCountsElements() {
    int[] ints = {0, 1, 2, 3, 4};
    CommBuffer slice = CommBuffer.of(ints).slice(1, 3).slice(1, 2);

    assertThat(slice.count()).isEqualTo(2);
    assertThat(slice.segment().toArray(ValueLayout.JAVA_INT)).containsExactly(2, 3);
    assertThat(CommBuffer.of(ints).slice(5, 0).count()).isZero();
  }

  @Test
  void aSliceMustLieWithin() {
    CommBuffer buffer = CommBuffer.of(new int[5]);

    for (long[] bad : new long[][] {{-1, 1}, {0, 6}, {5, 1}, {0, -1}, {2, Long.MAX_VALUE}}) {
      assertThatThrownBy(() -> buffer.slice(bad[0], bad[1]))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void aSliceOfDeviceMemoryIsAnAddressWithoutAnExtent() {
    CommBuffer buffer = CommBuffer.ofDevice(at(0x10_0000), DataType.FLOAT16, 100, Device.cuda(1));
    CommBuffer slice = buffer.slice(10, 20);

    assertThat(slice.segment().address()).isEqualTo(0x10_0000 + 20);
    assertThat(slice.segment().byteSize()).isZero();
    assertThat(slice.count()).isEqualTo(20);
    assertThat(slice.byteSize()).isEqualTo(40);
    assertThat(slice.device()).isEqualTo(Device.cuda(1));
    assertThat(slice.slice(5, 1).segment().address()).isEqualTo(0x10_0000 + 30);
    assertThat(buffer.slice(100, 0).segment().address()).isEqualTo(0x10_0000 + 200);
    assertThatThrownBy(() -> slice.slice(0, 21)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> slice.segment().get(ValueLayout.JAVA_BYTE, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(slice).hasToString("20 FLOAT16 on cuda:1");
  }

  @Test
  void aSliceOfDeviceMemoryDiesWithItsArena() {
    CommBuffer slice;
    try (Arena arena = Arena.ofShared()) {
      MemorySegment base = arena.allocate(64);
      slice =
          CommBuffer.ofDevice(base.asSlice(0, 0), DataType.INT8, 64, Device.cuda(0)).slice(3, 4);
      assertThat(slice.segment().scope().isAlive()).isTrue();
    }

    assertThat(slice.segment().scope().isAlive()).isFalse();
  }

  @Test
  void deviceMemoryIsCheckedAsFarAsItCanBe() {
    MemorySegment good = at(4096);
    assertThatThrownBy(() -> CommBuffer.ofDevice(good, DataType.INT8, 1, Device.CPU))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("host memory is CommBuffer.of");
    assertThatThrownBy(
            () ->
                CommBuffer.ofDevice(
                    MemorySegment.ofArray(new byte[0]), DataType.INT8, 1, Device.cuda(0)))
        .isInstanceOf(IllegalArgumentException.class);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment extent = arena.allocate(8);
      assertThatThrownBy(() -> CommBuffer.ofDevice(extent, DataType.INT8, 8, Device.cuda(0)))
          .hasMessageContaining("of zero length");
    }
    for (long bad : new long[] {-1, Long.MAX_VALUE / 8 + 1}) {
      assertThatThrownBy(() -> CommBuffer.ofDevice(good, DataType.FLOAT64, bad, Device.cuda(0)))
          .hasMessage("count " + bad + " of FLOAT64 is no size of memory");
    }
    assertThatThrownBy(() -> CommBuffer.ofDevice(nothing(), DataType.INT8, 1, Device.cuda(0)))
        .hasMessage("segment");
    assertThatThrownBy(() -> CommBuffer.ofDevice(good, DataType.INT8, 1, nothing()))
        .hasMessage("device");
  }

  @Test
  void overlapOfArrays() {
    CommBuffer whole = CommBuffer.of(new int[10]);
    CommBuffer other = CommBuffer.of(new int[10]);

    assertThat(whole.overlaps(whole)).isTrue();
    assertThat(whole.slice(0, 5).overlaps(whole.slice(4, 2))).isTrue();
    assertThat(whole.slice(0, 5).overlaps(whole.slice(5, 5))).isFalse();
    assertThat(whole.overlaps(other)).isFalse();
    assertThat(whole.overlaps(whole.slice(3, 0))).isFalse();
  }

  @Test
  @SuppressWarnings("restricted") // the same memory by another way
  void overlapOfNativeAndDeviceMemory() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment base = arena.allocate(64);
      CommBuffer whole = CommBuffer.of(base, DataType.INT32);
      CommBuffer same =
          CommBuffer.of(MemorySegment.ofAddress(base.address()).reinterpret(64), DataType.INT32);
      CommBuffer device =
          CommBuffer.ofDevice(at(base.address()), DataType.INT32, 16, Device.cuda(0));

      assertThat(whole.overlaps(same)).isTrue();
      assertThat(whole.slice(0, 8).overlaps(same.slice(8, 8))).isFalse();
      assertThat(whole.overlaps(CommBuffer.of(new int[16]))).isFalse();
      assertThat(whole.overlaps(device)).isFalse();
      assertThat(device.slice(0, 8).overlaps(device.slice(7, 1))).isTrue();
      assertThat(device.slice(0, 8).overlaps(device.slice(8, 1))).isFalse();
      CommBuffer sameAddress =
          CommBuffer.ofDevice(at(base.address()), DataType.INT32, 16, Device.cuda(1));
      assertThat(device.overlaps(sameAddress)).isFalse();
    }
  }

  @Test
  void sameMemoryIsSameStartAndSize() {
    int[] ints = new int[10];
    CommBuffer whole = CommBuffer.of(ints);

    assertThat(whole.isSameMemory(CommBuffer.of(ints))).isTrue();
    assertThat(whole.slice(2, 3).isSameMemory(CommBuffer.of(ints).slice(2, 3))).isTrue();
    assertThat(whole.slice(2, 3).isSameMemory(whole.slice(2, 4))).isFalse();
    assertThat(whole.slice(2, 3).isSameMemory(whole.slice(3, 3))).isFalse();
    assertThat(whole.isSameMemory(CommBuffer.of(new int[10]))).isFalse();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment base = arena.allocate(40);
      assertThat(
              CommBuffer.of(base, DataType.INT32)
                  .isSameMemory(CommBuffer.of(base, DataType.FLOAT32)))
          .isTrue();
      assertThat(CommBuffer.of(base, DataType.INT32).isSameMemory(whole)).isFalse();
    }
  }
}
