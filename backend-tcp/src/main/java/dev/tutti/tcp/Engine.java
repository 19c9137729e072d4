package dev.tutti.tcp;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommException;
import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.internal.reduce.ReduceKernels;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import dev.tutti.tcp.schedule.Schedule;
import dev.tutti.tcp.schedule.StepKind;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Carries out schedules, one at a time and in order. A step runs when what it depends on is
 * complete; sends to one peer go out in step order, receives from one peer are matched in step
 * order.
 *
 * <p><b>Threading.</b> Used under the group's lock only.
 */
final class Engine {
  /**
   * How long the control line has to name a peer's death before the lost connection itself is
   * blamed.
   */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** What the system says (EFAULT) of memory that is not there any more: no fault of the peer's. */
  private static final String BAD_ADDRESS = "Bad address";

  private record Queued(Operation operation, OpContext context) {}

  private final BackendProvider.Context group;
  private final Connections connections;
  private final Plans plans;
  private final Scratch scratch;
  private final ArrayDeque<Queued> queue = new ArrayDeque<>();
  private long nextCollective;
  private final long[] nextSent;
  private final long[] nextReceived;

  // The operation being carried out.
  private @Nullable Queued current;
  private Plans.@Nullable Plan plan;
  private long sequence;
  private int remaining;
  private int[] waits = new int[64];
  private int[] ready = new int[64];
  private int readyCount;
  private final int[] peers;
  private int peerCount;
  private final int[] sendCursor;
  private final int[] recvCursor;

  /** A fold's operands, one for each rank. */
  private final MemorySegment[] foldSources;

  private final long[] foldOffsets;

  private final boolean[] lost;
  private int lostPeer = -1;
  private long lostAt;
  private @Nullable IOException lostCause;

  Engine(BackendProvider.Context group, Connections connections, Plans plans, Scratch scratch) {
    this.group = group;
    this.connections = connections;
    this.plans = plans;
    this.scratch = scratch;
    this.nextSent = new long[group.size()];
    this.nextReceived = new long[group.size()];
    this.sendCursor = new int[group.size()];
    this.recvCursor = new int[group.size()];
    this.peers = new int[group.size()];
    this.foldSources = new MemorySegment[group.size()];
    this.foldOffsets = new long[group.size()];
    this.lost = new boolean[group.size()];
  }

  void enqueue(Operation operation, OpContext context) {
    queue.add(new Queued(operation, context));
    if (current == null) {
      advance();
    }
  }

  /** Does what can be done now; returns whether anything was. */
  boolean advance() {
    boolean progressed = connections.acceptPending();
    while (true) {
      if (current == null) {
        Queued next = queue.poll();
        if (next == null) {
          return progressed;
        }
        begin(next);
        progressed = true;
      }
      progressed |= step();
      if (remaining > 0) {
        checkLost();
        return progressed;
      }
      finish();
      progressed = true;
    }
  }

  private void begin(Queued next) {
    Plans.Plan made = plans.of(next.operation);
    Schedule schedule = made.schedule();
    current = next;
    plan = made;
    remaining = schedule.stepCount();
    next.context.trace().algorithm(schedule.algorithm().label());
    if (!next.operation.isPointToPoint()) {
      sequence = nextCollective++;
    }
    readyCount = 0;
    peerCount = 0;
    if (remaining == 0) {
      return;
    }
    if (schedule.scratchElements() > 0) {
      made.buffers()[Schedule.SCRATCH] =
          scratch.atLeast(schedule.scratchElements() * made.elementSize());
    }
    if (waits.length < remaining) {
      waits = new int[2 * remaining];
      ready = new int[2 * remaining];
    }
    schedule.dependencyCounts(waits);
    for (int i = remaining - 1; i >= 0; i--) {
      if (waits[i] == 0 && schedule.kind(i).isLocal()) {
        ready[readyCount++] = i;
      }
    }
    for (int peer = 0; peer < group.size(); peer++) {
      sendCursor[peer] = schedule.sendsBegin(peer);
      recvCursor[peer] = schedule.recvsBegin(peer);
      if (schedule.sendsEnd(peer) > sendCursor[peer]
          || schedule.recvsEnd(peer) > recvCursor[peer]) {
        peers[peerCount++] = peer;
        try {
          connections.use(peer);
        } catch (IOException e) {
          lost(peer, e);
        }
      }
    }
  }

