package dev.tutti.comm.internal.layers;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommException;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.Cost;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.SlotPool;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the backend by the device that an operation's buffers lie on: {@code cpu:tcp,cuda:nccl}.
 * An operation without buffers goes to the first.
 */
final class Dispatched implements Communicator {
  private final Map<String, Communicator> byDevice;
  private final List<Communicator> all;
  private final Communicator first;

  /**
   * Creates the layer over one communicator for each kind of device; the same one may serve
   * several.
   */
  Dispatched(Map<String, Communicator> byDevice) {
    this.byDevice = new LinkedHashMap<>(byDevice);
    this.all = byDevice.values().stream().distinct().toList();
    this.first = all.getFirst();
  }

  private @Nullable Communicator choose(Operation operation) {
    List<CommBuffer> buffers = operation.buffers();
    return buffers.isEmpty() ? first : byDevice.get(buffers.getFirst().device().kind());
  }

  private Communicator chosen(Operation operation) {
    Communicator communicator = choose(operation);
    if (communicator == null) {
      throw new IllegalStateException("unsupported operation was issued: " + operation.describe());
    }
    return communicator;
  }

  @Override
  public Availability supports(Operation operation) {
    Communicator communicator = choose(operation);
    return communicator == null
        ? Availability.no(
            "no backend of this group takes buffers on "
                + operation.buffers().getFirst().device()
                + ", only on "
                + byDevice.keySet(),
            "name one in the config, such as cpu:tcp,cuda:nccl")
        : communicator.supports(operation);
  }

  @Override
  public Cost cost(Operation operation) {
    return chosen(operation).cost(operation);
  }

  @Override
  public void enqueue(Operation operation, OpContext context) {
    chosen(operation).enqueue(operation, context);
  }

  @Override
  public boolean advance() {
    boolean progressed = false;
    for (Communicator communicator : all) {
      progressed |= communicator.advance();
    }
    return progressed;
  }

  @Override
  public void await(long nanos) {
    if (all.size() == 1) {
      first.await(nanos);
    } else {
      for (Communicator communicator : all) {
        communicator.await(Math.min(nanos, 50_000) / all.size());
      }
    }
  }

  @Override
  public void wakeup() {
    all.forEach(Communicator::wakeup);
  }

  @Override
  public String awaited() {
    return String.join(
        "; ", all.stream().map(Communicator::awaited).filter(s -> !s.isEmpty()).toList());
  }

  @Override
  public @Nullable Communicator split(BackendProvider.@Nullable Context child, int color, int key) {
    Map<Communicator, Communicator> children = new LinkedHashMap<>();
    for (Communicator communicator : all) {
      Communicator below = communicator.split(child, color, key);
      if (below != null) {
        children.put(communicator, below);
      }
    }
    if (children.isEmpty()) {
      return null;
    }
    Map<String, Communicator> result = new LinkedHashMap<>();
    byDevice.forEach(
        (device, communicator) -> {
          Communicator below = children.get(communicator);
          if (below != null) {
            result.put(device, below);
          }
        });
    return new Dispatched(result);
  }

  @Override
  public SlotPool.Usage memory() {
    return all.stream().map(Communicator::memory).reduce(SlotPool.Usage::plus).orElseThrow();
  }

  @Override
  public void abort(CommException cause) {
    all.forEach(communicator -> communicator.abort(cause));
  }

  @Override
  public void close(Duration timeout) {
    all.forEach(communicator -> communicator.close(timeout));
  }
}
