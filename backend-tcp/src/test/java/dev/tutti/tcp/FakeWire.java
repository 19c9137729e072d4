package dev.tutti.tcp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A wire whose other end is a script: what arrives, how many bytes each call moves, when it ends.
 */
final class FakeWire implements Wire {
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private byte[] incoming = new byte[0];
  private int position;
  private boolean ended;
  private LongUnaryOperator readable = wanted -> wanted;
  private LongUnaryOperator writable = wanted -> wanted;
  private @Nullable IOException failure;

  boolean readInterest;
  boolean writeInterest;
  boolean closed;

  /** Lets bytes arrive after those that have. */
  FakeWire receives(byte[] more) {
    byte[] all = Arrays.copyOf(incoming, incoming.length + more.length);
    System.arraycopy(more, 0, all, incoming.length, more.length);
    incoming = all;
    return this;
  }

  /** Closes the other end: what has arrived is still read. */
  FakeWire ends() {
    ended = true;
    return this;
  }

  /** Lets every later call fail. */
  void breaks(IOException how) {
    failure = how;
  }

  /** How many of the wanted bytes, of which there is at least one, each read moves. */
  FakeWire reading(LongUnaryOperator moved) {
    readable = moved;
    return this;
  }

  /** How many of the wanted bytes each write moves. */
  FakeWire writing(LongUnaryOperator moved) {
    writable = moved;
    return this;
  }

  byte[] written() {
    return written.toByteArray();
  }

  int unread() {
    return incoming.length - position;
  }

  @Override
  public long write(long address1, long length1, long address2, long length2) throws IOException {
    if (failure != null) {
      throw failure;
    }
    long moved = writable.applyAsLong(length1 + length2);
    long first = Math.min(moved, length1);
    written.writeBytes(at(address1, first).toArray(ValueLayout.JAVA_BYTE));
    written.writeBytes(at(address2, moved - first).toArray(ValueLayout.JAVA_BYTE));
    return moved;
  }

  @Override
  public int read(long address, long length) throws IOException {
    if (length <= 0) {
      throw new IllegalArgumentException("a read of " + length + " bytes");
    }
    if (failure != null) {
      throw failure;
    }
    if (unread() == 0) {
      return ended ? -1 : 0;
    }
    int moved = (int) readable.applyAsLong(Math.min(length, unread()));
    MemorySegment.copy(incoming, position, at(address, length), ValueLayout.JAVA_BYTE, 0, moved);
    position += moved;
    return moved;
  }

  @SuppressWarnings("restricted") // as the real ones: the caller vouches for the memory
  private static MemorySegment at(long address, long length) {
    return MemorySegment.ofAddress(address).reinterpret(length);
  }

  @Override
  public void interest(boolean read, boolean write) {
    readInterest = read;
    writeInterest = write;
  }

  @Override
  public void close() {
    closed = true;
  }
}
