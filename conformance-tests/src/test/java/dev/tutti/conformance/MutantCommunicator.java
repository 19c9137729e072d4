package dev.tutti.conformance;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
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
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A communicator that does as another one does, but for one fault. */
final class MutantCommunicator implements Communicator {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

  private final Communicator next;
  private final Fault fault;
  private final int rank;
  private final int size;
  private @Nullable Runnable heldBack;

  MutantCommunicator(Communicator next, Fault fault, int rank, int size) {
    this.next = next;
    this.fault = fault;
    this.rank = rank;
    this.size = size;
  }

  @Override
  public Availability supports(Operation operation) {
    return fault == Fault.REFUSES_ON_ONE_RANK
            && rank == 1
            && operation instanceof Operation.ReduceScatter(var _, CommBuffer recv, var _)
            && recv.type() == DataType.INT8
        ? Availability.no("this mutant does not", null)
        : next.supports(operation);
  }

  @Override
  public void enqueue(Operation operation, OpContext context) {
    switch (operation) {
      case Operation.AllReduce call -> allReduce(call, context);
      case Operation.AllGather call when fault == Fault.DROPS_LAST_BLOCK -> {
        MemorySegment block =
            call.recv().slice(call.send().count() * (size - 1), call.send().count()).segment();
        byte[] before = block.toArray(BYTE);
        pass(call, context, () -> MemorySegment.copy(before, 0, block, BYTE, 0, before.length));
      }
      case Operation.AllGather call when fault == Fault.HANGS && rank == 1 -> {
        // Neither is it passed on, nor does it ever end.
      }
      case Operation.Broadcast call when fault == Fault.WRONG_ROOT ->
          pass(new Operation.Broadcast(call.buffer(), (call.root() + 1) % size), context, () -> {});
      case Operation.Broadcast call when fault == Fault.WRITES_ROOT && rank == call.root() ->
          pass(call, context, () -> flipLastByte(call.buffer()));
      case Operation.AllToAll call when fault == Fault.COMPLETES_TOO_EARLY -> {
        next.enqueue(call, context.part(call, ignored -> {}));
        context.complete();
      }
      case Operation.Barrier ignored when fault == Fault.BARRIER_WITHOUT_MEETING ->
          context.complete();
      case Operation.Send call when fault == Fault.READS_AFTER_COMPLETION -> {
        next.enqueue(call, context.part(call, ignored -> {}));
        context.complete();
      }
      case Operation.Send call when fault == Fault.SWAPS_MESSAGES -> swapped(call, context);
      case Operation.Send(CommBuffer buffer, int peer)
          when fault == Fault.CUTS_LONG_MESSAGES && buffer.byteSize() > 65536 -> {
        MemorySegment copy = MemorySegment.ofArray(buffer.segment().toArray(BYTE));
        copy.asSlice(copy.byteSize() - buffer.type().byteSize()).fill((byte) 0);
        pass(new Operation.Send(CommBuffer.of(copy, buffer.type()), peer), context, () -> {});
      }
      default -> next.enqueue(operation, context);
    }
  }