  private void finish() {
    Queued done = current;
    current = null;
    plan = null;
    if (done != null) {
      done.context.complete();
    }
  }

  private boolean step() {
    Plans.Plan running = plan;
    if (running == null) {
      return false;
    }
    try {
      return step(running);
    } catch (IllegalStateException e) {
      for (MemorySegment buffer : running.buffers()) {
        if (!buffer.scope().isAlive()) {
          throw freed(e);
        }
      }
      throw e;
    }
  }

  private boolean step(Plans.Plan running) {
    boolean progressed = runLocal(running);
    for (int i = 0; i < peerCount; i++) {
      int peer = peers[i];
      if (lost[peer]) {
        continue;
      }
      try {
        progressed |= send(running, peer);
        progressed |= receive(running, peer);
      } catch (IOException e) {
        lost(peer, e);
      }
    }
    return progressed;
  }

  private boolean send(Plans.Plan running, int peer) throws IOException {
    Schedule schedule = running.schedule();
    Link link = connections.link(peer);
    boolean progressed = false;
    while (true) {
      if (link.sending()) {
        progressed |= link.flush();
        if (link.sending()) {
          return progressed;
        }
        complete(running, schedule.sendStep(sendCursor[peer]++));
        progressed = true;
      }
      if (sendCursor[peer] == schedule.sendsEnd(peer)) {
        return link.greet() || progressed;
      }
      int next = schedule.sendStep(sendCursor[peer]);
      if (waits[next] > 0) {
        return link.greet() || progressed;
      }
      if (!link.readyToSend()) {
        return link.flush() || progressed;
      }
      beginSend(running, link, peer, next);
      progressed = true;
    }
  }

  private void beginSend(Plans.Plan running, Link link, int peer, int next) {
    Schedule schedule = running.schedule();
    int buffer = schedule.srcBuffer(next);
    int size = running.elementSize();
    boolean ofBatch = buffer >= Schedule.TRANSFER;
    link.beginSend(
        ofBatch ? nextSent[peer]++ : sequence,
        running.call(buffer),
        ofBatch ? 0 : sendCursor[peer] - schedule.sendsBegin(peer),
        memory(running, buffer),
        schedule.srcOffset(next) * size,
        schedule.count(next) * size);
  }

  private boolean receive(Plans.Plan running, int peer) throws IOException {
    Schedule schedule = running.schedule();
    Link link = connections.link(peer);
    boolean progressed = false;
    while (true) {
      if (link.receiving()) {
        progressed |= link.fill();
        if (link.receiving()) {
          return progressed;
        }
        complete(running, schedule.recvStep(recvCursor[peer]++));
        progressed = true;
      }
      if (recvCursor[peer] == schedule.recvsEnd(peer)) {
        return progressed;
      }
      int next = schedule.recvStep(recvCursor[peer]);
      if (waits[next] > 0) {
        return progressed;
      }
      beginReceive(running, link, peer, next);
    }
  }

  private void beginReceive(Plans.Plan running, Link link, int peer, int next) {
    Schedule schedule = running.schedule();
    int buffer = schedule.dstBuffer(next);
    int size = running.elementSize();
    boolean ofBatch = buffer >= Schedule.TRANSFER;
    Link.Combination with = null;
    if (schedule.kind(next) == StepKind.RECV_REDUCE && running.op() != null) {
      with =
          new Link.Combination(
              running.op(),
              running.type(),
              memory(running, schedule.srcBuffer(next)),
              schedule.srcOffset(next) * size);
    }
    link.beginReceive(
        ofBatch ? nextReceived[peer]++ : sequence,
        running.call(buffer),
        ofBatch ? 0 : recvCursor[peer] - schedule.recvsBegin(peer),
        memory(running, buffer),
        schedule.dstOffset(next) * size,
        schedule.count(next) * size,
        with);
  }

  /** A barrier's messages have no memory. */
  private static MemorySegment memory(Plans.Plan running, int buffer) {
    return buffer == Schedule.NONE ? MemorySegment.NULL : running.buffers()[buffer];
  }

  private boolean runLocal(Plans.Plan running) {
    boolean progressed = readyCount > 0;
    while (readyCount > 0) {
      int next = ready[--readyCount];
      local(running, next);
      complete(running, next);
    }
    return progressed;
  }

