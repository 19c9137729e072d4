package dev.tutti.conformance;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommException;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.Cost;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.SlotPool;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A communicator that does as another one does; a subclass adds faults of one class of rules. */
class MutantCommunicator implements Communicator {
  private final Communicator next;
  private final Fault fault;
  private final int rank;
  private final int size;

  MutantCommunicator(Communicator next, Fault fault, int rank, int size) {
    this.next = next;
    this.fault = fault;
    this.rank = rank;
    this.size = size;
  }

  /** Returns a communicator with a fault. */
  static MutantCommunicator around(Communicator next, Fault fault, int rank, int size) {
    return switch (fault.rule().isEmpty() ? ' ' : fault.rule().charAt(0)) {
      case 'O' -> new DisorderlyCommunicator(next, fault, rank, size);
      case 'M' -> new CarelessCommunicator(next, fault, rank, size);
      case 'R' -> new WrongCommunicator(next, fault, rank, size);
      case 'F' -> new UnfailingCommunicator(next, fault, rank, size);
      default -> new MutantCommunicator(next, fault, rank, size);
    };
  }

  final Communicator next() {
    return next;
  }

  final boolean has(Fault other) {
    return fault == other;
  }

  final Fault fault() {
    return fault;
  }

  final int rank() {
    return rank;
  }

  final int size() {
    return size;
  }

  /** Passes an operation on, and does something once it is complete, before that is told. */
  final void pass(Operation operation, OpContext context, Runnable afterwards) {
    next.enqueue(
        operation,
        context.part(
            operation,
            ended -> {
              CommException failure = ended.failure();
              if (failure != null) {
                context.fail(failure);
                return;
              }
              afterwards.run();
              context.complete();
            }));
  }

  /** Changes the bits of 32-bit elements. */
  interface BitsOperator {
    int apply(int bits);
  }

  static void map(CommBuffer buffer, BitsOperator operator) {
    MemorySegment memory = buffer.segment();
    for (long at = 0; at < buffer.byteSize(); at += Integer.BYTES) {
      int bits = memory.get(ValueLayout.JAVA_INT_UNALIGNED, at);
      memory.set(ValueLayout.JAVA_INT_UNALIGNED, at, operator.apply(bits));
    }
  }

  static void flipLastByte(CommBuffer buffer) {
    if (buffer.byteSize() > 0) {
      long last = buffer.byteSize() - 1;
      MemorySegment memory = buffer.segment();
      memory.set(ValueLayout.JAVA_BYTE, last, (byte) ~memory.get(ValueLayout.JAVA_BYTE, last));
    }
  }

  @Override
  public Availability supports(Operation operation) {
    return next.supports(operation);
  }

  @Override
  public boolean foldsByRank() {
    return next.foldsByRank();
  }

  @Override
  public Cost cost(Operation operation) {
    return next.cost(operation);
  }

  @Override
  public void enqueue(Operation operation, OpContext context) {
    next.enqueue(operation, context);
  }

  @Override
  public boolean advance() {
    return next.advance();
  }

  @Override
  public void await(long nanos) {
    next.await(nanos);
  }

  @Override
  public void wakeup() {
    next.wakeup();
  }

  @Override
  public String awaited() {
    return next.awaited();
  }

  @Override
  public @Nullable Communicator split(BackendProvider.@Nullable Context child, int color, int key) {
    Communicator below = next.split(child, color, key);
    return below == null || child == null ? null : around(below, fault, child.rank(), child.size());
  }

  @Override
  public SlotPool.Usage memory() {
    return next.memory();
  }

  @Override
  public void abort(CommException cause) {
    next.abort(cause);
  }

  @Override
  public void close(Duration timeout) {
    next.close(timeout);
  }
}
