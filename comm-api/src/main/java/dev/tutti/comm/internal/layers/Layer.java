package dev.tutti.comm.internal.layers;

import dev.tutti.comm.CommException;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.Cost;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.SlotPool;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A decorator of a communicator that hands everything on; a layer overrides what it cares about.
 */
abstract class Layer implements Communicator {
  private final Communicator next;

  Layer(Communicator next) {
    this.next = next;
  }

  final Communicator next() {
    return next;
  }

  /** Returns this layer around another communicator, for a subgroup. */
  abstract Communicator around(Communicator child, BackendProvider.Context context);

  @Override
  public Availability supports(Operation operation) {
    return next.supports(operation);
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
    return below == null || child == null ? null : around(below, child);
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
