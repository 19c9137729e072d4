package dev.tutti.tcp;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.LongToIntFunction;

/** Where the elements of a test lie: each place takes another way through the links. */
enum Placed {
  NATIVE,
  /** One byte behind an address that is aligned. */
  ODD_NATIVE,
  HEAP,
  /** One byte into an array. */
  ODD_HEAP;

  private static final List<Placed> ALL = List.of(values());

  /** Returns one place after another as {@code i} grows. */
  static Placed nth(int i) {
    return ALL.get(i % ALL.size());
  }

  /** Returns another place. */
  Placed next() {
    return nth(ALL.indexOf(this) + 1);
  }

  CommBuffer buffer(DataType type, long count) {
    int bytes = Math.toIntExact(count * type.byteSize());
    return CommBuffer.of(
        switch (this) {
          case NATIVE -> Arena.ofAuto().allocate(Math.max(1, bytes), 64).asSlice(0, bytes);
          case ODD_NATIVE -> Arena.ofAuto().allocate(bytes + 1L, 64).asSlice(1);
          case HEAP -> MemorySegment.ofArray(new int[(bytes + 3) / 4]).asSlice(0, bytes);
          case ODD_HEAP -> MemorySegment.ofArray(new byte[bytes + 1]).asSlice(1);
        },
        type);
  }

  /** A buffer of INT32 with given elements. */
  CommBuffer ints(long count, LongToIntFunction element) {
    CommBuffer buffer = buffer(DataType.INT32, count);
    for (long i = 0; i < count; i++) {
      set(buffer, i, element.applyAsInt(i));
    }
    return buffer;
  }

  static int get(CommBuffer buffer, long i) {
    return buffer.segment().get(ValueLayout.JAVA_INT_UNALIGNED, 4 * i);
  }

  static void set(CommBuffer buffer, long i, int value) {
    buffer.segment().set(ValueLayout.JAVA_INT_UNALIGNED, 4 * i, value);
  }

  /** Throws if a buffer does not hold the elements expected. */
  static void check(String what, CommBuffer buffer, LongToIntFunction expected) {
    for (long i = 0; i < buffer.count(); i++) {
      if (get(buffer, i) != expected.applyAsInt(i)) {
        throw new AssertionError(
            "%s: element %d of %d is %d, not %d"
                .formatted(what, i, buffer.count(), get(buffer, i), expected.applyAsInt(i)));
      }
    }
  }
}
