package dev.tutti.comm.internal.store;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.Store;
import dev.tutti.comm.internal.Deadline;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A rank's side of the store that lives in another process (or in this one): one connection, one
 * round trip a call, waits on the server.
 *
 * <p>Any number of threads may call at the same time; answers find their callers by number. A
 * daemon thread reads.
 */
public final class TcpStore implements Store {
  private static final int MAX_ANSWER_BYTES = StoreContract.MAX_EXCHANGE_BYTES + (64 << 20);

  /** How long the server's word on a timeout may be late: it knows who is missing. */
  private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private static final Duration GOODBYE = Duration.ofSeconds(1);

  private final FrameLink link;
  private final String where;
  private final int hostRank;
  private final Duration answerTime;
  private final Runnable afterClose;
  private final Thread reader;
  private final AtomicLong ids = new AtomicLong();
  private final ConcurrentHashMap<Long, CompletableFuture<Frame>> pending =
      new ConcurrentHashMap<>();
  private volatile @Nullable CommException end;
  private volatile boolean closed;

  /**
   * Takes over a connection to the job's server.
   *
   * @param dialed the connection, past its hello
   * @param where the server's address, for messages
   * @param answerTime how long an answer may take that waits for no other rank
   * @param afterClose what to do when this store is closed
   */
  public TcpStore(Dialer.Dialed dialed, String where, Duration answerTime, Runnable afterClose) {
    this.link = dialed.link();
    this.hostRank = dialed.hostRank();
    this.where = where;
    this.answerTime = answerTime;
    this.afterClose = afterClose;
    this.reader = Thread.ofPlatform().daemon().name("tutti-store-" + where).unstarted(this::read);
    reader.start();
  }

  @Override
  public void set(String key, byte[] value) {
    StoreContract.checkKey(key);
    StoreContract.checkValue(key, value);
    request("set", key, FrameType.SET, body(key, value).bytes(value));
  }

  @Override
  public byte[] get(String key, Duration timeout) {
    StoreContract.checkKey(key);
    Deadline deadline = Deadline.after(timeout);
    BodyWriter body = body(key).int64(deadline.remainingNanos());
    return answer("get", key, FrameType.GET, body, deadline, TcpStore::rest);
  }

  @Override
  public long add(String key, long delta) {
    StoreContract.checkKey(key);
    Frame answer = request("add", key, FrameType.ADD, body(key).int64(delta));
    return decoded(answer, BodyReader::int64);
  }

  @Override
  public boolean compareAndSet(String key, byte @Nullable [] expected, byte[] value) {
    StoreContract.checkKey(key);
    StoreContract.checkValue(key, value);
    BodyWriter body = body(key, value).int8(expected == null ? 0 : 1);
    if (expected != null) {
      StoreContract.checkValue(key, expected);
      body.bytes(expected);
    }
    Frame answer = request("compareAndSet", key, FrameType.COMPARE_AND_SET, body.bytes(value));
    return decoded(answer, BodyReader::int8) != 0;
  }

  @Override
  public boolean delete(String key) {
    StoreContract.checkKey(key);
    Frame answer = request("delete", key, FrameType.DELETE, body(key));
    return decoded(answer, BodyReader::int8) != 0;
  }

  @Override
  public List<byte[]> exchange(String key, int rank, int size, byte[] value, Duration timeout) {
    StoreContract.checkExchange(key, rank, size, value);
    Deadline deadline = Deadline.after(timeout);
    BodyWriter body = body(key, value).int32(rank).int32(size).bytes(value);
    body.int64(deadline.remainingNanos());
    return answer("exchange", key, FrameType.EXCHANGE, body, deadline, TcpStore::values);
  }

