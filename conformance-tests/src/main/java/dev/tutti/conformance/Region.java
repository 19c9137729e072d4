package dev.tutti.conformance;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One piece of memory that a case uses, with guard bytes on both sides, and what every element of
 * it must be in the end: what it was, but where the operation's result belongs.
 */
final class Region {
  private static final int GUARD_BYTES = 64;
  private static final byte GUARD = (byte) 0xA5;

  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  /** Says whether an element is right; null if it is, else why not. */
  interface Judge {
    @Nullable String judge(long index, long bits);
  }

  private final String name;
  private final Memory kind;
  private final DataType type;
  private final long count;
  private final MemorySegment memory;
  private final MemorySegment payload;
  private final LongUnaryOperator initial;
  private long resultFrom;
  private long resultCount;
  private Judge result = (index, bits) -> null;

  /**
   * Allocates and fills memory.
   *
   * @param name what it is called in messages
   * @param initial the bits of each element
   */
  Region(String name, Memory kind, DataType type, long count, LongUnaryOperator initial) {
    this.name = name;
    this.kind = kind;
    this.type = type;
    this.count = count;
    this.initial = initial;
    long bytes = count * type.byteSize();
    int begin = GUARD_BYTES + kind.shift(type);
    this.memory = kind.allocate(begin + bytes + GUARD_BYTES, type);
    this.payload = memory.asSlice(begin, bytes);
    memory.asSlice(0, begin).fill(GUARD);
    memory.asSlice(begin + bytes).fill(GUARD);
    for (long i = 0; i < count; i++) {
      write(i, initial.applyAsLong(i));
    }
  }

  /**
   * Says where the result belongs.
   *
   * @param from the first element of it
   * @param elements how many
   * @param judge tells a right element from a wrong one, by its place in the result
   */
  void expect(long from, long elements, Judge judge) {
    resultFrom = from;
    resultCount = elements;
    result = judge;
  }

  /** Returns all of the memory, guards included. */
  MemorySegment memory() {
    return memory;
  }

  CommBuffer buffer() {
    if (kind != Memory.SLICED) {
      return CommBuffer.of(payload, type);
    }
    // As users make it: a part of a buffer that is longer on both sides.
    int width = type.byteSize();
    long before = payload.address() - memory.address() - width;
    MemorySegment longer = memory.asSlice(before, payload.byteSize() + 2L * width);
    return CommBuffer.of(longer, type).slice(1, count);
  }

  CommBuffer buffer(long from, long elements) {
    return buffer().slice(from, elements);
  }

  /** Overwrites every element, as a caller may once the operation is complete. */
  void spoil() {
    payload.fill((byte) 0x5A);
  }

  /** Returns the result mixed into one number; any not-a-number counts as the same one. */
  long digest(long before, boolean canonical) {
    long hash = before;
    for (long i = resultFrom; i < resultFrom + resultCount; i++) {
      long bits = read(i);
      hash = Digest.mix(hash, canonical ? ScalarModel.canonical(type, bits) : bits);
    }
    return hash;
  }

  /** Returns what is wrong with this memory, or null if nothing is. */
  @Nullable String verify() {
    String first = null;
    long wrong = 0;
    for (long i = 0; i < count; i++) {
      long bits = read(i);
      boolean inResult = i >= resultFrom && i < resultFrom + resultCount;
      String why = inResult ? result.judge(i - resultFrom, bits) : untouched(i, bits);
      if (why != null) {
        wrong++;
        if (first == null) {
          first = "element %d of %s is %s, %s".formatted(i, name, text(bits), why);
        }
      }
    }
    if (first == null) {
      return guards();
    }
    return wrong == 1 ? first : first + "; %d of %d elements are wrong".formatted(wrong, count);
  }

  private @Nullable String untouched(long index, long bits) {
    long was = initial.applyAsLong(index);
    return bits == was ? null : "but must not be written and was " + text(was);
  }

  private @Nullable String guards() {
    long begin = payload.address() - memory.address();
    long end = begin + payload.byteSize();
    for (long i = 0; i < memory.byteSize(); i++) {
      if (i == begin && end > begin) {
        i = end;
      }
      if (memory.get(ValueLayout.JAVA_BYTE, i) != GUARD) {
        return i < begin
            ? "the byte %d before %s was written".formatted(begin - i, name)
            : "the byte %d behind %s was written".formatted(i - end + 1, name);
      }
    }
    return null;
  }

  private String text(long bits) {
    return ScalarModel.text(type, bits);
  }

  private long read(long index) {
    long at = index * type.byteSize();
    return switch (type.byteSize()) {
      case 1 -> payload.get(ValueLayout.JAVA_BYTE, at) & 0xFFL;
      case 2 -> payload.get(SHORT, at) & 0xFFFFL;
      case 4 -> payload.get(INT, at) & 0xFFFF_FFFFL;
      default -> payload.get(LONG, at);
    };
  }

  private void write(long index, long bits) {
    long at = index * type.byteSize();
    switch (type.byteSize()) {
      case 1 -> payload.set(ValueLayout.JAVA_BYTE, at, (byte) bits);
      case 2 -> payload.set(SHORT, at, (short) bits);
      case 4 -> payload.set(INT, at, (int) bits);
      default -> payload.set(LONG, at, bits);
    }
  }
}
