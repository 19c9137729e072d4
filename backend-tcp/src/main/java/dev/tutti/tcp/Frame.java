package dev.tutti.tcp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The header in front of every message, 48 bytes, little-endian:
 *
 * <pre>
 *  0 u16 magic      2 u8 version     3 u8 kind        4 i32 epoch of the group
 *  8 i64 sequence of the operation, or of the transfer between this pair in this direction
 * 16 i32 call: operation, type, operator (see {@link Call})          20 i32 root, -1 if none
 * 24 i64 count that the call has on both sides, -1 if it has none    32 i32 number of the message in the operation
 * 36 i32 reserved  40 i64 length of the payload in bytes
 * </pre>
 */
final class Frame {
  static final int BYTES = 48;
  static final short MAGIC = 0x5475;
  static final byte VERSION = 1;
  static final byte DATA = 1;
  static final byte HELLO = 2;

  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Frame() {}

  /** Writes a data header at the start of a segment. */
  static void writeData(
      MemorySegment to, int epoch, long sequence, Call call, int message, long length) {
    writeStart(to, DATA, epoch);
    to.set(LONG, 8, sequence);
    to.set(INT, 16, call.code());
    to.set(INT, 20, call.root());
    to.set(LONG, 24, call.count());
    to.set(INT, 32, message);
    to.set(INT, 36, 0);
    to.set(LONG, 40, length);
  }

  /**
   * Writes what a connecting rank says first: who it is, and the secret that the listener published
   * for this group.
   */
  static void writeHello(MemorySegment to, int epoch, long secret, int from, int size) {
    writeStart(to, HELLO, epoch);
    to.set(LONG, 8, secret);
    to.set(INT, 16, from);
    to.set(INT, 20, size);
    to.set(LONG, 24, 0);
    to.set(LONG, 32, 0);
    to.set(LONG, 40, 0);
  }

  private static void writeStart(MemorySegment to, byte kind, int epoch) {
    to.set(SHORT, 0, MAGIC);
    to.set(ValueLayout.JAVA_BYTE, 2, VERSION);
    to.set(ValueLayout.JAVA_BYTE, 3, kind);
    to.set(INT, 4, epoch);
  }

  static short magic(MemorySegment from, long at) {
    return from.get(SHORT, at);
  }

  static byte version(MemorySegment from, long at) {
    return from.get(ValueLayout.JAVA_BYTE, at + 2);
  }

  static byte kind(MemorySegment from, long at) {
    return from.get(ValueLayout.JAVA_BYTE, at + 3);
  }

  static int epoch(MemorySegment from, long at) {
    return from.get(INT, at + 4);
  }

  static long sequence(MemorySegment from, long at) {
    return from.get(LONG, at + 8);
  }

  static long secret(MemorySegment from, long at) {
    return from.get(LONG, at + 8);
  }

  static int call(MemorySegment from, long at) {
    return from.get(INT, at + 16);
  }

  static int from(MemorySegment from, long at) {
    return from.get(INT, at + 16);
  }

  static int size(MemorySegment from, long at) {
    return from.get(INT, at + 20);
  }

  static int root(MemorySegment from, long at) {
    return from.get(INT, at + 20);
  }

  static long count(MemorySegment from, long at) {
    return from.get(LONG, at + 24);
  }

  static int message(MemorySegment from, long at) {
    return from.get(INT, at + 32);
  }

  static long length(MemorySegment from, long at) {
    return from.get(LONG, at + 40);
  }
}
