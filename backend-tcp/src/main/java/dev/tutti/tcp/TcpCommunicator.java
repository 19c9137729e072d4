package dev.tutti.tcp;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommException;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.Cost;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.SlotPool;
import dev.tutti.tcp.schedule.Overrides;
import java.net.InetAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One rank's membership in a group over TCP. */
final class TcpCommunicator implements Communicator {
  private static final Cost ESTIMATE = new Cost(Duration.ofNanos(10_000), 3e9);
  private static final long LOSING_WAIT_NANOS = 50_000_000;

  private final BackendProvider.Context group;
  private final InetAddress address;
  private final Transport transport;
  private final SlotPool pool;
  private final Scratch scratch;
  private final Connections connections;
  private final Engine engine;
  private boolean closed;

  private TcpCommunicator(
      BackendProvider.Context group,
      InetAddress address,
      TcpMemory memory,
      Plans plans,
      Transport transport) {
    this.group = group;
    this.address = address;
    this.transport = transport;
    this.pool = new SlotPool(memory.slots(), memory.slotBytes());
    this.scratch = new Scratch(memory.scratchBytes());
    this.connections = new Connections(group, transport, pool);
    this.engine = new Engine(group, connections, plans, scratch);
  }

  /** Makes the membership: every rank of the group calls. */
  static TcpCommunicator connect(BackendProvider.Context group, InetAddress address) {
    // What may be refused comes first: then there is nothing yet to be closed.
    TcpMemory memory = TcpMemory.of(group);
    Overrides overrides = Overrides.parse(group.options().list("algo"));
    Plans plans = Plans.of(group, memory.limits(group), overrides);
    TcpCommunicator made =
        new TcpCommunicator(group, address, memory, plans, Transports.create(group));
    try {
      made.connections.open(address);
      return made;
    } catch (RuntimeException | Error e) {
      made.release();
      throw e;
    }
  }

  @Override
  public Availability supports(Operation operation) {
    for (CommBuffer buffer : operation.buffers()) {
      if (!buffer.device().isCpu()) {
        return Availability.no(
            "backend tcp takes host memory, not memory on " + buffer.device(),
            "name a backend for that device in the config");
      }
      if (!Call.knows(buffer.type())) {
        return Availability.no("backend tcp does not know type " + buffer.type(), null);
      }
    }
    return Availability.yes();
  }

  @Override
  public boolean foldsByRank() {
    return true;
  }

  @Override
  public Cost cost(Operation operation) {
    return ESTIMATE;
  }

  @Override
  public void enqueue(Operation operation, OpContext context) {
    engine.enqueue(operation, context);
  }

  @Override
  public boolean advance() {
    return !closed && engine.advance();
  }

  @Override
  public void await(long nanos) {
    transport.await(engine.losing() ? Math.min(nanos, LOSING_WAIT_NANOS) : nanos);
  }

  @Override
  public void wakeup() {
    transport.wakeup();
  }

  @Override
  public String awaited() {
    return engine.awaited();
  }

  @Override
  public @Nullable Communicator split(BackendProvider.@Nullable Context child, int color, int key) {
    return child == null ? null : connect(child, address);
  }

  @Override
  public SlotPool.Usage memory() {
    SlotPool.Usage slots = pool.usage();
    return new SlotPool.Usage(
        slots.slots(),
        slots.slotBytes(),
        slots.allocatedBytes() + scratch.allocatedBytes(),
        slots.inUse(),
        slots.waits());
  }

  @Override
  public void abort(CommException cause) {
    engine.abort(cause);
    release();
  }

  @Override
  public void close(Duration timeout) {
    release();
  }

  private void release() {
    if (!closed) {
      closed = true;
      connections.close();
      scratch.close();
      pool.close();
    }
  }

  @Override
  public String toString() {
    return "tcp over " + transport.name() + " in group " + group.group();
  }
}
