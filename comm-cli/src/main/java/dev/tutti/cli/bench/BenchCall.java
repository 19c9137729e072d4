package dev.tutti.cli.bench;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One operation with its buffers on one rank, ready to be called again and again: filled, carried
 * out, checked.
 */
final class BenchCall {
  /** Nothing that an input or a result holds. */
  private static final byte UNTOUCHED = (byte) 0xee;

  /**
   * Part of a buffer, and whose elements lie there: of which rank, from which of its elements on.
   */
  private record Block(CommBuffer buffer, int rank, long first) {}

  private final ProcessGroup group;
  private final BenchOperation operation;
  private final ReduceOp op;
  private final int root;
  private final long count;
  private final Pattern pattern;
  private final @Nullable CommBuffer send;
  private final @Nullable CommBuffer recv;
  private final List<Block> inputs = new ArrayList<>();
  private final List<Block> results = new ArrayList<>();

  /**
   * Lays out the buffers.
   *
   * @param group this rank's group
   * @param operation the operation
   * @param place whether in place
   * @param memory two buffers that are as large as {@link BenchOperation#bytes} or larger
   * @param op the operator of operations that reduce
   * @param root the root of operations that have one
   * @param count elements of one block
   */
  BenchCall(
      ProcessGroup group,
      BenchOperation operation,
      Place place,
      Memory memory,
      ReduceOp op,
      int root,
      long count) {
    this.group = group;
    this.operation = operation;
    this.op = op;
    this.root = root;
    this.count = count;
    DataType type = memory.first().type();
    this.pattern = new Pattern(type, operation.reduces() ? op : null, group.size());
    boolean inPlace = place == Place.IN_PLACE;
    boolean atRoot = group.rank() == root;
    int rank = group.rank();
    int size = group.size();
    CommBuffer one = memory.first().slice(0, count);
    CommBuffer other = memory.second().slice(0, count);
    Sides sides =
        switch (operation) {
          case ALL_REDUCE -> new Sides(one, inPlace ? one : other);
          case REDUCE -> new Sides(one, !atRoot ? null : inPlace ? one : other);
          case REDUCE_SCATTER -> {
            CommBuffer all = memory.first().slice(0, count * size);
            yield new Sides(all, inPlace ? all.slice(rank * count, count) : other);
          }
          case BROADCAST -> new Sides(one, null);
          case ALL_GATHER -> {
            CommBuffer all = memory.second().slice(0, count * size);
            yield new Sides(inPlace ? all.slice(rank * count, count) : one, all);
          }
          case GATHER -> {
            CommBuffer all = atRoot ? memory.second().slice(0, count * size) : null;
            yield new Sides(all != null && inPlace ? all.slice(rank * count, count) : one, all);
          }
          case SCATTER -> {
            CommBuffer all = atRoot ? memory.first().slice(0, count * size) : null;
            yield new Sides(all, all != null && inPlace ? all.slice(rank * count, count) : other);
          }
          case ALL_TO_ALL ->
              new Sides(
                  memory.first().slice(0, count * size), memory.second().slice(0, count * size));
          case SEND_RECV, PING_PONG -> new Sides(one, other);
          case BARRIER -> new Sides(null, null);
        };
    this.send = sides.send();
    this.recv = sides.recv();
    layOut(rank, size, atRoot);
  }

  /** What goes out and what comes in. */
  private record Sides(@Nullable CommBuffer send, @Nullable CommBuffer recv) {}

  /** Notes whose elements lie where, before and after the call. */
  private void layOut(int rank, int size, boolean atRoot) {
    if (send != null && (operation != BenchOperation.BROADCAST || atRoot)) {
      input(send, rank, 0);
    }
    switch (operation) {
      case ALL_REDUCE, REDUCE -> result(recv, 0, 0);
      case REDUCE_SCATTER -> result(recv, 0, rank * count);
      case BROADCAST -> result(send, root, 0);
      case ALL_GATHER, GATHER -> resultOfAllRanks(recv, 0);
      case SCATTER -> result(recv, root, rank * count);
      case ALL_TO_ALL -> resultOfAllRanks(recv, rank * count);
      case SEND_RECV -> result(recv, (rank + size - 1) % size, 0);
      case PING_PONG -> result(rank < 2 ? recv : null, 1 - rank, 0);
      case BARRIER -> {}
    }
  }

