package dev.tutti.conformance;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** It mixes up what comes when, and what belongs to whom. */
final class DisorderlyCommunicator extends MutantCommunicator {
  private static final long LONG = 1000;
  private static final int OVERTAKING = 10;
  private static final long LONGEST_WAIT_NANOS = 1_000_000;

  private final List<DisorderlyCommunicator> children = new ArrayList<>();
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
  private final AtomicReference<@Nullable DisorderlyCommunicator> turn;
  private @Nullable Runnable heldBack;
  private int ends;
  private volatile boolean dead;

  DisorderlyCommunicator(Communicator next, Fault fault, int rank, int size) {
    this(next, fault, rank, size, new AtomicReference<>());
  }

  private DisorderlyCommunicator(
      Communicator next,
      Fault fault,
      int rank,
      int size,
      AtomicReference<@Nullable DisorderlyCommunicator> turn) {
    super(next, fault, rank, size);
    this.turn = turn;
  }

  @Override
  public void enqueue(Operation operation, OpContext context) {
    if (dead) {
      context.fail(new CommAbortedException("the parent of this mutant was closed", null));
      return;
    }
    switch (operation) {
      case Operation.Broadcast call when has(Fault.IGNORES_ROOTS) ->
          pass(new Operation.Broadcast(call.buffer(), 0), context, () -> {});
      case Operation.AllReduce call when has(Fault.OVERTAKES) -> overtaken(call, context);
      case Operation.Send call when has(Fault.SWAPS_MESSAGES) -> swapped(call, context);
      case Operation.SendRecv call when has(Fault.SENDS_AFTER_RECEIVING) ->
          next()
              .enqueue(
                  new Operation.Recv(call.recv(), call.source()),
                  context.part(
                      call,
                      ended ->
                          next()
                              .enqueue(
                                  new Operation.Send(call.send(), call.destination()), context)));
      case Operation.Barrier ignored when has(Fault.BARRIER_WITHOUT_MEETING) -> context.complete();
      case Operation.AllReduce call when has(Fault.GROUPS_SHARE_A_QUEUE) ->
          waiting.add(() -> pass(call, context, () -> turn.set(null)));
      default -> next().enqueue(operation, context);
    }
  }

  /** Tells of a long operation's end when some later ones have ended. */
  private void overtaken(Operation.AllReduce call, OpContext context) {
    next()
        .enqueue(
            call,
            context.part(
                call,
                ended -> {
                  if (call.recv().count() > LONG && heldBack == null) {
                    heldBack = context::complete;
                    ends = 0;
                    return;
                  }
                  context.complete();
                  Runnable held = heldBack;
                  if (held != null && ++ends == OVERTAKING) {
                    heldBack = null;
                    held.run();
                  }
                }));
  }

  /** Holds a message back until the next one has gone. */
  private void swapped(Operation.Send call, OpContext context) {
    Runnable held = heldBack;
    if (held == null) {
      heldBack = () -> next().enqueue(call, context);
    } else {
      heldBack = null;
      next().enqueue(call, context);
      held.run();
    }
  }

  @Override
  public boolean advance() {
    if (has(Fault.NEEDS_A_WAITER) && Thread.currentThread().getName().startsWith("tutti-")) {
      return false;
    }
    if (!waiting.isEmpty() && turn.compareAndSet(null, this)) {
      waiting.remove().run();
      return true;
    }
    return next().advance();
  }

  @Override
  public void await(long nanos) {
    // Nobody wakes the one whose turn comes.
    next().await(Math.min(nanos, LONGEST_WAIT_NANOS));
  }

  @Override
  public @Nullable Communicator split(BackendProvider.@Nullable Context child, int color, int key) {
    if (child == null) {
      return next().split(null, color, key);
    }
    BackendProvider.Context seen = has(Fault.REVERSES_SUBGROUPS) ? reversed(child) : child;
    Communicator below = next().split(seen, color, key);
    if (below == null) {
      return null;
    }
    DisorderlyCommunicator made =
        new DisorderlyCommunicator(below, fault(), child.rank(), child.size(), turn);
    children.add(made);
    return made;
  }

  private static BackendProvider.Context reversed(BackendProvider.Context child) {
    return new BackendProvider.Context(
        child.group(),
        child.epoch(),
        child.size() - 1 - child.rank(),
        child.worldRanks().reversed(),
        child.options(),
        child.order(),
        child.scratchBytes(),
        child.store(),
        child.timeout(),
        child.localAddress(),
        child.detectsDeath());
  }

  @Override
  public void close(Duration timeout) {
    next().close(timeout);
    if (has(Fault.CHILDREN_DIE_WITH_THEIR_PARENT)) {
      children.forEach(child -> child.dead = true);
    }
  }
}
