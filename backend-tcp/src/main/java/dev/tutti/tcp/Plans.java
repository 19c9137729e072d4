package dev.tutti.tcp;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommConfig;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.Operation.Counts;
import dev.tutti.tcp.schedule.Blocks;
import dev.tutti.tcp.schedule.Limits;
import dev.tutti.tcp.schedule.Overrides;
import dev.tutti.tcp.schedule.Request;
import dev.tutti.tcp.schedule.Schedule;
import dev.tutti.tcp.schedule.Schedules;
import dev.tutti.tcp.schedule.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Translates operations to schedules, and remembers those of the last calls: programs repeat
 * themselves.
 */
final class Plans {
  private static final int REMEMBERED = 32;

  /**
   * What the engine carries out.
   *
   * @param schedule the steps
   * @param buffers the memory of each of the schedule's buffers; that of scratch is given by the
   *     engine
   * @param elementSize bytes of an element in the schedule's counts
   * @param type the element type of reductions
   * @param op the operator of reductions, or null
   * @param calls the fingerprint of messages: one for all, or one for each transfer of a batch
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared; the engine fills in the scratch
  record Plan(
      Schedule schedule,
      MemorySegment[] buffers,
      int elementSize,
      DataType type,
      @Nullable ReduceOp op,
      List<Call> calls) {
    /** Returns the fingerprint of a message over one of the schedule's buffers. */
    Call call(int buffer) {
      return calls.size() == 1 ? calls.getFirst() : calls.get(buffer - Schedule.TRANSFER);
    }
  }

  private final int rank;
  private final int size;
  private final CommConfig.Order order;
  private final Limits limits;
  private final Overrides overrides;
  private final Map<Request, Schedule> remembered =
      new LinkedHashMap<>(2 * REMEMBERED, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Request, Schedule> eldest) {
          return size() > REMEMBERED;
        }
      };

  private Plans(int rank, int size, CommConfig.Order order, Limits limits, Overrides overrides) {
    this.rank = rank;
    this.size = size;
    this.order = order;
    this.limits = limits;
    this.overrides = overrides;
  }

  /** Returns the plans of a group's member; limits and overrides are the same on all ranks. */
  static Plans of(BackendProvider.Context group, Limits limits, Overrides overrides) {
    return new Plans(group.rank(), group.size(), group.order(), limits, overrides);
  }

  Plan of(Operation operation) {
    return switch (operation) {
      case Operation.AllReduce o ->
          plan(
              Request.allReduce(
                  rank,
                  size,
                  o.send().type().byteSize(),
                  o.send().count(),
                  average(o),
                  o.send().isSameMemory(o.recv()),
                  limits),
              o,
              o.send(),
              o.recv());
      case Operation.Reduce o ->
          plan(
              Request.reduce(
                  rank,
                  size,
                  o.root(),
                  o.send().type().byteSize(),
                  o.send().count(),
                  average(o),
                  o.recv() != null && o.send().isSameMemory(o.recv()),
                  limits),
              o,
              o.send(),
              o.recv());
      case Operation.Broadcast o ->
          plan(
              Request.broadcast(
                  rank,
                  size,
                  o.root(),
                  o.buffer().type().byteSize(),
                  o.buffer().count(),
                  true,
                  limits),
              o,
              o.buffer(),
              o.buffer());
      case Operation.AllGather o ->
          allGather(o, o.send(), o.recv(), Blocks.uniform(size, o.send().count()));
      case Operation.AllGatherV o -> allGather(o, o.send(), o.recv(), blocks(o.counts()));
      case Operation.ReduceScatter o ->
          reduceScatter(o, o.send(), o.recv(), Blocks.uniform(size, o.recv().count()));
      case Operation.ReduceScatterV o -> reduceScatter(o, o.send(), o.recv(), blocks(o.counts()));
      case Operation.Gather o ->
          gather(o, o.root(), o.send(), o.recv(), Blocks.uniform(size, o.send().count()), true);
      case Operation.GatherV o ->
          gather(o, o.root(), o.send(), o.recv(), rootBlocks(o.counts(), o.send().count()), false);
      case Operation.Scatter o ->
          scatter(o, o.root(), o.send(), o.recv(), Blocks.uniform(size, o.recv().count()), true);
      case Operation.ScatterV o ->
          scatter(o, o.root(), o.send(), o.recv(), rootBlocks(o.counts(), o.recv().count()), false);
      case Operation.AllToAll o -> {
        int elementSize = o.send().type().byteSize();
        long count = o.send().count() / size;
        yield plan(Request.allToAll(rank, size, elementSize, count, limits), o, o.send(), o.recv());
      }
      case Operation.AllToAllV o ->
          allToAll(o, o.send(), blocks(o.sendCounts()), o.recv(), blocks(o.recvCounts()));
      case Operation.Barrier o -> plan(Request.barrier(rank, size, limits), o, null, null);
      case Operation.Send o -> batch(List.of(o));
      case Operation.Recv o -> batch(List.of(o));
      case Operation.SendRecv o ->
          batch(
              List.of(
                  new Operation.Send(o.send(), o.destination()),
                  new Operation.Recv(o.recv(), o.source())));
      case Operation.Batch o -> batch(o.transfers());
    };
  }

  private Plan allGather(Operation o, CommBuffer send, CommBuffer recv, Blocks blocks) {
    boolean inPlace = send.isSameMemory(recv.slice(blocks.offset(rank), blocks.count(rank)));
    return plan(
        Request.allGather(rank, size, send.type().byteSize(), blocks, inPlace, limits),
        o,
        send,
        recv);
  }

  private Plan reduceScatter(Operation o, CommBuffer send, CommBuffer recv, Blocks blocks) {
    boolean inPlace = recv.isSameMemory(send.slice(blocks.offset(rank), blocks.count(rank)));
    return plan(
        Request.reduceScatter(
            rank, size, send.type().byteSize(), blocks, average(o), inPlace, limits),
        o,
        send,
        recv);
  }

  private Plan gather(
      Operation o,
      int root,
      CommBuffer send,
      @Nullable CommBuffer recv,
      Blocks blocks,
      boolean even) {
    int elementSize = send.type().byteSize();
    boolean inPlace =
        recv != null && send.isSameMemory(recv.slice(blocks.offset(rank), blocks.count(rank)));
    return plan(
        even
            ? Request.gather(rank, size, root, elementSize, blocks.count(rank), inPlace, limits)
            : Request.gather(rank, size, root, elementSize, blocks, inPlace, limits),
        o,
        send,
        recv);
  }

  private Plan scatter(
      Operation o,
      int root,
      @Nullable CommBuffer send,
      CommBuffer recv,
      Blocks blocks,
      boolean even) {
    int elementSize = recv.type().byteSize();
    boolean inPlace =
        send != null && recv.isSameMemory(send.slice(blocks.offset(rank), blocks.count(rank)));
    return plan(
        even
            ? Request.scatter(rank, size, root, elementSize, blocks.count(rank), inPlace, limits)
            : Request.scatter(rank, size, root, elementSize, blocks, inPlace, limits),
        o,
        send,
        recv);
  }

  private Plan allToAll(
      Operation o, CommBuffer send, Blocks sendBlocks, CommBuffer recv, Blocks recvBlocks) {
    return plan(
        Request.allToAll(rank, size, send.type().byteSize(), sendBlocks, recvBlocks, limits),
        o,
        send,
        recv);
  }

  private Plan plan(
      Request request, Operation o, @Nullable CommBuffer input, @Nullable CommBuffer output) {
    MemorySegment[] buffers = new MemorySegment[Schedule.TRANSFER];
    buffers[Schedule.INPUT] = segment(input);
    buffers[Schedule.OUTPUT] = segment(output);
    buffers[Schedule.SCRATCH] = MemorySegment.NULL;
    DataType type = input != null ? input.type() : output != null ? output.type() : DataType.UINT8;
    return new Plan(
        remember(isOrdered(o, type) ? request.inRankOrder() : request),
        buffers,
        type.byteSize(),
        type,
        o.reduceOp(),
        List.of(Call.of(o)));
  }

  /** Transfers of several types are counted in bytes. */
  private Plan batch(List<Operation> transfers) {
    MemorySegment[] buffers = new MemorySegment[Schedule.TRANSFER + transfers.size()];
    Arrays.fill(buffers, MemorySegment.NULL);
    List<Transfer> list = new ArrayList<>(transfers.size());
    List<Call> calls = new ArrayList<>(transfers.size());
    for (Operation transfer : transfers) {
      CommBuffer buffer = transfer.buffers().getFirst();
      buffers[Schedule.TRANSFER + list.size()] = buffer.segment();
      calls.add(Call.transfer(buffer));
      list.add(
          transfer instanceof Operation.Send s
              ? Transfer.send(s.peer(), buffer.byteSize())
              : Transfer.recv(((Operation.Recv) transfer).peer(), buffer.byteSize()));
    }
    Schedule schedule = remember(Request.batch(rank, size, 1, list, limits));
    return new Plan(schedule, buffers, 1, DataType.UINT8, null, calls);
  }

  private Schedule remember(Request request) {
    Schedule schedule = remembered.get(request);
    if (schedule == null) {
      schedule = Schedules.plan(request, overrides);
      remembered.put(request, schedule);
    }
    return schedule;
  }

  /** Integers, and MIN and MAX, are the same in any order. */
  private boolean isOrdered(Operation operation, DataType type) {
    ReduceOp op = operation.reduceOp();
    if (op == null || order != CommConfig.Order.RANKED || !type.isFloating()) {
      return false;
    }
    return switch (op.kind()) {
      case SUM, PROD, AVG -> true;
      case MIN, MAX, BAND, BOR, BXOR -> false;
    };
  }

  private static MemorySegment segment(@Nullable CommBuffer buffer) {
    return buffer == null ? MemorySegment.NULL : buffer.segment();
  }

  private static boolean average(Operation operation) {
    ReduceOp op = operation.reduceOp();
    return op != null && op.equals(ReduceOp.AVG);
  }

  private static Blocks blocks(Counts counts) {
    return Blocks.of(counts.toArray());
  }

  /** Away from the root a rank knows its own count only. */
  private Blocks rootBlocks(@Nullable Counts counts, long own) {
    return counts != null ? blocks(counts) : Blocks.only(size, rank, own);
  }
}
