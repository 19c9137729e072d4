package dev.tutti.mpi;

import dev.tutti.comm.spi.SlotPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A collective of MPI, piece by piece, two at a time. All ranks cut alike, whatever their memory:
 * native memory goes to MPI as it is, heap memory crosses through slots.
 */
final class Collective implements Execution {
  /** Makes MPI's call on one piece. */
  @FunctionalInterface
  interface Call {
    MpiApi.Request make(MemorySegment memory);
  }

  private static final int WINDOW = 2;

  private record Piece(
      Region region, MemorySegment given, @Nullable MemorySegment slot, MpiApi.Request request) {}

  private final SlotPool pool;
  private final Region region;
  private final long pieceBytes;
  private final Call call;
  private final Consumer<MemorySegment> result;
  private final ArrayDeque<Piece> window = new ArrayDeque<>(WINDOW);
  private final long bytes;
  private long issued;

  /**
   * @param region this rank's memory
   * @param pieceBytes the length of a piece: at least that of the memory where it cannot be cut
   * @param call makes MPI's call
   * @param result what is done to a piece's result, in the memory that MPI was given
   */
  Collective(
      SlotPool pool, Region region, long pieceBytes, Call call, Consumer<MemorySegment> result) {
    this.pool = pool;
    this.region = region;
    this.pieceBytes = pieceBytes;
    this.call = call;
    this.result = result;
    this.bytes = region.memory().byteSize();
  }

  @Override
  public boolean advance() {
    boolean progressed = false;
    while (true) {
      Piece oldest = window.peek();
      if (oldest != null && oldest.request.test() != MpiApi.Request.PENDING) {
        window.remove();
        end(oldest);
      } else if (issued == bytes || window.size() == WINDOW || !issue()) {
        return progressed;
      }
      progressed = true;
    }
  }

  private boolean issue() {
    long length = Math.min(pieceBytes, bytes - issued);
    Region piece = length == bytes ? region : region.slice(issued, length);
    MemorySegment given = piece.memory();
    MemorySegment slot = null;
    if (!given.isNative()) {
      slot = pool.tryAcquire();
      if (slot == null) {
        return false;
      }
      given = slot.asSlice(0, length);
    }
    piece.before(given);
    window.add(new Piece(piece, given, slot, call.make(given)));
    issued += length;
    return true;
  }

  private void end(Piece piece) {
    if (piece.region.written()) {
      result.accept(piece.given);
    }
    piece.region.after(piece.given);
    if (piece.slot != null) {
      pool.release(piece.slot);
    }
  }

  @Override
  public boolean isDone() {
    return issued == bytes && window.isEmpty();
  }

  @Override
  public boolean isInFlight() {
    return !window.isEmpty();
  }

  @Override
  public String awaited() {
    return bytes <= pieceBytes
        ? "all ranks"
        : "all ranks, from byte %d of %d on".formatted(issued - pending(), bytes);
  }

  private long pending() {
    return window.stream().mapToLong(piece -> piece.given.byteSize()).sum();
  }
}
