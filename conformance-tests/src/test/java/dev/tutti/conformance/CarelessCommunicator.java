package dev.tutti.conformance;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.SlotPool;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** It does with memory what it must not. */
final class CarelessCommunicator extends MutantCommunicator {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

  CarelessCommunicator(Communicator next, Fault fault, int rank, int size) {
    super(next, fault, rank, size);
  }

  @Override
  public Availability supports(Operation operation) {
    boolean refused =
        has(Fault.REFUSES_ARRAYS)
            && operation.buffers().stream().anyMatch(buffer -> !buffer.segment().isNative());
    return refused
        ? Availability.no("this mutant takes native memory only", null)
        : next().supports(operation);
  }

  @Override
  public void enqueue(Operation operation, OpContext context) {
    switch (operation) {
      case Operation.AllReduce call -> allReduce(call, context);
      case Operation.Broadcast call when has(Fault.WRITES_ROOT) && rank() == call.root() ->
          pass(call, context, () -> flipLastByte(call.buffer()));
      case Operation.Send call when has(Fault.READS_AFTER_COMPLETION) -> {
        next().enqueue(call, context.part(call, ignored -> {}));
        context.complete();
      }
      case Operation.AllGatherV call when has(Fault.STOPS_AT_EMPTY_BLOCKS) ->
          allGatherV(call, context);
      default -> next().enqueue(operation, context);
    }
  }

  private void allGatherV(Operation.AllGatherV call, OpContext context) {
    long last = call.counts().count(size() - 1);
    boolean gaps = false;
    for (int r = 0; r < size(); r++) {
      gaps |= call.counts().count(r) == 0;
    }
    MemorySegment block =
        call.recv().slice(call.counts().offset(size() - 1), gaps ? last : 0).segment();
    byte[] before = block.toArray(BYTE);
    pass(call, context, () -> MemorySegment.copy(before, 0, block, BYTE, 0, before.length));
  }

  private void allReduce(Operation.AllReduce call, OpContext context) {
    CommBuffer send = call.send();
    CommBuffer recv = call.recv();
    MemorySegment memory = recv.segment();
    boolean inPlace = send.isSameMemory(recv);
    int width = recv.type().byteSize();
    if (has(Fault.WRITES_SEND) && !inPlace) {
      pass(call, context, () -> flipLastByte(send));
    } else if (has(Fault.WRITES_BEYOND) && memory.isNative()) {
      pass(call, context, () -> at(memory.address() + memory.byteSize(), 1).fill((byte) 0));
    } else if (has(Fault.ALIGNS_ADDRESSES) && memory.isNative() && memory.address() % width != 0) {
      pass(
          call,
          context,
          () ->
              at(memory.address() - memory.address() % width, memory.byteSize()).copyFrom(memory));
    } else if (has(Fault.HANGS_ON_NOTHING) && recv.count() == 0) {
      // Neither is it passed on, nor does it ever end.

    } else if (has(Fault.FORGETS_ITS_OWN_IN_PLACE) && inPlace && recv.count() > 0) {
      recv.slice(0, 1).segment().fill((byte) 0);
      next().enqueue(call, context);

    } else if (has(Fault.ALONE_DOES_NOTHING) && size() == 1) {
      context.complete();
    } else {
      next().enqueue(call, context);
    }
  }

  @SuppressWarnings("restricted") // what a fault in native code would do
  private static MemorySegment at(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  @Override
  public SlotPool.Usage memory() {
    return has(Fault.HOARDS_MEMORY)
        ? new SlotPool.Usage(1, 1 << 30, 1 << 30, 0, 0)
        : next().memory();
  }
}
