package dev.tutti.comm.internal.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an exchange gives to each of its ranks. */
final class Gathered {
  private final List<byte[]> values;
  private byte @Nullable [] encoded;

  /**
   * Creates the result.
   *
   * @param values all ranks' values in rank order, shared: not to be written
   */
  Gathered(List<byte[]> values) {
    this.values = values;
  }

  List<byte[]> values() {
    return values;
  }

  /** Returns the values as the body of an answer, made once for all ranks. */
  synchronized byte[] encoded() {
    byte[] body = encoded;
    if (body == null) {
      int length = Integer.BYTES;
      for (byte[] value : values) {
        length += Integer.BYTES + value.length;
      }
      BodyWriter writer = new BodyWriter(length).int32(values.size());
      values.forEach(writer::bytes);
      body = writer.toBytes();
      encoded = body;
    }
    return body;
  }
}
