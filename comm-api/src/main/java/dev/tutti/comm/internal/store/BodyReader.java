package dev.tutti.comm.internal.store;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Reads the body of a frame, whose sender is not trusted: whatever does not fit is a {@link
 * ProtocolException}.
 */
public final class BodyReader {
  private final ByteBuffer bytes;

  /** Creates a reader of a body. */
  public BodyReader(byte[] body) {
    this.bytes = ByteBuffer.wrap(body);
  }

  /** Reads one byte. */
  public int int8() throws ProtocolException {
    need(1);
    return bytes.get();
  }

  /** Reads four bytes. */
  public int int32() throws ProtocolException {
    need(Integer.BYTES);
    return bytes.getInt();
  }

  /** Reads eight bytes. */
  public long int64() throws ProtocolException {
    need(Long.BYTES);
    return bytes.getLong();
  }

  /** Reads a length and that many bytes. */
  public byte[] bytes() throws ProtocolException {
    int length = int32();
    need(length);
    byte[] value = new byte[length];
    bytes.get(value);
    return value;
  }

  /** Reads a length and that many bytes of UTF-8. */
  public String text() throws ProtocolException {
    return new String(bytes(), StandardCharsets.UTF_8);
  }

  /** Checks that nothing is left. */
  public void end() throws ProtocolException {
    if (bytes.hasRemaining()) {
      throw new ProtocolException(bytes.remaining() + " bytes too many in a frame");
    }
  }

  private void need(int count) throws ProtocolException {
    if (count < 0 || count > bytes.remaining()) {
      throw new ProtocolException(
          "A frame is too short: " + count + " bytes expected, " + bytes.remaining() + " left");
    }
  }
}
