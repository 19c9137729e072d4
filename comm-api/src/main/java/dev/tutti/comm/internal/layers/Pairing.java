package dev.tutti.comm.internal.layers;

import dev.tutti.comm.CollectiveMismatchException;
import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.Store;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Operation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Whether the two ends of every message agree on it. Only they talk: each puts its own call into
 * the group's store, and takes the other's out. All of a batch's calls are there before the first
 * is awaited, so that no order of them can block.
 *
 * <p><b>Threading.</b> One call at a time, which blocks.
 */
final class Pairing {
  /** One end of a message, with its keys in the store. */
  private record End(
      boolean out, int peer, long number, CommBuffer buffer, String mine, String theirs) {}

  private final BackendProvider.Context group;
  private final Store store;
  // Messages so far, to and from each rank.
  private final long[] sent;
  private final long[] received;

  Pairing(BackendProvider.Context group) {
    this.group = group;
    this.store = group.store().scoped("messages");
    this.sent = new long[group.size()];
    this.received = new long[group.size()];
  }

  /**
   * Agrees with the peers on all messages of a call, however long it takes: its deadline is
   * another's business.
   *
   * @param timeout the operation's own
   * @param awaited told who has not called
   * @throws CollectiveMismatchException if a peer's message is another
   */
  void agree(Operation operation, long sequence, Duration timeout, Consumer<String> awaited) {
    List<End> ends = ends(operation);
    List<End> unsettled = new ArrayList<>(ends);
    boolean agreed = false;
    try {
      for (End end : ends) {
        store.set(end.mine, told(end, operation, sequence).getBytes(StandardCharsets.UTF_8));
      }
      for (End end : ends) {
        awaited.accept("rank %d to call %s".formatted(end.peer, end.out ? "recv" : "send"));
        String theirs = new String(taken(end.theirs, timeout), StandardCharsets.UTF_8);
        unsettled.remove(end);
        compare(end, told(end, operation, sequence), theirs);
      }
      agreed = true;
    } finally {
      if (!agreed) {
        withdraw(unsettled);
      }
    }
  }

  private List<End> ends(Operation operation) {
    List<End> ends = new ArrayList<>();
    switch (operation) {
      case Operation.Send o -> ends.add(out(o.buffer(), o.peer()));
      case Operation.Recv o -> ends.add(in(o.buffer(), o.peer()));
      case Operation.SendRecv o -> {
        ends.add(out(o.send(), o.destination()));
        ends.add(in(o.recv(), o.source()));
      }
      case Operation.Batch o -> o.transfers().forEach(transfer -> ends.addAll(ends(transfer)));
      default -> throw new IllegalArgumentException(operation.describe() + " is no message");
    }
    return ends;
  }

  private End out(CommBuffer buffer, int peer) {
    long number = sent[peer]++;
    String key = "%d-%d/%d/".formatted(group.rank(), peer, number);
    return new End(true, peer, number, buffer, key + "send", key + "recv");
  }

  private End in(CommBuffer buffer, int peer) {
    long number = received[peer]++;
    String key = "%d-%d/%d/".formatted(peer, group.rank(), number);
    return new End(false, peer, number, buffer, key + "recv", key + "send");
  }

  /** The message, which must be the same at both ends, and the call that it belongs to. */
  private static String told(End end, Operation operation, long sequence) {
    String within =
        operation instanceof Operation.Batch
            ? " with %s(%d %s)"
                .formatted(end.out ? "send" : "recv", end.buffer.count(), end.buffer.type())
            : "";
    return "%d %s\n#%d %s%s"
        .formatted(end.buffer.count(), end.buffer.type(), sequence, operation.describe(), within);
  }

  private byte[] taken(String key, Duration timeout) {
    while (true) {
      try {
        byte[] value = store.get(key, timeout);
        store.delete(key);
        return value;
      } catch (CommTimeoutException e) {
        // Looked for again until the operation's own time is over.
      }
    }
  }

  private void compare(End end, String mine, String theirs) {
    String[] here = mine.split("\n", 2);
    String[] there = theirs.split("\n", 2);
    if (!here[0].equals(there[0])) {
      throw new CollectiveMismatchException(
          "the two ends of message #%d from rank %d to rank %d differ: rank %d called %s; rank %d called %s; both must name the same type and count"
              .formatted(
                  end.number,
                  end.out ? group.rank() : end.peer,
                  end.out ? end.peer : group.rank(),
                  group.rank(),
                  here[1],
                  end.peer,
                  there[1]),
          null);
    }
  }

  /**
   * Leaves nothing behind of messages that came to nothing: neither this rank's word nor one that
   * it will not take any more. Its own go first: a peer that has put its word there by then, and
   * been answered, finds that answer gone only after this rank has taken that word away.
   */
  private void withdraw(List<End> ends) {
    boolean interrupted = Thread.interrupted();
    try {
      ends.forEach(end -> store.delete(end.mine));
      ends.forEach(end -> store.delete(end.theirs));
    } catch (CommException e) {
      // The store is gone, and its keys with it.
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
