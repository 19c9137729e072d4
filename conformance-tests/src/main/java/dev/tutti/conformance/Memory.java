package dev.tutti.conformance;

import dev.tutti.comm.DataType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Where a case's buffers lie. */
@Rule("M6")
public enum Memory {
  /** An array of the type that is closest to the element type. */
  ARRAY("array"),
  /** A byte array, at an odd place in it. */
  BYTES("misaligned byte array"),
  /** Native memory. */
  NATIVE("native"),
  /** Native memory at an odd address. */
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
  int shift() {
    return this == BYTES || this == MISALIGNED ? 1 : 0;
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
