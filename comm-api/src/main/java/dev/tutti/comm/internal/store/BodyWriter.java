package dev.tutti.comm.internal.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes the body of a frame: big-endian numbers; texts (UTF-8) and byte strings behind their
 * length.
 */
public final class BodyWriter {
  private byte[] bytes;
  private int length;

  /** Creates an empty body. */
  public BodyWriter() {
    this(64);
  }

  BodyWriter(int capacity) {
    bytes = new byte[capacity];
  }

  /** Appends one byte. */
  public BodyWriter int8(int value) {
    reserve(1);
    bytes[length++] = (byte) value;
    return this;
  }

  /** Appends four bytes. */
  public BodyWriter int32(int value) {
    reserve(Integer.BYTES);
    ByteBuffer.wrap(bytes).putInt(length, value);
    length += Integer.BYTES;
    return this;
  }

  /** Appends eight bytes. */
  public BodyWriter int64(long value) {
    reserve(Long.BYTES);
    ByteBuffer.wrap(bytes).putLong(length, value);
    length += Long.BYTES;
    return this;
  }

  /** Appends a length and that many bytes. */
  public BodyWriter bytes(byte[] value) {
    int32(value.length);
    reserve(value.length);
    System.arraycopy(value, 0, bytes, length, value.length);
    length += value.length;
    return this;
  }

  /** Appends a length and that many bytes of UTF-8. */
  public BodyWriter text(String value) {
    return bytes(value.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns what was written. */
  public byte[] toBytes() {
    return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
  }

  private void reserve(int more) {
    int needed = Math.addExact(length, more);
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.max(needed, Math.min(2L * bytes.length, 1 << 30)));
    }
  }
}
