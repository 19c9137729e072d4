package dev.tutti.cli.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.Socket;
import java.time.Duration;
import java.util.List;

/**
 * The line between the conductor and one rank: each message is one line of words, a keyword first.
 *
 * <p><b>Threading.</b> One thread at a time.
 */
final class Lines implements Closeable {
  private final Socket socket;
  private final BufferedReader reader;
  private final Writer writer;

  /** Takes over a connected socket. */
  Lines(Socket socket) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    this.reader = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
    this.writer = new BufferedWriter(new OutputStreamWriter(socket.getOutputStream(), UTF_8));
  }

  /** Sends a message; line breaks in it become blanks. */
  void send(Object... words) throws IOException {
    StringBuilder line = new StringBuilder();
    for (Object word : words) {
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    writer.write(line.toString().replace('\n', ' ').replace('\r', ' '));
    writer.write('\n');
    writer.flush();
  }

  /**
   * Waits for a message.
   *
   * @throws EOFException if the other side has gone
   */
  List<String> receive() throws IOException {
    String line = reader.readLine();
    if (line == null) {
      throw new EOFException("the other side has gone");
    }
    return List.of(line.split(" ", -1));
  }

  /** Bounds every later {@link #receive}. */
  void timeout(Duration timeout) throws IOException {
    socket.setSoTimeout(Math.toIntExact(Math.min(timeout.toMillis(), Integer.MAX_VALUE)));
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
