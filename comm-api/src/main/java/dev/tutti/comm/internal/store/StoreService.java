package dev.tutti.comm.internal.store;

import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.internal.Deadline;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The store's side of the job's server: the map, and what serves one rank's connection to it.
 *
 * <p>{@link #serve} runs on the connection's own thread; a wait holds no thread.
 */
public final class StoreService {
  private static final int MAX_REQUEST_BYTES =
      StoreContract.MAX_KEY_BYTES + 2 * StoreContract.MAX_VALUE_BYTES + 256;
  private static final int MAX_WAITS = 4096;

  private final StoreMap map;
  private final ScheduledExecutorService timer;

  /**
   * Creates an empty store.
   *
   * @param size the number of ranks of the job
   * @param timer ends waits; its tasks are short
   */
  public StoreService(int size, ScheduledExecutorService timer) {
    this.map = new StoreMap(size);
    this.timer = timer;
  }

  /**
   * Serves a rank's connection until it ends.
   *
   * @throws EOFException if it ended without a goodbye
   * @throws ProtocolException if what came is no request
   * @throws IOException if it broke
   */
  public void serve(FrameLink link) throws IOException {
    Session session = new Session(link);
    try {
      while (true) {
        Frame request = link.read(MAX_REQUEST_BYTES);
        if (request.type() == FrameType.GOODBYE) {
          return;
        }
        session.handle(request);
        link.awaitDrained();
      }
    } finally {
      session.end();
    }
  }

  /** Records a death: exchanges of the whole job fail at once. */
  public void died(int rank, String reason) {
    map.died(rank, reason);
  }

  /** Returns how many calls of all ranks wait. */
  public int waiterCount() {
    return map.waiterCount();
  }

  /** What one connection waits for. */
  private final class Session {
    private final FrameLink link;
    private final Map<Long, Wait> waits = new HashMap<>();

    Session(FrameLink link) {
      this.link = link;
    }

    void handle(Frame request) throws ProtocolException {
      long id = request.id();
      BodyReader body = new BodyReader(request.body());
      if (request.type() == FrameType.CANCEL) {
        cancel(id);
        return;
      }
      String key = body.text();
      if (key.isEmpty()) {
        throw new ProtocolException("A store request without a key");
      }
      try {
        switch (request.type()) {
          case FrameType.SET -> {
            map.set(key, body.bytes());
            done(id, new BodyWriter());
          }
          case FrameType.ADD -> done(id, new BodyWriter().int64(map.add(key, body.int64())));
          case FrameType.COMPARE_AND_SET -> {
            byte[] expected = body.int8() == 0 ? null : body.bytes();
            boolean replaced = map.compareAndSet(key, expected, body.bytes());
            done(id, new BodyWriter().int8(replaced ? 1 : 0));
          }
          case FrameType.DELETE -> done(id, new BodyWriter().int8(map.delete(key) ? 1 : 0));
          case FrameType.GET -> get(id, key, Duration.ofNanos(body.int64()));
          case FrameType.EXCHANGE -> exchange(id, key, body);
          default -> throw new ProtocolException("Unknown request " + request.type());
        }
      } catch (IllegalStateException e) {
        failed(id, -1, String.valueOf(e.getMessage()));
      }
    }

    private void get(long id, String key, Duration timeout) {
      CompletableFuture<byte[]> value = map.get(key);
      Wait wait =
          new Wait() {
            @Override
            public void abandon() {
              map.abandonGet(key, value);
            }

            @Override
            public String expire() {
              map.abandonGet(key, value);
              return StoreContract.getTimeoutText(key, timeout);
            }
          };
      await(
          id,
          value,
          wait,
          timeout,
          bytes -> new BodyWriter(bytes.length + Integer.BYTES).bytes(bytes).toBytes());
    }

    private void exchange(long id, String key, BodyReader body) throws ProtocolException {
      int rank = body.int32();
      int size = body.int32();
      byte[] value = body.bytes();
      Duration timeout = Duration.ofNanos(body.int64());
      if (size < 1 || rank < 0 || rank >= size) {
        throw new ProtocolException("An exchange of rank " + rank + " of " + size);
      }
      CompletableFuture<Gathered> all = map.exchange(key, rank, size, value);
      Wait wait =
          new Wait() {
            @Override
            public void abandon() {
              map.abandonExchange(key, rank, all, timeout);
            }

            @Override
            public @Nullable String expire() {
              return map.abandonExchange(key, rank, all, timeout);
            }
          };
      await(id, all, wait, timeout, Gathered::encoded);
    }

    private <T> void await(
        long id,
        CompletableFuture<T> future,
        Wait wait,
        Duration timeout,
        Function<T, byte[]> encoder) {
      if (!future.isDone()) {
        synchronized (waits) {
          if (waits.size() >= MAX_WAITS) {
            wait.abandon();
            failed(id, -1, "More than " + MAX_WAITS + " calls of one rank wait in its store");
            return;
          }
          waits.put(id, wait);
        }
        long nanos = Deadline.after(timeout).remainingNanos();
        wait.timer = timer.schedule(() -> expire(id, wait), nanos, TimeUnit.NANOSECONDS);
      }
      var _ =
          future.whenComplete(
              (value, failure) -> {
                if (failure == null) {
                  settle(id, wait);
                  link.send(new Frame(FrameType.DONE, id, encoder.apply(value)));
                } else if (settle(id, wait) || wait.timer == null) {
                  Throwable cause =
                      failure instanceof CompletionException c && c.getCause() != null
                          ? c.getCause()
                          : failure;
                  int rank = cause instanceof PeerFailedException p ? p.rank() : -1;
                  failed(id, rank, String.valueOf(cause.getMessage()));
                }
              });
    }

    private void expire(long id, Wait wait) {
      String text = wait.expire();
      // Without a text, the answer is on its way.
      if (text != null && settle(id, wait)) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        link.send(new Frame(FrameType.TIMED_OUT, id, bytes));
      }
    }

    private boolean settle(long id, Wait wait) {
      Future<?> timeout = wait.timer;
      if (timeout != null) {
        timeout.cancel(false);
      }
      synchronized (waits) {
        return waits.remove(id, wait);
      }
    }

    private void cancel(long id) {
      Wait wait;
      synchronized (waits) {
        wait = waits.get(id);
      }
      if (wait != null && settle(id, wait)) {
        wait.abandon();
        // So that the caller knows that nobody gets an answer with its part in it.
        link.send(new Frame(FrameType.TIMED_OUT, id, new byte[0]));
      }
    }

    void end() {
      Map<Long, Wait> left;
      synchronized (waits) {
        left = Map.copyOf(waits);
      }
      left.keySet().forEach(this::cancel);
    }

    private void done(long id, BodyWriter body) {
      link.send(new Frame(FrameType.DONE, id, body.toBytes()));
    }

    private void failed(long id, int rank, String text) {
      link.send(new Frame(FrameType.FAILED, id, new BodyWriter().int32(rank).text(text).toBytes()));
    }
  }

  /** A call that waits. */
  private abstract static class Wait {
    volatile @Nullable Future<?> timer;

    /** Takes the call out of the map. */
    abstract void abandon();

    /** Takes the call out of the map; returns the text of its timeout, or null if it completed. */
    abstract @Nullable String expire();
  }
}
