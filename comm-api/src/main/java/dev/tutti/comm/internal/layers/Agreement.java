package dev.tutti.comm.internal.layers;

import dev.tutti.comm.CollectiveMismatchException;
import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.internal.store.ExchangeTimeout;
import dev.tutti.comm.spi.BackendProvider;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Whether all ranks of a group make the same collective call: one exchange over the group's store a
 * call, always with the same key, so that whatever a rank calls next meets what the others do.
 *
 * <p><b>Threading.</b> One call at a time, which blocks.
 */
public final class Agreement {
  private static final String KEY = "calls";
  private static final byte[] NOTHING = {};

  /** How long before an operation's deadline its timeout must know who is missing. */
  private static final Duration MARGIN = Duration.ofSeconds(2);

  private final BackendProvider.Context group;
  private volatile String last = "";

  Agreement(BackendProvider.Context group) {
    this.group = group;
  }

  /**
   * Agrees with all ranks that the group is split, and gives every rank what all have to say.
   *
   * @param mine this rank's bytes
   * @return all ranks' bytes in rank order
   * @throws CollectiveMismatchException if some rank calls something else
   * @throws CommTimeoutException if some rank calls nothing
   */
  public List<byte[]> split(byte[] mine, Duration timeout) {
    return exchange(Call.named("split"), mine, timeout);
  }

  /**
   * Agrees with all ranks on a call, however long it takes: its deadline is another's business.
   *
   * @param timeout the operation's own
   * @param awaited told who has not called, before the timeout is over
   * @throws CollectiveMismatchException if some rank calls something else
   */
  void agree(Call mine, Duration timeout, Consumer<String> awaited) {
    awaited.accept("all ranks to make the same call");
    Duration quarter = timeout.dividedBy(4);
    Duration margin = quarter.compareTo(MARGIN) < 0 ? quarter : MARGIN;
    Duration wait = timeout.minus(margin);
    while (true) {
      try {
        exchange(mine, NOTHING, wait);
        return;
      } catch (CommTimeoutException e) {
        String missing = ExchangeTimeout.missing(e);
        if (missing == null) {
          // The store's own trouble: others may have their answer.
          throw e;
        }
        awaited.accept(missing + " to call" + lastCall());
        wait = margin.dividedBy(2);
      }
    }
  }

  private String lastCall() {
    return last.isEmpty() ? " anything" : ", since the last call of all ranks, " + last;
  }

  /**
   * Waits a moment for the others to close the group too, so that a rank that calls something
   * instead is told.
   */
  void close(Duration timeout) {
    try {
      exchange(Call.named("close"), NOTHING, timeout);
    } catch (CommException e) {
      // Whoever does not close, or called something else, finds out for itself.
    }
  }

  private List<byte[]> exchange(Call mine, byte[] payload, Duration timeout) {
    byte[] head = mine.encoded();
    byte[] value =
        ByteBuffer.allocate(Integer.BYTES + head.length + payload.length)
            .putInt(head.length)
            .put(head)
            .put(payload)
            .array();
    List<Call> calls = new ArrayList<>();
    List<byte[]> payloads = new ArrayList<>();
    for (byte[] theirs : round(group, KEY, value, timeout)) {
      ByteBuffer rest = ByteBuffer.wrap(theirs);
      byte[] call = new byte[rest.getInt()];
      rest.get(call);
      calls.add(Call.decoded(call));
      byte[] said = new byte[rest.remaining()];
      rest.get(said);
      payloads.add(said);
    }
    String wrong = Disagreement.of(calls);
    if (wrong != null) {
      throw new CollectiveMismatchException(wrong, null);
    }
    last = mine.sequence() < 0 ? mine.text() : "%s #%d".formatted(mine.text(), mine.sequence());
    return payloads;
  }

  /**
   * Gives every rank of a group what all have to say, and names ranks by their number in the group:
   * the store knows them by their number in the job.
   *
   * @param group the group as this rank sees it
   * @param key the key of the exchange
   * @param mine this rank's bytes
   * @return all ranks' bytes in rank order
   */
  public static List<byte[]> round(
      BackendProvider.Context group, String key, byte[] mine, Duration timeout) {
    try {
      return group.store().exchange(key, group.rank(), group.size(), mine, timeout);
    } catch (PeerFailedException e) {
      int rank = group.worldRanks().indexOf(e.rank());
      throw rank < 0
          ? new CommAbortedException(e.getMessage(), e)
          : new PeerFailedException(rank, e.getMessage(), e);
    }
  }
}