  private void input(CommBuffer buffer, int rank, long first) {
    inputs.add(new Block(buffer, rank, first));
  }

  private void result(@Nullable CommBuffer buffer, int rank, long first) {
    if (buffer != null) {
      results.add(new Block(buffer, rank, first));
    }
  }

  private void resultOfAllRanks(@Nullable CommBuffer buffer, long first) {
    for (int rank = 0; buffer != null && rank < group.size(); rank++) {
      result(buffer.slice(rank * count, count), rank, first);
    }
  }

  /** Returns the call as data, to ask whether the backend supports it. */
  Operation asOperation() {
    return switch (operation) {
      case ALL_REDUCE -> new Operation.AllReduce(sending(), receiving(), op);
      case REDUCE_SCATTER -> new Operation.ReduceScatter(sending(), receiving(), op);
      case ALL_GATHER -> new Operation.AllGather(sending(), receiving());
      case BROADCAST -> new Operation.Broadcast(sending(), root);
      case REDUCE -> new Operation.Reduce(sending(), recv, op, root);
      case GATHER -> new Operation.Gather(sending(), recv, root);
      case SCATTER -> new Operation.Scatter(send, receiving(), root);
      case ALL_TO_ALL -> new Operation.AllToAll(sending(), receiving());
      case SEND_RECV -> new Operation.SendRecv(sending(), next(), receiving(), previous());
      case PING_PONG -> new Operation.Send(sending(), next());
      case BARRIER -> new Operation.Barrier();
    };
  }

  /** Fills the inputs, and everything else with what is nobody's result. */
  void fill() {
    for (Block block : results) {
      block.buffer().segment().fill(UNTOUCHED);
    }
    for (Block block : inputs) {
      pattern.fillInput(block.buffer().segment(), block.rank(), block.first());
    }
  }

  /** Counts the elements of this rank's result that are wrong. */
  long countWrong() {
    long wrong = 0;
    for (Block block : results) {
      MemorySegment actual = block.buffer().segment();
      wrong +=
          operation.reduces()
              ? pattern.countWrongReductions(actual, block.first())
              : pattern.countWrongCopies(actual, block.rank(), block.first());
    }
    return wrong;
  }

  /** Carries the operation out once and waits for its end. */
  void call() {
    switch (operation) {
      case ALL_REDUCE -> group.allReduce(sending(), receiving(), op).join();
      case REDUCE_SCATTER -> group.reduceScatter(sending(), receiving(), op).join();
      case ALL_GATHER -> group.allGather(sending(), receiving()).join();
      case BROADCAST -> group.broadcast(sending(), root).join();
      case REDUCE -> group.reduce(sending(), recv, op, root).join();
      case GATHER -> group.gather(sending(), recv, root).join();
      case SCATTER -> group.scatter(send, receiving(), root).join();
      case ALL_TO_ALL -> group.allToAll(sending(), receiving()).join();
      case SEND_RECV -> group.sendRecv(sending(), next(), receiving(), previous()).join();
      case PING_PONG -> pingPong();
      case BARRIER -> group.barrier().join();
    }
  }

  private void pingPong() {
    if (group.rank() == 0) {
      group.send(sending(), 1);
      group.recv(receiving(), 1).join();
    } else if (group.rank() == 1) {
      group.recv(receiving(), 0).join();
      group.send(sending(), 0).join();
    }
  }

  private CommBuffer sending() {
    return Objects.requireNonNull(send);
  }

  private CommBuffer receiving() {
    return Objects.requireNonNull(recv);
  }

  private int next() {
    return (group.rank() + 1) % group.size();
  }

  private int previous() {
    return (group.rank() + group.size() - 1) % group.size();
  }
}
