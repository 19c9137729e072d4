package dev.tutti.conformance;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.SlotPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** It does not fail, or end, as it should. */
final class UnfailingCommunicator extends MutantCommunicator {
  private static final Duration SURVIVES = Duration.ofSeconds(8);
  private static final long PATIENCE_NANOS = 20_000_000;
  private static final Duration BLOCK = Duration.ofMillis(2500);

  private int pending;
  private long idleSince = System.nanoTime();
  private boolean closed;
  private @Nullable Runnable lastMessage;

  UnfailingCommunicator(Communicator next, Fault fault, int rank, int size) {
    super(next, fault, rank, size);
  }

  @Override
  public Availability supports(Operation operation) {
    return has(Fault.REFUSES_ON_ONE_RANK)
            && rank() == 1
            && operation instanceof Operation.ReduceScatter(var _, CommBuffer recv, var _)
            && recv.type() == DataType.INT8
        ? Availability.no("this mutant does not", null)
        : next().supports(operation);
  }

  @Override
  public void enqueue(Operation operation, OpContext context) {
    Runnable message = lastMessage;
    lastMessage = null;
    if (message != null) {
      message.run();
    }
    switch (operation) {
      case Operation.AllReduce call
          when has(Fault.BLIND_TO_OPERATORS) && call.op().equals(ReduceOp.MAX) ->
          pass(new Operation.AllReduce(call.send(), call.recv(), ReduceOp.SUM), context, () -> {});
      case Operation.Send call when has(Fault.LOSES_THE_LAST_MESSAGE) -> {
        MemorySegment copy =
            MemorySegment.ofArray(call.buffer().segment().toArray(ValueLayout.JAVA_BYTE));
        Operation later =
            new Operation.Send(CommBuffer.of(copy, call.buffer().type()), call.peer());
        lastMessage = () -> next().enqueue(later, context.part(later, ended -> {}));
        context.complete();
      }
      default -> watched(operation, context);
    }
  }

  private void watched(Operation operation, OpContext context) {
    pending++;
    next()
        .enqueue(
            operation,
            context.part(
                operation,
                ended -> {
                  pending--;
                  CommException failure = ended.failure();
                  if (failure == null) {
                    context.complete();
                  } else {
                    context.fail(failure);
                  }
                }));
  }

  @Override
  public boolean advance() {
    boolean progressed = next().advance();
    long now = System.nanoTime();
    if (progressed || pending == 0) {
      idleSince = now;
    } else if (has(Fault.BLOCKS_WHILE_WAITING) && now - idleSince > PATIENCE_NANOS) {
      Stage.pause(BLOCK);
      idleSince = System.nanoTime();
    }
    return progressed;
  }

  @Override
  public String awaited() {
    return has(Fault.SAYS_NOT_WHAT_IT_AWAITS) ? "" : next().awaited();
  }

  @Override
  public SlotPool.Usage memory() {
    return has(Fault.LEAVES_MEMORY) && closed
        ? new SlotPool.Usage(1, 4096, 4096, 0, 0)
        : next().memory();
  }

  @Override
  public void abort(CommException cause) {
    if (has(Fault.ABORTS_SLOWLY)) {
      Stage.pause(BLOCK);
    }
    next().abort(cause);
  }

  @Override
  public void close(Duration timeout) {
    next().close(timeout);
    closed = true;
    if (rank() != 0) {
      return;
    }
    if (has(Fault.LEAVES_A_THREAD)) {
      survivor("tutti-left", () -> Stage.pause(SURVIVES));
    } else if (has(Fault.LEAVES_A_SOCKET)) {
      ServerSocket left = socket();
      survivor(
          "mutant",
          () -> {
            Stage.pause(SURVIVES);
            close(left);
          });
    }
  }

  private static void survivor(String name, Runnable body) {
    Thread.ofPlatform().daemon().name(name).start(body);
  }

  private static ServerSocket socket() {
    try {
      return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void close(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