  private void allReduce(Operation.AllReduce call, OpContext context) {
    CommBuffer send = call.send();
    CommBuffer recv = call.recv();
    ReduceOp op = call.op();
    boolean floats = recv.type() == DataType.FLOAT32 && recv.count() > 0;
    boolean exchanged =
        (fault == Fault.BLIND_TO_OPERATORS && op.equals(ReduceOp.MAX))
            || (fault == Fault.SUM_FOR_AVG && op.equals(ReduceOp.AVG))
            || (fault == Fault.SUM_FOR_BAND && op.equals(ReduceOp.BAND));
    if (exchanged) {
      pass(new Operation.AllReduce(send, recv, ReduceOp.SUM), context, () -> {});
    } else if (fault == Fault.OFF_BY_ONE && recv.count() > 1) {
      int width = recv.type().byteSize();
      MemorySegment memory = recv.segment();
      pass(
          call,
          context,
          () -> MemorySegment.copy(memory, 0, memory, width, memory.byteSize() - width));
    } else if (fault == Fault.OTHER_BITS && floats && rank == size - 1) {
      pass(call, context, () -> mapFirst(recv, bits -> bits ^ 1));
    } else if (fault == Fault.WRITES_SEND && !send.isSameMemory(recv)) {
      pass(call, context, () -> flipLastByte(send));
    } else if (fault == Fault.WRITES_BEYOND && recv.segment().isNative()) {
      pass(call, context, () -> writeBeyond(recv));
    } else if (fault == Fault.DROPS_NAN && floats && op.equals(ReduceOp.MIN)) {
      pass(call, context, () -> map(recv, MutantCommunicator::numberForNan));
    } else if (fault == Fault.FLUSHES_SUBNORMALS && floats) {
      pass(call, context, () -> map(recv, bits -> (bits & 0x7F80_0000) == 0 ? 0 : bits));
    } else if (fault == Fault.DROPS_SIGN_OF_ZERO && floats) {
      pass(call, context, () -> map(recv, bits -> bits == 0x8000_0000 ? 0 : bits));
    } else {
      next.enqueue(call, context);
    }
  }

  /** Holds a message back until the next one has gone. */
  private void swapped(Operation.Send call, OpContext context) {
    Runnable held = heldBack;
    if (held == null) {
      heldBack = () -> next.enqueue(call, context);
    } else {
      heldBack = null;
      next.enqueue(call, context);
      held.run();
    }
  }

  /** Passes an operation on, and spoils something once it is complete. */
  private void pass(Operation operation, OpContext context, Runnable afterwards) {
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

  private interface BitsOperator {
    int apply(int bits);
  }

  private static void mapFirst(CommBuffer buffer, BitsOperator operator) {
    map(buffer.slice(0, 1), operator);
  }

  private static void map(CommBuffer buffer, BitsOperator operator) {
    for (long at = 0; at < buffer.byteSize(); at += Integer.BYTES) {
      int bits = buffer.segment().get(ValueLayout.JAVA_INT_UNALIGNED, at);
      buffer.segment().set(ValueLayout.JAVA_INT_UNALIGNED, at, operator.apply(bits));
    }
  }

  private static int numberForNan(int bits) {
    return Float.isNaN(Float.intBitsToFloat(bits)) ? Float.floatToIntBits(1) : bits;
  }

  private static void flipLastByte(CommBuffer buffer) {
    if (buffer.byteSize() > 0) {
      long last = buffer.byteSize() - 1;
      buffer.segment().set(BYTE, last, (byte) ~buffer.segment().get(BYTE, last));
    }
  }

  @SuppressWarnings("restricted") // what a fault in native code would do
  private static void writeBeyond(CommBuffer buffer) {
    MemorySegment.ofAddress(buffer.segment().address() + buffer.byteSize())
        .reinterpret(1)
        .set(BYTE, 0, (byte) 0);
  }

  @Override
  public Cost cost(Operation operation) {
    return next.cost(operation);
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
    return below == null || child == null
        ? null
        : new MutantCommunicator(below, fault, child.rank(), child.size());
  }

  @Override
  public SlotPool.Usage memory() {
    return fault == Fault.HOARDS_MEMORY
        ? new SlotPool.Usage(1, 1 << 30, 1 << 30, 0, 0)
        : next.memory();
  }

  @Override
  public void abort(CommException cause) {
    next.abort(cause);
  }

  @Override
  public void close(Duration timeout) {
    next.close(timeout);
    if (fault == Fault.LEAVES_A_THREAD && rank == 0) {
      Thread.ofPlatform()
          .daemon()
          .name("tutti-left")
          .start(() -> LockSupport.parkNanos(Duration.ofSeconds(8).toNanos()));
    }
  }
}
