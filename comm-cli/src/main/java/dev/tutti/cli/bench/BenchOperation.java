package dev.tutti.cli.bench;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.internal.config.Nearest;
import dev.tutti.comm.internal.config.Quoted;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * An operation as it is measured. Sizes and bandwidths are those of nccl-tests: the size is that of
 * the larger buffer, the count that of one block, algbw = size / time, busbw = algbw × a factor
 * that makes it comparable with what a link can carry, whatever the number of ranks.
 *
 * @see <a href="https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md">nccl-tests,
 *     performance reported</a>
 */
public enum BenchOperation {
  /** Every rank's buffer, reduced, on every rank. */
  ALL_REDUCE("allReduce", Traits.REDUCES, Traits.IN_PLACE),
  /** Every rank's buffer, reduced, a block on each rank. */
  REDUCE_SCATTER("reduceScatter", Traits.REDUCES, Traits.BLOCKS, Traits.IN_PLACE),
  /** Every rank's block on every rank. */
  ALL_GATHER("allGather", Traits.BLOCKS, Traits.IN_PLACE),
  /** The root's buffer on every rank; always in place. */
  BROADCAST("broadcast", Traits.ROOTED, Traits.IN_PLACE, Traits.ONLY_IN_PLACE),
  /** Every rank's buffer, reduced, on the root. */
  REDUCE("reduce", Traits.REDUCES, Traits.ROOTED, Traits.IN_PLACE),
  /** Every rank's block on the root. */
  GATHER("gather", Traits.BLOCKS, Traits.ROOTED, Traits.IN_PLACE),
  /** A block of the root's buffer on every rank. */
  SCATTER("scatter", Traits.BLOCKS, Traits.ROOTED, Traits.IN_PLACE),
  /** A block from every rank on every rank; never in place. */
  ALL_TO_ALL("allToAll", Traits.BLOCKS),
  /** Every rank sends to the next while it receives from the one before; never in place. */
  SEND_RECV("sendRecv"),
  /** Rank 0 sends to rank 1 and back; half of the round trip is the time. Never in place. */
  PING_PONG("pingPong", Traits.PAIR),
  /** All ranks meet; no data. */
  BARRIER("barrier", Traits.EMPTY);

  private enum Traits {
    REDUCES,
    ROOTED,
    BLOCKS,
    IN_PLACE,
    ONLY_IN_PLACE,
    PAIR,
    EMPTY
  }

  private final String label;

  @SuppressWarnings("ImmutableEnumChecker") // Set.of makes it so
  private final Set<Traits> traits;

  BenchOperation(String label, Traits... traits) {
    this.label = label;
    this.traits = Set.of(traits);
  }

  /** Returns the operation's name as users call it. */
  public String label() {
    return label;
  }

  /** Returns the names of all operations, in the order in which they are measured. */
  public static List<String> labels() {
    return Arrays.stream(values()).map(BenchOperation::label).toList();
  }

  /**
   * Reads operations.
   *
   * @param text names separated by commas, or {@code all}
   * @throws ConfigException if a name is unknown
   */
  public static List<BenchOperation> parse(String text) {
    if (text.strip().equals("all")) {
      return List.of(values());
    }
    Set<BenchOperation> operations = new LinkedHashSet<>();
    for (String item : text.split(",", -1)) {
      operations.add(named(item.strip()));
    }
    return List.copyOf(operations);
  }

  /**
   * Returns all operations but allReduce that so many ranks can carry out.
   *
   * @param ranks how many ranks there are
   */
  public static List<BenchOperation> others(int ranks) {
    return Arrays.stream(values())
        .filter(operation -> operation != ALL_REDUCE)
        .filter(operation -> ranks > 1 || !operation.isForAPair())
        .toList();
  }

  private static BenchOperation named(String name) {
    for (BenchOperation operation : values()) {
      if (operation.label.equalsIgnoreCase(name)) {
        return operation;
      }
    }
    List<String> known = new ArrayList<>(labels());
    known.add("all");
    throw new ConfigException(
        "unknown operation " + Quoted.quote(name) + ". " + Nearest.hint(name, known));
  }

  /** Returns whether elements are combined. */
  boolean reduces() {
    return traits.contains(Traits.REDUCES);
  }

  /** Returns whether one rank is the root. */
  boolean isRooted() {
    return traits.contains(Traits.ROOTED);
  }

  /** Returns whether no data moves. */
  boolean isEmpty() {
    return traits.contains(Traits.EMPTY);
  }

  /** Returns whether only ranks 0 and 1 take part. */
  boolean isForAPair() {
    return traits.contains(Traits.PAIR);
  }

  /** Returns in which places the operation can be carried out. */
  List<Place> places() {
    if (traits.contains(Traits.ONLY_IN_PLACE)) {
      return List.of(Place.IN_PLACE);
    }
    return traits.contains(Traits.IN_PLACE)
        ? List.of(Place.OUT_OF_PLACE, Place.IN_PLACE)
        : List.of(Place.OUT_OF_PLACE);
  }

  /**
   * Returns the count of one block for a size: at least one element, unless the size is 0.
   *
   * @param bytes the size asked for
   * @param type the elements' type
   * @param ranks how many ranks there are
   */
  public long count(long bytes, DataType type, int ranks) {
    if (isEmpty() || bytes == 0) {
      return 0;
    }
    return Math.max(1, bytes / type.byteSize() / blocks(ranks));
  }

  /** Returns the size of the larger buffer in bytes for a count. */
  public long bytes(long count, DataType type, int ranks) {
    return count * blocks(ranks) * type.byteSize();
  }

  /** Returns how many blocks the larger buffer has. */
  private int blocks(int ranks) {
    return traits.contains(Traits.BLOCKS) ? ranks : 1;
  }

  /** Returns what algbw is multiplied with for busbw. */
  public double busFactor(int ranks) {
    return switch (this) {
      case ALL_REDUCE -> 2.0 * (ranks - 1) / ranks;
      case REDUCE_SCATTER, ALL_GATHER, ALL_TO_ALL, GATHER, SCATTER -> (ranks - 1.0) / ranks;
      case BROADCAST, REDUCE, SEND_RECV, PING_PONG, BARRIER -> 1;
    };
  }

  /** Returns how many times the measured span holds the time that is reported. */
  int spans() {
    return isForAPair() ? 2 : 1;
  }
}
