package dev.tutti.mpi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a collective on this rank.
 *
 * @param memory what MPI reads or writes, in place; on the heap or not
 * @param read whether what is in it counts
 * @param written whether what comes into it counts
 * @param own what is to be copied into it before the call, or null
 * @param ownAt where, in bytes
 */
record Region(
    MemorySegment memory, boolean read, boolean written, @Nullable MemorySegment own, long ownAt) {
  /** Returns memory that is read only. */
  static Region in(MemorySegment memory) {
    return new Region(memory, true, false, null, 0);
  }

  /** Returns memory that is written only. */
  static Region out(MemorySegment memory) {
    return new Region(memory, false, true, null, 0);
  }

  /**
   * Returns memory that is written, after this rank's own part was copied into it.
   *
   * @param own that part, perhaps already in its place
   * @param at its place in bytes
   */
  static Region inPlace(MemorySegment memory, MemorySegment own, long at) {
    return new Region(memory, false, true, own, at);
  }

  /** Returns part of it; its own part, if it has one, is as long as the memory. */
  Region slice(long offset, long bytes) {
    return new Region(
        memory.asSlice(offset, bytes),
        read,
        written,
        own == null ? null : own.asSlice(offset, bytes),
        ownAt);
  }

  /** Fills the memory that MPI is given: this memory if it is native, else a slot. */
  void before(MemorySegment given) {
    if (read && !memory.isNative()) {
      given.copyFrom(memory);
    }
    if (own != null) {
      MemorySegment place = given.asSlice(ownAt, own.byteSize());
      boolean there = own.isNative() && own.address() == place.address();
      if (!there) {
        place.copyFrom(own);
      }
    }
  }

  /** Takes the result from the memory that MPI was given. */
  void after(MemorySegment given) {
    if (written && !memory.isNative()) {
      memory.copyFrom(given);
    }
  }
}
