package dev.tutti.comm.internal.layers;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.internal.TestProviders;
import dev.tutti.comm.internal.local.LocalBackend;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.Cost;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.SlotPool;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Backends that do less than {@code local}, and fail loudly when asked for what they lack. */
public final class LackingBackends {
  private LackingBackends() {}

  /** Does not fold in rank order, and refuses floating-point sums, products and averages. */
  public static final class Unranked extends Base {
    @Override
    public String name() {
      return "unranked";
    }

    @Override
    Availability supports(Operation operation) {
      return Availability.yes();
    }

    /** What depends on the order is for the layer; one sum or product of two numbers does not. */
    @Override
    boolean refuses(Operation operation, int size) {
      ReduceOp op = operation.reduceOp();
      if (op == null || !operation.buffers().getFirst().type().isFloating()) {
        return false;
      }
      int width = operation.buffers().getFirst().type().byteSize();
      return (op.equals(ReduceOp.AVG)
          ? size > 1
          : Set.of(ReduceOp.SUM, ReduceOp.PROD).contains(op)
              && size > (width == Short.BYTES ? 1 : 2));
    }
  }

  /** Moves every type and reduces none. */
  public static final class Mover extends Base {
    @Override
    public String name() {
      return "mover";
    }

    @Override
    Availability supports(Operation operation) {
      return operation.reduceOp() == null
          ? Availability.yes()
          : Availability.no("it reduces nothing", null);
    }
  }

  /** Moves bytes, and nothing else. */
  public static final class ByteMover extends Base {
    @Override
    public String name() {
      return "bytemover";
    }

    @Override
    Availability supports(Operation operation) {
      for (CommBuffer buffer : operation.buffers()) {
        if (buffer.type() != DataType.UINT8) {
          return Availability.no("it knows no " + buffer.type(), null);
        }
      }
      return operation.reduceOp() == null
          ? Availability.yes()
          : Availability.no("it reduces nothing", null);
    }
  }

  /** Cannot even move anything. */
  public static final class Barriers extends Base {
    @Override
    public String name() {
      return "barriers";
    }

    @Override
    Availability supports(Operation operation) {
      return operation instanceof Operation.Barrier
          ? Availability.yes()
          : Availability.no("it has barriers only", "use another");
    }
  }

  abstract static class Base extends TestProviders.Base {
    private final LocalBackend local = new LocalBackend();

    abstract Availability supports(Operation operation);

    boolean refuses(Operation operation, int size) {
      return !supports(operation).isAvailable();
    }

    @Override
    public Communicator connect(Context context) {
      return new Lacking(this, local.connect(context), context.size());
    }
  }

  private record Lacking(Base backend, Communicator local, int size) implements Communicator {
    @Override
    public Availability supports(Operation operation) {
      return backend.supports(operation);
    }

    @Override
    public Cost cost(Operation operation) {
      return local.cost(operation);
    }

    @Override
    public void enqueue(Operation operation, OpContext context) {
      if (backend.refuses(operation, size)) {
        throw new IllegalStateException(backend.name() + " was asked for " + operation.describe());
      }
      local.enqueue(operation, context);
    }

    @Override
    public boolean advance() {
      return local.advance();
    }

    @Override
    public void await(long nanos) {
      local.await(nanos);
    }

    @Override
    public void wakeup() {
      local.wakeup();
    }

    @Override
    public String awaited() {
      return local.awaited();
    }

    @Override
    public @Nullable Communicator split(
        BackendProvider.@Nullable Context child, int color, int key) {
      Communicator below = local.split(child, color, key);
      return below == null || child == null ? null : new Lacking(backend, below, child.size());
    }

    @Override
    public SlotPool.Usage memory() {
      return local.memory();
    }

    @Override
    public void abort(CommException cause) {
      local.abort(cause);
    }

    @Override
    public void close(Duration timeout) {
      local.close(timeout);
    }
  }
}
