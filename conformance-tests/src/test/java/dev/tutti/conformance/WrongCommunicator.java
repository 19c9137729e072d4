package dev.tutti.conformance;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Its results are wrong. */
final class WrongCommunicator extends MutantCommunicator {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

  WrongCommunicator(Communicator next, Fault fault, int rank, int size) {
    super(next, fault, rank, size);
  }

  @Override
  public void enqueue(Operation operation, OpContext context) {
    switch (operation) {
      case Operation.AllReduce call -> allReduce(call, context);
      case Operation.Broadcast call -> broadcast(call, context);
      case Operation.AllGather call when has(Fault.DROPS_LAST_BLOCK) -> {
        MemorySegment block =
            call.recv().slice(call.send().count() * (size() - 1), call.send().count()).segment();
        byte[] before = block.toArray(BYTE);
        pass(call, context, () -> MemorySegment.copy(before, 0, block, BYTE, 0, before.length));
      }
      case Operation.AllGather call when has(Fault.HANGS) && rank() == 1 -> {
        // Neither is it passed on, nor does it ever end.
      }
      case Operation.AllToAll call when has(Fault.COMPLETES_TOO_EARLY) -> {
        next().enqueue(call, context.part(call, ignored -> {}));
        context.complete();
      }
      case Operation.Send(CommBuffer buffer, int peer)
          when has(Fault.CUTS_LONG_MESSAGES) && buffer.byteSize() > 65536 -> {
        MemorySegment copy = MemorySegment.ofArray(buffer.segment().toArray(BYTE));
        copy.asSlice(copy.byteSize() - buffer.type().byteSize()).fill((byte) 0);
        pass(new Operation.Send(CommBuffer.of(copy, buffer.type()), peer), context, () -> {});
      }
      default -> next().enqueue(operation, context);
    }
  }

  private void broadcast(Operation.Broadcast call, OpContext context) {
    if (has(Fault.WRONG_ROOT)) {
      int root = (call.root() + 1) % size();
      pass(new Operation.Broadcast(call.buffer(), root), context, () -> {});
    } else if (has(Fault.QUIETS_NANS)
        && rank() != call.root()
        && call.buffer().type() == DataType.FLOAT32) {
      pass(call, context, () -> map(call.buffer(), WrongCommunicator::quiet));
    } else {
      next().enqueue(call, context);
    }
  }

  private void allReduce(Operation.AllReduce call, OpContext context) {
    CommBuffer recv = call.recv();
    ReduceOp op = call.op();
    DataType type = recv.type();
    boolean floats = type == DataType.FLOAT32 && recv.count() > 0;
    boolean avg = op.equals(ReduceOp.AVG);
    if (has(Fault.SUM_FOR_AVG) && avg) {
      reduce(call, ReduceOp.SUM, context, () -> {});
    } else if (has(Fault.SUM_FOR_BAND) && op.equals(ReduceOp.BAND)) {
      reduce(call, ReduceOp.SUM, context, () -> {});
    } else if (has(Fault.AVG_ROUNDS_DOWN) && avg && type == DataType.INT32) {
      reduce(call, ReduceOp.SUM, context, () -> map(recv, sum -> Math.floorDiv(sum, size())));
    } else if (has(Fault.UNSIGNED_AS_SIGNED) && op.equals(ReduceOp.MAX) && type == DataType.UINT8) {
      pass(
          new Operation.AllReduce(
              CommBuffer.of(call.send().segment(), DataType.INT8),
              CommBuffer.of(recv.segment(), DataType.INT8),
              op),
          context,
          () -> {});
    } else if (has(Fault.OFF_BY_ONE) && recv.count() > 1) {
      int width = type.byteSize();
      MemorySegment memory = recv.segment();
      pass(
          call,
          context,
          () -> MemorySegment.copy(memory, 0, memory, width, memory.byteSize() - width));

    } else if (has(Fault.OTHER_BITS) && floats && rank() == size() - 1) {
      pass(call, context, () -> map(recv.slice(0, 1), bits -> bits ^ 1));
    } else if (has(Fault.LAST_BIT_OFF) && floats && op.equals(ReduceOp.SUM)) {
      pass(call, context, () -> map(recv.slice(0, 1), bits -> bits ^ 1));
    } else if (has(Fault.ROUNDS_COARSELY) && floats && op.equals(ReduceOp.SUM)) {
      pass(call, context, () -> map(recv, bits -> bits & ~0xFF));
    } else if (has(Fault.DROPS_NAN) && floats && op.equals(ReduceOp.MIN)) {
      pass(call, context, () -> map(recv, WrongCommunicator::numberForNan));
    } else if (has(Fault.FLUSHES_SUBNORMALS) && floats) {
      pass(call, context, () -> map(recv, bits -> (bits & 0x7F80_0000) == 0 ? 0 : bits));
    } else if (has(Fault.DROPS_SIGN_OF_ZERO) && floats) {
      pass(call, context, () -> map(recv, bits -> bits == 0x8000_0000 ? 0 : bits));
    } else {
      next().enqueue(call, context);
    }
  }

  private void reduce(
      Operation.AllReduce call, ReduceOp op, OpContext context, Runnable afterwards) {
    pass(new Operation.AllReduce(call.send(), call.recv(), op), context, afterwards);
  }

  private static int numberForNan(int bits) {
    return Float.isNaN(Float.intBitsToFloat(bits)) ? Float.floatToIntBits(1) : bits;
  }

  private static int quiet(int bits) {
    return (bits & 0x7FFF_FFFF) > 0x7F80_0000 ? bits | 0x0040_0000 : bits;
  }
}
