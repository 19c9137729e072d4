package dev.tutti.mpi;

import dev.tutti.comm.spi.SlotPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Messages to one peer, or from it, one after the other, piece by piece, two pieces at a time. Both
 * ends cut alike, whatever their memory.
 */
final class Lane {
  private static final int WINDOW = 2;

  private record Piece(
      MemorySegment memory, @Nullable MemorySegment slot, MpiApi.Request request) {}

  private final int peer;
  private final boolean outgoing;
  private final ArrayDeque<MemorySegment> messages = new ArrayDeque<>();
  private final ArrayDeque<Piece> window = new ArrayDeque<>(WINDOW);
  private long bytes;
  private long moved;
  private long offset;

  Lane(int peer, boolean outgoing) {
    this.peer = peer;
    this.outgoing = outgoing;
  }

  int peer() {
    return peer;
  }

  boolean outgoing() {
    return outgoing;
  }

  /** Adds a message; an empty one is none. */
  void add(MemorySegment message) {
    if (message.byteSize() > 0) {
      messages.add(message);
      bytes += message.byteSize();
    }
  }

  boolean isDone() {
    return messages.isEmpty() && window.isEmpty();
  }

  boolean isInFlight() {
    return !window.isEmpty();
  }

  /**
   * Does what can be done without waiting; returns whether anything was.
   *
   * @throws ShortMessageException if the peer sent less than there is memory for
   */
  boolean advance(MpiApi.Comm comm, int tag, SlotPool pool) {
    boolean progressed = false;
    while (true) {
      Piece oldest = window.peek();
      long got = oldest == null ? MpiApi.Request.PENDING : oldest.request.test();
      if (oldest != null && got != MpiApi.Request.PENDING) {
        window.remove();
        end(oldest, got, pool);
      } else if (messages.isEmpty() || window.size() == WINDOW || !issue(comm, tag, pool)) {
        return progressed;
      }
      progressed = true;
    }
  }

  private boolean issue(MpiApi.Comm comm, int tag, SlotPool pool) {
    MemorySegment message = messages.element();
    long length = Math.min(pool.slotBytes(), message.byteSize() - offset);
    MemorySegment memory = message.asSlice(offset, length);
    MemorySegment slot = null;
    MemorySegment given = memory;
    if (!memory.isNative()) {
      slot = pool.tryAcquire();
      if (slot == null) {
        return false;
      }
      given = slot.asSlice(0, length);
      if (outgoing) {
        given.copyFrom(memory);
      }
    }
    MpiApi.Request request =
        outgoing ? comm.send(given, peer, tag) : comm.receive(given, peer, tag);
    window.add(new Piece(memory, slot, request));
    offset += length;
    if (offset == message.byteSize()) {
      messages.remove();
      offset = 0;
    }
    return true;
  }

  private void end(Piece piece, long got, SlotPool pool) {
    long length = piece.memory.byteSize();
    if (piece.slot != null) {
      if (!outgoing) {
        piece.memory.copyFrom(piece.slot.asSlice(0, length));
      }
      pool.release(piece.slot);
    }
    if (!outgoing && got != length) {
      throw new ShortMessageException(peer, got, length);
    }
    moved += length;
  }

  /** Returns what is missing, such as "12 of 64 bytes from rank 3". */
  String awaited() {
    return outgoing
        ? "rank %d to take %d of %d bytes".formatted(peer, bytes - moved, bytes)
        : "%d of %d bytes from rank %d".formatted(bytes - moved, bytes, peer);
  }

  /** A peer sent less than was expected of it. */
  static final class ShortMessageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ShortMessageException(int peer, long got, long expected) {
      super(
          "rank %d sent %d bytes where %d were expected, or the message of another call"
              .formatted(peer, got, expected));
    }
  }
}
