package dev.tutti.comm.internal.rendezvous;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A hello written byte by byte: what the protocol promises, told apart from the code that speaks
 * it.
 */
final class RawHello {
  private RawHello() {}

  /** Says hello for a store connection and reads the welcome. */
  static void send(Socket socket, int rank, int size, String job) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream body = new DataOutputStream(bytes);
    body.writeBytes("TUTTI\r\n\0");
    body.writeInt(1);
    body.writeByte(0);
    body.writeInt(rank);
    body.writeInt(size);
    for (String text : new String[] {job, "host"}) {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      body.writeInt(utf8.length);
      body.write(utf8);
    }
    body.writeLong(4711);
    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    out.writeInt(9 + bytes.size());
    out.writeByte(1);
    out.writeLong(0);
    bytes.writeTo(out);
    out.flush();
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] reply = new byte[in.readInt()];
    in.readFully(reply);
    if (reply[0] != 1 || reply[21] != 0) {
      throw new IOException("Not welcome");
    }
  }
}
