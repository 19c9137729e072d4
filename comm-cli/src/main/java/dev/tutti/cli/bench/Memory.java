package dev.tutti.cli.bench;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.internal.config.Units;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The two buffers of a rank, made once and used by every measurement.
 *
 * @param first what most operations send from
 * @param second what most operations receive into
 */
record Memory(CommBuffer first, CommBuffer second) {
  private static final long PAGE = 4096;

  /** Returns native memory, which lives as long as the arena. */
  static Memory inArena(Arena arena, long bytes, DataType type) {
    return new Memory(
        CommBuffer.of(arena.allocate(bytes, PAGE), type),
        CommBuffer.of(arena.allocate(bytes, PAGE), type));
  }

  /** Returns arrays on the Java heap. */
  static Memory onHeap(long bytes, DataType type) {
    return new Memory(
        CommBuffer.of(array(bytes, type), type), CommBuffer.of(array(bytes, type), type));
  }

  private static MemorySegment array(long bytes, DataType type) {
    long count = bytes / type.byteSize();
    if (count > Integer.MAX_VALUE - 8) {
      throw new ConfigException(
          "no array holds %s of %s; leave out --heap, or take sizes of less than 2^31 elements"
              .formatted(Units.formatBytes(bytes), type));
    }
    int length = (int) count;
    return switch (type) {
      case INT8, UINT8 -> MemorySegment.ofArray(new byte[length]);
      case FLOAT16, BFLOAT16 -> MemorySegment.ofArray(new short[length]);
      case INT32, UINT32 -> MemorySegment.ofArray(new int[length]);
      case INT64, UINT64 -> MemorySegment.ofArray(new long[length]);
      case FLOAT32 -> MemorySegment.ofArray(new float[length]);
      case FLOAT64 -> MemorySegment.ofArray(new double[length]);
    };
  }
}
