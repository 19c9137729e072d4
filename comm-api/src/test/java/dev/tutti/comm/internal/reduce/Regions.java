package dev.tutti.comm.internal.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/**
 * Memory of every kind and alignment for tests.
 *
 * @param seed what {@code random} was made from, for messages
 */
record Regions(Arena arena, Random random, long seed) {
  /** Where a region lies. */
  enum Memory {
    NATIVE,
    BYTES,
    SHORTS,
    CHARS,
    INTS,
    LONGS,
    FLOATS,
    DOUBLES
  }

  record Region(MemorySegment segment, long offset) {}

  /** Returns a region of any alignment, with some bytes around it. */
  Region region(Memory memory, long bytes) {
    int offset = random.nextInt(memory == Memory.NATIVE ? 65 : 17);
    MemorySegment segment = allocate(memory, offset + bytes + 9);
    byte[] noise = new byte[Math.toIntExact(segment.byteSize())];
    random.nextBytes(noise);
    MemorySegment.copy(noise, 0, segment, ValueLayout.JAVA_BYTE, 0, noise.length);
    return new Region(segment, offset);
  }

  static MemorySegment copyOf(MemorySegment segment) {
    return MemorySegment.ofArray(segment.toArray(ValueLayout.JAVA_BYTE));
  }

  void assertUntouched(MemorySegment now, MemorySegment before, long offset, long bytes) {
    assertThat(now.asSlice(0, offset).mismatch(before.asSlice(0, offset)))
        .as("before the region; seed %d", seed)
        .isEqualTo(-1);
    assertThat(now.asSlice(offset + bytes).mismatch(before.asSlice(offset + bytes)))
        .as("after the region; seed %d", seed)
        .isEqualTo(-1);
  }

  Memory anyMemory() {
    return Memory.values()[random.nextInt(Memory.values().length)];
  }

  MemorySegment allocate(Memory memory, long bytes) {
    int size = Math.toIntExact(bytes);
    return switch (memory) {
      case NATIVE -> arena.allocate(size);
      case BYTES -> MemorySegment.ofArray(new byte[size]);
      case SHORTS -> MemorySegment.ofArray(new short[size / 2 + 1]);
      case CHARS -> MemorySegment.ofArray(new char[size / 2 + 1]);
      case INTS -> MemorySegment.ofArray(new int[size / 4 + 1]);
      case LONGS -> MemorySegment.ofArray(new long[size / 8 + 1]);
      case FLOATS -> MemorySegment.ofArray(new float[size / 4 + 1]);
      case DOUBLES -> MemorySegment.ofArray(new double[size / 8 + 1]);
    };
  }
}