  @Override
  public Store scoped(String prefix) {
    return ScopedStore.of(this, prefix);
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    fail(StoreContract.closed());
    link.send(new Frame(FrameType.GOODBYE));
    try {
      // Until the server has understood: a connection that is cut with unread bytes in it looks
      // like a death on the other side.
      reader.join(GOODBYE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      link.close();
      afterClose.run();
    }
  }

  private interface Decoder<T> {
    T decode(BodyReader body) throws ProtocolException;
  }

  private Frame request(String operation, String key, byte type, BodyWriter body) {
    return call(operation, key, type, body, Deadline.after(answerTime), 0);
  }

  private <T> T answer(
      String operation,
      String key,
      byte type,
      BodyWriter body,
      Deadline deadline,
      Decoder<T> decoder) {
    return decoded(call(operation, key, type, body, deadline, GRACE_NANOS), decoder);
  }

  private Frame call(
      String operation,
      String key,
      byte type,
      BodyWriter body,
      Deadline deadline,
      long graceNanos) {
    long id = ids.incrementAndGet();
    CompletableFuture<Frame> answer = new CompletableFuture<>();
    pending.put(id, answer);
    try {
      CommException over = end;
      if (over != null) {
        throw over.restated(StoreContract.call(operation, key));
      }
      link.send(new Frame(type, id, body.toBytes()));
      Frame frame = answer.get(deadline.remainingNanos() + graceNanos, TimeUnit.NANOSECONDS);
      return switch (frame.type()) {
        case FrameType.TIMED_OUT -> throw new CommTimeoutException(text(frame), null);
        case FrameType.FAILED -> throw failure(StoreContract.call(operation, key), frame);
        default -> frame;
      };
    } catch (TimeoutException e) {
      link.send(new Frame(FrameType.CANCEL, id, new byte[0]));
      throw new CommTimeoutException(
          StoreContract.call(operation, key)
              + " timed out after "
              + StoreContract.seconds(deadline.elapsed())
              + ": the job's store at "
              + where
              + " did not answer. Look whether the process that hosts it is stopped or overloaded",
          null);
    } catch (InterruptedException e) {
      Frame frame = cancelled(id, answer);
      CommException interrupted = StoreContract.interrupted(StoreContract.call(operation, key));
      if (frame == null || frame.type() != FrameType.DONE) {
        throw interrupted;
      }
      return frame;
    } catch (ExecutionException e) {
      throw StoreContract.rethrown(StoreContract.call(operation, key), e.getCause());
    } finally {
      pending.remove(id);
    }
  }

  /**
   * Takes a call back, and waits until the server has: until then, others may get an answer with
   * this rank's part in it. Returns the answer if it came all the same.
   */
  private @Nullable Frame cancelled(long id, CompletableFuture<Frame> answer) {
    link.send(new Frame(FrameType.CANCEL, id, new byte[0]));
    Deadline deadline = Deadline.after(Duration.ofNanos(GRACE_NANOS));
    while (true) {
      try {
        return answer.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        // It is interrupted already; this wait is short.
      } catch (ExecutionException | TimeoutException e) {
        return null;
      }
    }
  }

  private void read() {
    CommException cause;
    try {
      while (true) {
        Frame frame = link.read(MAX_ANSWER_BYTES);
        if (frame.type() == FrameType.GOODBYE) {
          cause = StoreContract.closed();
          break;
        } else if (frame.type() == FrameType.HOST_LEFT) {
          cause = lost("left in good order before this rank had finished with it");
          break;
        }
        CompletableFuture<Frame> caller = pending.remove(frame.id());
        if (caller != null) {
          caller.complete(frame);
        }
      }
    } catch (EOFException e) {
      cause = lost("died: the connection ended without a goodbye");
    } catch (IOException e) {
      cause = lost("died, or the connection broke: " + e.getMessage());
    }
    fail(closed ? StoreContract.closed() : cause);
    link.close();
  }

  private void fail(CommException cause) {
    synchronized (this) {
      if (end == null) {
        end = cause;
      }
    }
    for (CompletableFuture<Frame> caller : pending.values()) {
      caller.completeExceptionally(cause);
    }
  }

  private CommException lost(String what) {
    if (hostRank < 0) {
      return new CommAbortedException(
          "the job's launcher, which hosts the store at " + where + ", " + what, null);
    }
    return new PeerFailedException(
        hostRank,
        "rank " + hostRank + ", which hosts the job's store at " + where + ", " + what,
        null);
  }

  private static RuntimeException failure(String call, Frame frame) {
    return decoded(
        frame,
        body -> {
          int rank = body.int32();
          String text = body.text();
          return rank < 0
              ? new IllegalStateException(text)
              : new PeerFailedException(rank, call + ": " + text, null);
        });
  }

  private static BodyWriter body(String key) {
    return body(key, new byte[0]);
  }

  private static BodyWriter body(String key, byte[] value) {
    return new BodyWriter(key.length() * 3 + value.length + 64).text(key);
  }

  private static <T> T decoded(Frame frame, Decoder<T> decoder) {
    try {
      return decoder.decode(new BodyReader(frame.body()));
    } catch (ProtocolException e) {
      throw new IllegalStateException("The job's store sent an answer that cannot be read", e);
    }
  }

  private static byte[] rest(BodyReader body) throws ProtocolException {
    return body.bytes();
  }

  private static List<byte[]> values(BodyReader body) throws ProtocolException {
    int count = body.int32();
    List<byte[]> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      values.add(body.bytes());
    }
    return List.copyOf(values);
  }

  private static String text(Frame frame) {
    return new String(frame.body(), StandardCharsets.UTF_8);
  }
}
