package dev.tutti.tcp;

import java.io.IOException;

/**
 * A connected byte stream to one peer, never blocking. Addresses are of native memory that stays
 * alive during the call.
 *
 * <p><b>Threading.</b> Used under the group's lock only.
 */
interface Wire {
  /**
   * Writes up to two pieces of memory, as much as the peer's and the kernel's buffers take now.
   *
   * @param address1 the first piece
   * @param length1 its length in bytes, may be 0
   * @param address2 the second piece
   * @param length2 its length in bytes, may be 0
   * @return how many bytes were taken, 0 if none can be now
   * @throws IOException if the connection is broken
   */
  long write(long address1, long length1, long address2, long length2) throws IOException;

  /**
   * Reads what has arrived.
   *
   * @param address where to
   * @param length at most how many bytes, more than 0
   * @return how many bytes were read, 0 if none is there now, -1 if the peer has closed its side
   * @throws IOException if the connection is broken
   */
  int read(long address, long length) throws IOException;

  /**
   * Says what {@link Transport#await} is to wait for on this wire: that it can be read, that it can
   * be written.
   */
  void interest(boolean read, boolean write);

  /** Closes the connection; idempotent, never throws. */
  void close();
}
