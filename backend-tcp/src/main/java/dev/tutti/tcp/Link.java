package dev.tutti.tcp;

import dev.tutti.comm.CollectiveMismatchException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.internal.reduce.ReduceKernels;
import dev.tutti.comm.spi.SlotPool;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The messages between this rank and one peer, in one group: at most one is being sent and one
 * received at a time. Native memory is sent from where it lies, and placed or combined straight
 * from the socket; heap memory passes through a slot of the pool, piece by piece. Nothing is read
 * that no receive was posted for, so the peer's credit is what TCP's own window leaves it.
 *
 * <p><b>Threading.</b> Used under the group's lock only.
 */
final class Link {
  /** Up to this length a payload travels in the header's buffer, in one write. */
  private static final int INLINE_BYTES = 8 << 10;

  /** Headers, and payloads that come with them, are read here first. */
  private static final int STAGE_BYTES = 8 << 10;

  private final int peer;
  private final int epoch;
  private final SlotPool pool;
  private @Nullable Wire wire;

  // Sending: what is left of the hello and of the current message's header (with an inline
  // payload), then of its payload.
  private final MemorySegment head;
  private long headPosition;
  private long headEnd;
  private MemorySegment payload = MemorySegment.NULL;
  private long payloadPosition;
  private long payloadEnd;
  private @Nullable MemorySegment sendSlot;
  private long slotPosition;
  private long slotEnd;
  private boolean sending;

  // Receiving: what was read ahead, and the message that is awaited.
  private final MemorySegment stage;
  private int stagePosition;
  private int stageEnd;
  private boolean receiving;
  private boolean headerSeen;
  private long expectedSequence;
  private Call expectedCall = new Call(0, -1, -1);
  private int expectedMessage;
  private MemorySegment target = MemorySegment.NULL;
  private long targetOffset;
  private long length;
  private long received;
  private @Nullable Combination combination;

  /**
   * What is to be done with incoming elements: {@code target = local op incoming}.
   *
   * @param op the operator
   * @param type the element type
   * @param local the local operand's memory
   * @param localOffset where the local operand begins, in bytes
   */
  record Combination(ReduceOp op, DataType type, MemorySegment local, long localOffset) {}

  Link(int peer, int epoch, SlotPool pool, Arena arena) {
    this.peer = peer;
    this.epoch = epoch;
    this.pool = pool;
    this.head = arena.allocate(Frame.BYTES + INLINE_BYTES, 64);
    this.stage = arena.allocate(STAGE_BYTES, 64);
  }

  boolean isConnected() {
    return wire != null;
  }

  /** Takes over a connection that the peer made. */
  void attach(Wire connection) {
    wire = connection;
    updateInterest();
  }

  /** Takes over a connection that this rank makes; the hello goes out first. */
  void attach(Wire connection, long secret, int rank, int size) {
    wire = connection;
    Frame.writeHello(head, epoch, secret, rank, size);
    headPosition = 0;
    headEnd = Frame.BYTES;
    updateInterest();
  }

  void close() {
    if (wire != null) {
      wire.close();
    }
    releaseSendSlot();
    sending = false;
    receiving = false;
  }

  /** Stops waiting for a connection that is lost. */
  void ignore() {
    if (wire != null) {
      wire.interest(false, false);
    }
  }

  // ---- sending

  /** Returns whether a message can be begun: the previous one, and the hello, are written. */
  boolean readyToSend() {
    return wire != null && !sending && headPosition == headEnd;
  }

  boolean sending() {
    return sending;
  }

  /**
   * Says hello where that is still due: the peer does not wait long for it. Returns whether
   * anything was written.
   */
  boolean greet() throws IOException {
    return !sending && headPosition != headEnd && flush();
  }

  /** Begins a message; its memory must not be written until {@link #sending} is false. */
  void beginSend(
      long sequence, Call call, int message, MemorySegment from, long offset, long bytes) {
    Frame.writeData(head, epoch, sequence, call, message, bytes);
    headPosition = 0;
    headEnd = Frame.BYTES;
    if (bytes <= INLINE_BYTES) {
      MemorySegment.copy(from, offset, head, Frame.BYTES, bytes);
      headEnd += bytes;
      payloadPosition = payloadEnd = 0;
    } else {
      payload = from;
      payloadPosition = offset;
      payloadEnd = offset + bytes;
    }
    sending = true;
  }

  /** Writes what can be written now; returns whether anything was. */
  boolean flush() throws IOException {
    Wire to = wire;
    if (to == null || (headPosition == headEnd && !sending)) {
      return false;
    }
    boolean moved;
    if (payloadPosition == payloadEnd || payload.isNative()) {
      moved = flushNative(to);
    } else {
      moved = flushHeap(to);
    }
    if (sending && headPosition == headEnd && payloadPosition == payloadEnd) {
      sending = false;
      payload = MemorySegment.NULL;
      releaseSendSlot();
    }
    updateInterest();
    return moved;
  }

