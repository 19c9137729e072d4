package dev.tutti.conformance;

import dev.tutti.comm.DataType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Where a case's buffers lie. */
public enum Memory {
  /** An array of the type that is closest to the element type. */
  ARRAY("array"),
  /** A byte array, at an odd place in it. */
  @Rule("M6")
  BYTES("misaligned byte array"),
  /** Native memory. */
  NATIVE("native"),
  /** A slice of native memory, one element behind its begin. */
  @Rule("M6")
  SLICED("sliced native"),
  /** Native memory at an odd address. */
  @Rule("M6")
  MISALIGNED("misaligned native");

  private final String text;

  Memory(String text) {
    this.text = text;
  }

  /** Returns whether the memory is on the heap. */
  public boolean isHeap() {
    return this == ARRAY || this == BYTES;
  }

  /** Returns how many bytes the buffers begin behind an aligned place. */
  int shift(DataType type) {
    return switch (this) {
      case ARRAY, NATIVE -> 0;
      case SLICED -> type.byteSize();
      case BYTES, MISALIGNED -> 1;
    };
  }

  /**
   * Returns new memory.
   *
   * @param bytes at least how many
   */
  MemorySegment allocate(long bytes, DataType type) {
    if (!isHeap()) {
      // Freed once nobody can reach it: after a failure it belongs to the backend for a while.
      return Arena.ofAuto().allocate(bytes, 64);
    }
    int elements = Math.toIntExact((bytes + type.byteSize() - 1) / type.byteSize());
    if (this == BYTES) {
      return MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]);
    }
    return switch (type) {
      case INT8, UINT8 -> MemorySegment.ofArray(new byte[elements]);
      case FLOAT16, BFLOAT16 -> MemorySegment.ofArray(new short[elements]);
      case INT32, UINT32 -> MemorySegment.ofArray(new int[elements]);
      case INT64, UINT64 -> MemorySegment.ofArray(new long[elements]);
      case FLOAT32 -> MemorySegment.ofArray(new float[elements]);
      case FLOAT64 -> MemorySegment.ofArray(new double[elements]);
    };
  }

  @Override
  public String toString() {
    return text;
  }
}
