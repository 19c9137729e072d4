package dev.tutti.tcp.schedule;

import java.util.Objects;

/**
 * One transfer of a {@link OperationKind#BATCH}; the i-th of the list uses buffer {@code
 * Schedule.TRANSFER + i} from offset 0.
 *
 * @param direction whether this rank sends or receives
 * @param peer the other rank, in {@code [0, size)}; may be this rank itself
 * @param count elements, of the request's element size
 */
public record Transfer(Direction direction, int peer, long count) {

  /** Which way a transfer goes, seen from this rank. */
  public enum Direction {
    /** From this rank to the peer. */
    SEND,
    /** From the peer to this rank. */
    RECV
  }

  /** Checks the count; the peer is checked against the size by {@link Request}. */
  public Transfer {
    Objects.requireNonNull(direction, "direction");
    if (count < 0) {
      throw new IllegalArgumentException("a transfer's count must not be negative: " + count);
    }
  }

  /** Returns a transfer of {@code count} elements to {@code peer}. */
  public static Transfer send(int peer, long count) {
    return new Transfer(Direction.SEND, peer, count);
  }

  /** Returns a transfer of {@code count} elements from {@code peer}. */
  public static Transfer recv(int peer, long count) {
    return new Transfer(Direction.RECV, peer, count);
  }
}