  private boolean flushNative(Wire to) throws IOException {
    long written =
        to.write(
            head.address() + headPosition,
            headEnd - headPosition,
            payload.address() + payloadPosition,
            payloadEnd - payloadPosition);
    long ofHead = Math.min(written, headEnd - headPosition);
    headPosition += ofHead;
    payloadPosition += written - ofHead;
    return written > 0;
  }

  private boolean flushHeap(Wire to) throws IOException {
    if (sendSlot == null) {
      sendSlot = pool.tryAcquire();
      slotPosition = slotEnd = 0;
      if (sendSlot == null) {
        return false;
      }
    }
    if (slotPosition == slotEnd) {
      slotPosition = 0;
      slotEnd = Math.min(sendSlot.byteSize(), payloadEnd - payloadPosition);
      MemorySegment.copy(payload, payloadPosition, sendSlot, 0, slotEnd);
    }
    long written =
        to.write(
            head.address() + headPosition,
            headEnd - headPosition,
            sendSlot.address() + slotPosition,
            slotEnd - slotPosition);
    long ofHead = Math.min(written, headEnd - headPosition);
    headPosition += ofHead;
    slotPosition += written - ofHead;
    payloadPosition += written - ofHead;
    if (written == 0 && isExhausted()) {
      // Its bytes are copied again later. Held, the last slots of two ranks could wait for each
      // other.
      releaseSendSlot();
    }
    return written > 0;
  }

  private boolean isExhausted() {
    SlotPool.Usage usage = pool.usage();
    return usage.inUse() == usage.slots();
  }

  private void releaseSendSlot() {
    if (sendSlot != null) {
      pool.release(sendSlot);
      sendSlot = null;
    }
  }

  // ---- receiving

  boolean receiving() {
    return receiving;
  }

  /**
   * Posts a receive.
   *
   * @param with how to combine the incoming elements with local ones, or null to place them
   */
  void beginReceive(
      long sequence,
      Call call,
      int message,
      MemorySegment to,
      long offset,
      long bytes,
      @Nullable Combination with) {
    expectedSequence = sequence;
    expectedCall = call;
    expectedMessage = message;
    target = to;
    targetOffset = offset;
    length = bytes;
    received = 0;
    combination = with;
    headerSeen = false;
    receiving = true;
    updateInterest();
  }

  /**
   * Reads what has arrived for the posted receive; returns whether anything had.
   *
   * @throws CollectiveMismatchException if the peer sent a message of another call
   */
  boolean fill() throws IOException {
    Wire from = wire;
    if (from == null) {
      return false;
    }
    if (!receiving) {
      return false;
    }
    boolean moved = false;
    if (!headerSeen) {
      if (stageEnd - stagePosition < Frame.BYTES) {
        if (!readStage(from)) {
          return false;
        }
        moved = true;
        if (stageEnd - stagePosition < Frame.BYTES) {
          return true;
        }
      }
      checkHeader();
      stagePosition += Frame.BYTES;
      headerSeen = true;
    }
    moved |= combination == null ? place(from) : combine(from, combination);
    if (received == length) {
      receiving = false;
      target = MemorySegment.NULL;
      combination = null;
      updateInterest();
    }
    return moved;
  }

  private boolean readStage(Wire from) throws IOException {
    if (stagePosition == stageEnd) {
      stagePosition = stageEnd = 0;
    } else if (stageEnd == STAGE_BYTES) {
      MemorySegment.copy(stage, stagePosition, stage, 0, stageEnd - stagePosition);
      stageEnd -= stagePosition;
      stagePosition = 0;
    }
    int n = read(from, stage.address() + stageEnd, STAGE_BYTES - stageEnd);
    stageEnd += n;
    return n > 0;
  }

  private static int read(Wire from, long address, long bytes) throws IOException {
    int n = from.read(address, bytes);
    if (n < 0) {
      throw new EOFException("it closed its connection");
    }
    return n;
  }

  private void checkHeader() throws IOException {
    long at = stagePosition;
    if (Frame.magic(stage, at) != Frame.MAGIC || Frame.kind(stage, at) != Frame.DATA) {
      throw new IOException("what it sent is no frame of Tutti's");
    }
    if (Frame.version(stage, at) != Frame.VERSION) {
      throw new IOException(
          "it sends frames of version %d, this rank knows %d; run the same release of Tutti on all ranks"
              .formatted(Frame.version(stage, at), Frame.VERSION));
    }
    if (Frame.epoch(stage, at) != epoch) {
      throw new IOException("it sent a frame of another group");
    }
    Call theirs = new Call(Frame.call(stage, at), Frame.root(stage, at), Frame.count(stage, at));
    long theirSequence = Frame.sequence(stage, at);
    if (!theirs.equals(expectedCall)
        || theirSequence != expectedSequence
        || Frame.message(stage, at) != expectedMessage
        || Frame.length(stage, at) != length) {
      throw mismatch(theirs, theirSequence, Frame.message(stage, at), Frame.length(stage, at));
    }
  }