  private void local(Plans.Plan running, int i) {
    Schedule schedule = running.schedule();
    int size = running.elementSize();
    MemorySegment to = memory(running, schedule.dstBuffer(i));
    long toOffset = schedule.dstOffset(i) * size;
    long count = schedule.count(i);
    switch (schedule.kind(i)) {
      case COPY ->
          MemorySegment.copy(
              memory(running, schedule.srcBuffer(i)),
              schedule.srcOffset(i) * size,
              to,
              toOffset,
              count * size);
      case DIVIDE -> ReduceKernels.divide(running.type(), to, toOffset, count, schedule.size());
      case REDUCE -> {
        if (running.op() != null) {
          ReduceKernels.combine(
              running.op(),
              running.type(),
              to,
              toOffset,
              memory(running, schedule.srcBuffer(i)),
              schedule.srcOffset(i) * size,
              memory(running, schedule.src2Buffer(i)),
              schedule.src2Offset(i) * size,
              count);
        }
      }
      case FOLD -> {
        if (running.op() != null) {
          for (int rank = 0; rank < foldSources.length; rank++) {
            foldSources[rank] = memory(running, schedule.foldBuffer(i, rank));
            foldOffsets[rank] = schedule.foldOffset(i, rank) * size;
          }
          ReduceKernels.fold(
              running.op(), running.type(), to, toOffset, foldSources, foldOffsets, count);
        }
      }
      case SEND, RECV, RECV_REDUCE ->
          throw new IllegalStateException("no local step: " + schedule.describe(i));
    }
  }

  private void complete(Plans.Plan running, int i) {
    Schedule schedule = running.schedule();
    remaining--;
    for (int j = schedule.dependentsBegin(i); j < schedule.dependentsEnd(i); j++) {
      int dependent = schedule.dependent(j);
      if (--waits[dependent] == 0 && schedule.kind(dependent).isLocal()) {
        ready[readyCount++] = dependent;
      }
    }
  }

  private void lost(int peer, IOException cause) {
    if (reason(cause).contains(BAD_ADDRESS)) {
      throw freed(cause);
    }
    lost[peer] = true;
    connections.link(peer).ignore();
    if (lostPeer < 0) {
      lostPeer = peer;
      lostCause = cause;
      lostAt = System.nanoTime();
    }
  }

  private CommAbortedException freed(Exception cause) {
    return new CommAbortedException(
        "rank %d/%d of group %s: a buffer's memory was freed while its operation was under way; keep its arena open until the Work is complete"
            .formatted(group.rank(), group.size(), group.group()),
        cause);
  }

  /**
   * A lost connection says little of who failed: the control line, where there is one, is given
   * time to say it.
   */
  private void checkLost() {
    if (lostPeer < 0 || (group.detectsDeath() && System.nanoTime() - lostAt < GRACE_NANOS)) {
      return;
    }
    Queued running = current;
    throw new PeerFailedException(
        lostPeer,
        "%s on rank %d/%d of group %s: the connection to rank %d is lost (%s); see that rank's own output for why, then start the job again"
            .formatted(
                running == null
                    ? "an operation"
                    : running.operation.describe() + " #" + running.context.sequence(),
                group.rank(),
                group.size(),
                group.group(),
                lostPeer,
                reason(lostCause)),
        lostCause);
  }

  private static String reason(@Nullable IOException cause) {
    if (cause == null) {
      return "no reason given";
    }
    String text = cause.getMessage();
    return text == null
        ? cause.getClass().getSimpleName()
        // Netty puts the system's call and number in front of its words.
        : text.replaceFirst("^\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): ", "");
  }

  /** Returns whether a lost connection is waiting for the control line's word. */
  boolean losing() {
    return lostPeer >= 0;
  }

  /** Returns what the operation being carried out waits for. */
  String awaited() {
    Plans.Plan running = plan;
    if (running == null) {
      return "";
    }
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < peerCount; i++) {
      String part = connections.link(peers[i]).awaited();
      if (!part.isEmpty()) {
        parts.add(part);
      }
    }
    return String.join(", ", parts);
  }

  void abort(CommException cause) {
    Queued running = current;
    current = null;
    plan = null;
    remaining = 0;
    if (running != null) {
      running.context.fail(cause);
    }
    for (Queued next; (next = queue.poll()) != null; ) {
      next.context.fail(
          cause.restated(next.operation.describe() + " was queued behind the failure"));
    }
  }
}
