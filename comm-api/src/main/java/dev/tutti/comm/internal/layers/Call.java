package dev.tutti.comm.internal.layers;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.Operation.Counts;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a rank tells the others of its call of a collective, before any data moves.
 *
 * @param sequence the operation's number on that rank; -1 if it has none
 * @param text the call for people
 * @param agreed what must be the same on all ranks
 * @param out the elements that go to each rank, where they need not be the same for all; else empty
 * @param in the elements that come from each rank, likewise
 */
record Call(long sequence, String text, String agreed, Counts out, Counts in) {
  private static final Counts NONE = Counts.of();

  /** Returns a call that needs nothing but to be made by all. */
  static Call named(String name) {
    return new Call(-1, name, name, NONE, NONE);
  }

  /** Returns the call of a collective as one rank of a group makes it. */
  static Call of(Operation operation, long sequence, int rank, int size) {
    return switch (operation) {
      case Operation.AllGatherV o -> uneven(sequence, o, o.counts(), o.send());
      case Operation.ReduceScatterV o -> uneven(sequence, o, o.counts(), o.recv());
      case Operation.GatherV o ->
          new Call(
              sequence,
              rooted(o, o.counts(), o.send()),
              "gatherV(%s, root %d)".formatted(o.send().type(), o.root()),
              only(o.root(), o.send().count(), size),
              rank == o.root() ? orNone(o.counts(), size) : Counts.of(new long[size]));
      case Operation.ScatterV o ->
          new Call(
              sequence,
              rooted(o, o.counts(), o.recv()),
              "scatterV(%s, root %d)".formatted(o.recv().type(), o.root()),
              rank == o.root() ? orNone(o.counts(), size) : Counts.of(new long[size]),
              only(o.root(), o.recv().count(), size));
      case Operation.AllToAllV o ->
          new Call(
              sequence,
              "allToAllV(send counts %s, receive counts %s, %s)"
                  .formatted(o.sendCounts(), o.recvCounts(), o.send().type()),
              "allToAllV(%s)".formatted(o.send().type()),
              o.sendCounts(),
              o.recvCounts());
      default -> new Call(sequence, operation.describe(), operation.describe(), NONE, NONE);
    };
  }

  private static Call uneven(long sequence, Operation operation, Counts counts, CommBuffer block) {
    String op = operation.reduceOp() == null ? "" : ", " + operation.reduceOp();
    String text = "%s(counts %s, %s%s)".formatted(operation.name(), counts, block.type(), op);
    return new Call(sequence, text, text, NONE, NONE);
  }

  private static String rooted(Operation operation, @Nullable Counts counts, CommBuffer block) {
    String what = counts == null ? String.valueOf(block.count()) : "counts " + counts + ",";
    return "%s(%s %s, root %d)"
        .formatted(operation.name(), what, block.type(), operation.rootRank());
  }

  private static Counts only(int rank, long count, int size) {
    long[] counts = new long[size];
    counts[rank] = count;
    return Counts.of(counts);
  }

  private static Counts orNone(@Nullable Counts counts, int size) {
    return counts == null ? Counts.of(new long[size]) : counts;
  }

  byte[] encoded() {
    return String.join("\n", "" + sequence, text, agreed, line(out), line(in))
        .getBytes(StandardCharsets.UTF_8);
  }

  static Call decoded(byte[] bytes) {
    String[] lines = new String(bytes, StandardCharsets.UTF_8).split("\n", -1);
    return new Call(
        Long.parseLong(lines[0]), lines[1], lines[2], counts(lines[3]), counts(lines[4]));
  }

  private static String line(Counts counts) {
    StringBuilder line = new StringBuilder();
    for (int r = 0; r < counts.size(); r++) {
      line.append(r == 0 ? "" : " ").append(counts.count(r));
    }
    return line.toString();
  }

  private static Counts counts(String line) {
    return line.isEmpty()
        ? NONE
        : Counts.of(Arrays.stream(line.split(" ", -1)).mapToLong(Long::parseLong).toArray());
  }
}