  private CollectiveMismatchException mismatch(
      Call theirs, long theirSequence, int theirMessage, long theirLength) {
    boolean sameCall = theirs.equals(expectedCall) && theirSequence == expectedSequence;
    return new CollectiveMismatchException(
        "rank %d called %s, its number %d; the rank that got its message called %s, its number %d%s. All ranks must make the same calls in the same order, with counts that agree"
            .formatted(
                peer,
                theirs.describe(),
                theirSequence,
                expectedCall.describe(),
                expectedSequence,
                sameCall
                    ? "; message %d of %d bytes came where message %d of %d bytes was due"
                        .formatted(theirMessage, theirLength, expectedMessage, length)
                    : ""),
        null);
  }

  private boolean place(Wire from) throws IOException {
    boolean moved = false;
    long staged = Math.min(stageEnd - stagePosition, length - received);
    if (staged > 0) {
      MemorySegment.copy(stage, stagePosition, target, targetOffset + received, staged);
      stagePosition += (int) staged;
      received += staged;
      moved = true;
    }
    if (received == length) {
      return moved;
    }
    if (target.isNative()) {
      int n = read(from, target.address() + targetOffset + received, length - received);
      received += n;
      return moved || n > 0;
    }
    MemorySegment slot = pool.tryAcquire();
    if (slot == null) {
      return moved;
    }
    try {
      int n = read(from, slot.address(), Math.min(slot.byteSize(), length - received));
      MemorySegment.copy(slot, 0, target, targetOffset + received, n);
      received += n;
      return moved || n > 0;
    } finally {
      pool.release(slot);
    }
  }

  private boolean combine(Wire from, Combination with) throws IOException {
    if (length <= STAGE_BYTES) {
      return combineFromStage(from, with);
    }
    MemorySegment slot = pool.tryAcquire();
    if (slot == null) {
      return false;
    }
    try {
      return combineThrough(slot, from, with);
    } finally {
      pool.release(slot);
    }
  }

  private boolean combineThrough(MemorySegment slot, Wire from, Combination with)
      throws IOException {
    long most = Math.min(slot.byteSize(), length - received);
    long filled = Math.min(stageEnd - stagePosition, most);
    MemorySegment.copy(stage, stagePosition, slot, 0, filled);
    stagePosition += (int) filled;
    boolean moved = false;
    if (filled < most) {
      int n = read(from, slot.address() + filled, most - filled);
      filled += n;
      moved = n > 0;
    }
    long whole = filled - filled % with.type().byteSize();
    if (whole > 0) {
      combineElements(with, slot, 0, whole);
      moved = true;
    }
    if (whole < filled) {
      // The beginning of an element; a slot holds whole ones, so the stage was emptied.
      MemorySegment.copy(slot, whole, stage, 0, filled - whole);
      stagePosition = 0;
      stageEnd = (int) (filled - whole);
    }
    return moved;
  }

  /** A message that fits is combined at once, from where the header was read. */
  private boolean combineFromStage(Wire from, Combination with) throws IOException {
    boolean moved = false;
    if (stageEnd - stagePosition < length) {
      if (STAGE_BYTES - stagePosition < length) {
        MemorySegment.copy(stage, stagePosition, stage, 0, stageEnd - stagePosition);
        stageEnd -= stagePosition;
        stagePosition = 0;
      }
      moved = readStage(from);
      if (stageEnd - stagePosition < length) {
        return moved;
      }
    }
    combineElements(with, stage, stagePosition, length);
    stagePosition += (int) length;
    return true;
  }

  private void combineElements(Combination with, MemorySegment incoming, long at, long bytes) {
    ReduceKernels.combine(
        with.op(),
        with.type(),
        target,
        targetOffset + received,
        with.local(),
        with.localOffset() + received,
        incoming,
        at,
        bytes / with.type().byteSize());
    received += bytes;
  }

  private void updateInterest() {
    if (wire != null) {
      wire.interest(receiving, sending || headPosition != headEnd);
    }
  }

  /** Returns what is awaited of the peer, for messages; empty if nothing. */
  String awaited() {
    if (receiving) {
      return "%s from rank %d%s"
          .formatted(
              length == 0 ? "a signal" : "%d of %d bytes".formatted(length - received, length),
              peer,
              headerSeen
                  ? ""
                  : wire == null ? ", which has not connected" : ", which has sent nothing yet");
    }
    if (sending) {
      return "rank %d to take %d bytes"
          .formatted(peer, payloadEnd - payloadPosition + headEnd - headPosition);
    }
    return "";
  }
}
