package dev.tutti.comm.internal.launch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Brings the ranks' output together, line by line: a line is bytes, written whole, so that neither
 * two ranks nor two bytes of one character are ever mixed. Keeps each rank's last lines.
 *
 * <p>One daemon thread for each rank's output and one for its errors; they end when all who hold
 * the other end have.
 */
final class RankOutput {
  private static final int KEPT_LINES = 40;
  private static final int KEPT_BYTES = 8000;

  /** In a rank's place: the program that starts them, whose lines have nothing in front. */
  private static final int STARTER = -1;

  /** A longer line is written in pieces of this many bytes. */
  private static final int LONGEST_LINE = 1 << 20;

  private final boolean prefix;
  private final OutputStream out;
  private final OutputStream err;
  private final List<ArrayDeque<String>> kept = new ArrayList<>();
  private final List<Thread> pumps = new ArrayList<>();
  private boolean outBroken;
  private boolean errBroken;

  RankOutput(int ranks, boolean prefix, OutputStream out, OutputStream err) {
    this.prefix = prefix;
    this.out = out;
    this.err = err;
    for (int rank = 0; rank < ranks; rank++) {
      kept.add(new ArrayDeque<>());
    }
  }

  /** Starts to read a rank's output and errors. */
  void attach(int rank, Process process) {
    pump(rank, process.getInputStream(), false);
    pump(rank, process.getErrorStream(), true);
  }

  /** Starts to read what the program that starts the ranks has to say; it goes to the errors. */
  void attachStarter(Process process) {
    pump(STARTER, process.getInputStream(), true);
    pump(STARTER, process.getErrorStream(), true);
  }

  /** Waits until all output is written; returns whether it is. */
  boolean awaitEnd(Duration timeout) throws InterruptedException {
    long end = System.nanoTime() + timeout.toNanos();
    for (Thread pump : pumps) {
      Duration left = Duration.ofNanos(Math.max(1, end - System.nanoTime()));
      if (!pump.join(left)) {
        return false;
      }
    }
    return true;
  }

  /** Returns a rank's last lines, oldest first. */
  List<String> lastLines(int rank) {
    ArrayDeque<String> lines = kept.get(rank);
    synchronized (this) {
      return List.copyOf(lines);
    }
  }

  private void pump(int rank, InputStream in, boolean error) {
    pumps.add(
        Thread.ofPlatform()
            .daemon()
            .name("tutti-output-" + rank + (error ? "-err" : "-out"))
            .start(() -> pump(rank, in, error, new ByteArrayOutputStream())));
  }

  private void pump(int rank, InputStream in, boolean error, ByteArrayOutputStream line) {
    byte[] chunk = new byte[8192];
    try (in) {
      int count;
      while ((count = in.read(chunk)) >= 0) {
        int from = 0;
        for (int i = 0; i < count; i++) {
          if (chunk[i] == '\n') {
            line.write(chunk, from, i - from);
            write(rank, line, error);
            from = i + 1;
          }
        }
        line.write(chunk, from, count - from);
        if (line.size() >= LONGEST_LINE) {
          write(rank, line, error);
        }
      }
    } catch (IOException e) {
      // The process was ended, and its output with it.
    }
    if (line.size() > 0) {
      write(rank, line, error);
    }
  }

  private synchronized void write(int rank, ByteArrayOutputStream line, boolean error) {
    byte[] bytes = line.toByteArray();
    line.reset();
    if (rank != STARTER) {
      ArrayDeque<String> lines = kept.get(rank);
      if (lines.size() == KEPT_LINES) {
        lines.remove();
      }
      lines.add(text(bytes));
    }
    if (error ? errBroken : outBroken) {
      return;
    }
    try {
      OutputStream sink = error ? err : out;
      if (prefix && rank != STARTER) {
        sink.write(("[" + rank + "] ").getBytes(StandardCharsets.US_ASCII));
      }
      sink.write(bytes);
      sink.write('\n');
      sink.flush();
    } catch (IOException e) {
      // Nobody reads it any more; the ranks must not notice.
      if (error) {
        errBroken = true;
      } else {
        outBroken = true;
      }
    }
  }

  private static String text(byte[] bytes) {
    int length = Math.min(bytes.length, KEPT_BYTES);
    if (length > 0 && length == bytes.length && bytes[length - 1] == '\r') {
      length--;
    }
    String text = new String(bytes, 0, length, Charset.defaultCharset());
    return bytes.length > KEPT_BYTES ? text + "..." : text;
  }
}
