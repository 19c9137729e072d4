package dev.tutti.comm.internal.store;

import dev.tutti.comm.internal.Deadline;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection that carries frames both ways. Sending never blocks: a thread of the link writes, so
 * that a peer that does not read holds up nobody but itself.
 *
 * <p>{@link #read} is for one thread at a time; everything else is thread-safe.
 */
public final class FrameLink implements AutoCloseable {
  /** What a peer may leave unread before the link is given up. */
  private static final long MAX_QUEUED_BYTES = 512L << 20;

  /** What a peer may leave unread and still be served. */
  private static final long DRAINED_BYTES = 64L << 20;

  private final Socket socket;
  private final DataInputStream in;
  private final DataOutputStream out;
  private final ArrayDeque<Frame> queue = new ArrayDeque<>();
  private long queuedBytes;
  private long queued;
  private long written;
  private boolean ending;
  private boolean closed;

  /**
   * Takes over a connected socket.
   *
   * @param threads makes the thread that writes; it ends with the link
   */
  public FrameLink(Socket socket, ThreadFactory threads) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    this.out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    threads.newThread(this::write).start();
  }

  /**
   * Reads the next frame, waiting for it.
   *
   * @param maxBody the largest body that is accepted, in bytes
   * @throws EOFException if the peer ended the connection between two frames
   * @throws ProtocolException if the frame is too large or no frame
   * @throws IOException if the connection broke
   */
  public Frame read(int maxBody) throws IOException {
    int length = in.readInt();
    int header = Frame.HEADER_BYTES - Integer.BYTES;
    if (length < header || length - header > maxBody) {
      throw new ProtocolException(
          "A frame claims " + (length & 0xffffffffL) + " bytes; at most " + maxBody + " fit here");
    }
    byte type = in.readByte();
    long id = in.readLong();
    // Not one allocation of the claimed size: memory follows what really arrives.
    byte[] body = in.readNBytes(length - header);
    if (body.length < length - header) {
      throw new EOFException("The connection ended within a frame");
    }
    return new Frame(type, id, body);
  }

  /**
   * Hands a frame to the link.
   *
   * @return whether the link took it: false if it is closed
   */
  public synchronized boolean send(Frame frame) {
    if (closed || ending) {
      return false;
    }
    if (queuedBytes > MAX_QUEUED_BYTES) {
      close();
      return false;
    }
    queue.add(frame);
    queuedBytes += frame.body().length + Frame.HEADER_BYTES;
    queued++;
    notifyAll();
    return true;
  }

  /**
   * Waits until all that was sent before is handed to the system.
   *
   * @return whether it was, before the deadline
   */
  public synchronized boolean flush(Deadline deadline) throws InterruptedException {
    long goal = queued;
    while (written < goal && !closed) {
      long nanos = deadline.remainingNanos();
      if (nanos <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, nanos);
    }
    return written >= goal;
  }

  /** Waits until the peer has read most of what was sent, so that it cannot ask for ever more. */
  synchronized void awaitDrained() throws InterruptedIOException {
    while (queuedBytes > DRAINED_BYTES && !closed) {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("Interrupted while a peer did not read");
      }
    }
  }

  /** Sends a last frame; once it is written, the peer sees the end of the connection. */
  public synchronized void sendLast(Frame frame) {
    send(frame);
    ending = true;
    notifyAll();
  }

  /** Returns the connection's local address. */
  public InetAddress localAddress() {
    return socket.getLocalAddress();
  }

  /** Ends the connection at once; a read in progress fails. Idempotent. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      queue.clear();
      queuedBytes = 0;
      notifyAll();
    }
    closeQuietly();
  }

  private void write() {
    try {
      while (true) {
        Frame frame = next();
        if (frame == null) {
          break;
        }
        out.writeInt(frame.body().length + Frame.HEADER_BYTES - Integer.BYTES);
        out.writeByte(frame.type());
        out.writeLong(frame.id());
        out.write(frame.body());
        flushIfLast();
      }
      if (!socket.isClosed()) {
        socket.shutdownOutput();
      }
    } catch (IOException e) {
      // The reading side sees the same end, and reports it.
      close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
    }
  }

  private synchronized @Nullable Frame next() throws InterruptedException {
    while (queue.isEmpty()) {
      if (ending || closed) {
        return null;
      }
      wait();
    }
    Frame frame = queue.remove();
    queuedBytes -= frame.body().length + Frame.HEADER_BYTES;
    notifyAll();
    return frame;
  }

  private void flushIfLast() throws IOException {
    boolean last;
    synchronized (this) {
      last = queue.isEmpty();
    }
    // Frames that queue up behind one another go out together.
    if (last) {
      out.flush();
      synchronized (this) {
        written = queued - queue.size();
        notifyAll();
      }
    }
  }

  private void closeQuietly() {
    try {
      socket.close();
    } catch (IOException e) {
      // It is closed as far as it can be.
    }
  }
}
