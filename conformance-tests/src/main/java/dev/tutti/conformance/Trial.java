package dev.tutti.conformance;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommException;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One rank's part in a case: its buffers, the call, and the look at every byte afterwards. Used by
 * one thread: {@link #issue}, {@link #join}, {@link #verify}, in this order.
 */
final class Trial {
  private final Case spec;
  private final ProcessGroup group;
  private final int rank;
  private final int size;
  private final Inputs inputs;
  private final Layout layout;
  private final List<Region> sent = new ArrayList<>();
  private final List<Region> received = new ArrayList<>();
  private final List<Work> works = new ArrayList<>();

  Trial(Case spec, ProcessGroup group, long seed) {
    this.spec = spec;
    this.group = group;
    this.rank = group.rank();
    this.size = group.size();
    this.inputs = new Inputs(seed, spec, size);
    this.layout = new Layout(spec, size);
  }

  /**
   * Prepares the buffers and makes the call.
   *
   * @throws UnsupportedOperationException if the backend does not do this
   */
  void issue() {
    switch (spec.operation()) {
      case ALL_REDUCE -> reduce(true);
      case REDUCE -> reduce(rank == spec.root());
      case BROADCAST -> broadcast();
      case ALL_GATHER, ALL_GATHER_V -> gather(true);
      case GATHER, GATHER_V -> gather(rank == spec.root());
      case REDUCE_SCATTER, REDUCE_SCATTER_V -> reduceScatter();
      case SCATTER, SCATTER_V -> scatter();
      case ALL_TO_ALL, ALL_TO_ALL_V -> allToAll();
      case SEND -> chain();
      case SEND_RECV -> shift();
      case BATCH -> batch();
      case BARRIER -> works.add(group.barrier());
    }
  }

  /**
   * Waits for the operation.
   *
   * @return whether it ended in time
   * @throws CommException if it failed
   */
  boolean join(Duration limit) {
    for (Work work : works) {
      if (!work.join(limit)) {
        return false;
      }
    }
    return true;
  }

  /** Waits for the operation, and leaves it to {@link #join} to tell how it ended. */
  void await(Duration limit) {
    try {
      boolean _ = join(limit);
    } catch (CommException e) {
      // It is the first operation's failure that counts.
    }
  }

  /** Returns whether the operation has ended, well or not. */
  boolean isDone() {
    return works.stream().allMatch(Work::isDone);
  }

  /** Returns what is wrong with any byte of any buffer, or null if nothing is. */
  @Nullable String verify() {
    String wrong = null;
    for (Region region : sent) {
      wrong = wrong == null ? region.verify() : wrong;
      // The operation is complete here: whoever still reads this gets nonsense.
      region.spoil();
    }
    for (Region region : received) {
      wrong = wrong == null ? region.verify() : wrong;
    }
    return wrong;
  }

  /**
   * Fails if anything is wrong with any byte of any buffer.
   *
   * @param where for the message
   */
  void check(String where) {
    String wrong = verify();
    if (wrong != null) {
      throw new AssertionError("%s, %s: %s".formatted(where, spec, wrong));
    }
  }

  /** Returns the results of this rank as one number. */
  long digest() {
    long digest = Digest.EMPTY;
    for (Region region : received) {
      digest = region.digest(digest, spec.op() != null);
    }
    return digest;
  }

  private void reduce(boolean getsResult) {
    long count = spec.count();
    boolean inPlace = spec.inPlace() && getsResult;
    CommBuffer send = inPlace ? null : sending("send", count).buffer();
    CommBuffer recv = null;
    if (getsResult) {
      Region region = inPlace ? region("buffer", count) : target("recv", count);
      region.expect(0, count, reduced(0));
      recv = received(region).buffer();
    } else if (spec.variant() % 2 == 0) {
      recv = received(target("recv (of another rank than root)", count)).buffer();
    }
    CommBuffer first = send == null ? Objects.requireNonNull(recv) : send;
    works.add(
        spec.operation() == OperationKind.REDUCE
            ? group.reduce(first, recv, op(), spec.root())
            : group.allReduce(first, Objects.requireNonNull(recv), op()));
  }

  private void broadcast() {
    Region region;
    if (rank == spec.root()) {
      region = region("buffer (of the root)", spec.count());
    } else {
      region = target("buffer", spec.count());
      region.expect(0, spec.count(), (i, bits) -> moved(spec.root(), i, bits));
    }
    works.add(group.broadcast(received(region).buffer(), spec.root()));
  }

  private void gather(boolean getsResult) {
    long own = layout.block(rank);
    long at = layout.offset(rank);
    long total = layout.total();
    CommBuffer recv = null;
    CommBuffer send = null;
    if (getsResult && spec.inPlace()) {
      Region region =
          new Region(
              "recv",
              spec.memory(),
              spec.type(),
              total,
              i -> i >= at && i < at + own ? inputs.bits(rank, i - at) : filler(i));
      region.expect(0, total, this::gathered);
      recv = received(region).buffer();
      send = region.buffer(at, own);
    } else if (getsResult) {
      Region region = target("recv", total);
      region.expect(0, total, this::gathered);
      recv = received(region).buffer();
    } else if (spec.variant() % 2 == 0) {
      recv = received(target("recv (of another rank than root)", total)).buffer();
    }
    long @Nullable [] blocks = recv == null ? null : layout.blocks();
    CommBuffer given = send == null ? sending("send", own).buffer() : send;
    works.add(
        switch (spec.operation()) {
          case ALL_GATHER -> group.allGather(given, Objects.requireNonNull(recv));
          case ALL_GATHER_V ->
              group.allGatherV(given, Objects.requireNonNull(recv), layout.blocks());
          case GATHER -> group.gather(given, recv, spec.root());
          default -> group.gatherV(given, recv, spec.root(), blocks);
        });
  }

  private void reduceScatter() {
    long own = layout.block(rank);
    long at = layout.offset(rank);
    CommBuffer send;
    CommBuffer recv;
    if (spec.inPlace()) {
      Region region = region("send", layout.total());
      region.expect(at, own, reduced(at));
      send = received(region).buffer();
      recv = region.buffer(at, own);
    } else {
      send = sending("send", layout.total()).buffer();
      Region region = target("recv", own);
      region.expect(0, own, reduced(at));
      recv = received(region).buffer();
    }
    works.add(
        spec.operation() == OperationKind.REDUCE_SCATTER
            ? group.reduceScatter(send, recv, op())
            : group.reduceScatterV(send, recv, op(), layout.blocks()));
  }

  private void scatter() {
    long own = layout.block(rank);
    long at = layout.offset(rank);
    boolean root = rank == spec.root();
    CommBuffer send = null;
    CommBuffer recv;
    if (root && spec.inPlace()) {
      Region region = region("send", layout.total());
      region.expect(at, own, (i, bits) -> moved(rank, at + i, bits));
      send = received(region).buffer();
      recv = region.buffer(at, own);
    } else {
      send = root ? sending("send", layout.total()).buffer() : null;
      Region region = target("recv", own);
      region.expect(0, own, (i, bits) -> moved(spec.root(), at + i, bits));
      recv = received(region).buffer();
    }
    long @Nullable [] blocks = root ? layout.blocks() : null;
    works.add(
        spec.operation() == OperationKind.SCATTER
            ? group.scatter(send, recv, spec.root())
            : group.scatterV(send, recv, spec.root(), blocks));
  }

  private void allToAll() {
    CommBuffer send = sending("send", layout.offsetAtSender(rank, size)).buffer();
    long total = layout.offsetAtReceiver(size, rank);
    Region region = target("recv", total);
    region.expect(0, total, this::exchanged);
    CommBuffer recv = received(region).buffer();
    works.add(
        spec.operation() == OperationKind.ALL_TO_ALL
            ? group.allToAll(send, recv)
            : group.allToAllV(send, layout.sentBy(rank), recv, layout.receivedBy(rank)));
  }

  /** Each rank receives from the one before it, then sends to the one behind it. */
  private void chain() {
    if (rank > 0) {
      Region region = target("the buffer of recv", layout.block(rank - 1));
      region.expect(0, layout.block(rank - 1), (i, bits) -> moved(rank - 1, i, bits));
      works.add(group.recv(received(region).buffer(), rank - 1));
    }
    if (rank < size - 1) {
      works.add(group.send(sending("the buffer of send", layout.block(rank)).buffer(), rank + 1));
    }
  }

  private void shift() {
    int distance = spec.variant() % size;
    int destination = (rank + distance) % size;
    int source = (rank - distance + size) % size;
    Region region = target("recv", layout.block(source));
    region.expect(0, layout.block(source), (i, bits) -> moved(source, i, bits));
    works.add(
        group.sendRecv(
            sending("send", layout.block(rank)).buffer(),
            destination,
            received(region).buffer(),
            source));
  }

  /** From every rank to every rank, in two messages, the second of which is short. */
  private void batch() {
    Region send = sending("the buffers of send", layout.offsetAtSender(rank, size));
    long total = layout.offsetAtReceiver(size, rank);
    Region recv = target("the buffers of recv", total);
    recv.expect(0, total, this::exchanged);
    received(recv);
    works.add(
        group.batch(
            b -> {
              for (int step = 0; step < size; step++) {
                int to = (rank + step) % size;
                int from = (rank - step + size) % size;
                long out = layout.between(rank, to);
                long in = layout.between(from, rank);
                long outAt = layout.offsetAtSender(rank, to);
                long inAt = layout.offsetAtReceiver(from, rank);
                b.send(send.buffer(outAt, out - out / 3), to);
                b.recv(recv.buffer(inAt, in - in / 3), from);
                b.send(send.buffer(outAt + out - out / 3, out / 3), to);
                b.recv(recv.buffer(inAt + in - in / 3, in / 3), from);
              }
            }));
  }

  private ReduceOp op() {
    return Objects.requireNonNull(spec.op());
  }

  /** Memory that holds this rank's elements. */
  private Region region(String name, long count) {
    return new Region(name, spec.memory(), spec.type(), count, i -> inputs.bits(rank, i));
  }

  private Region sending(String name, long count) {
    Region region = region(name, count);
    sent.add(region);
    return region;
  }

  /** Memory that holds nothing of use. */
  private Region target(String name, long count) {
    return new Region(name, spec.memory(), spec.type(), count, this::filler);
  }

  private long filler(long index) {
    return ScalarModel.wrap(spec.type(), 0xDEADBEEF_CAFEF00DL + index);
  }

  private Region received(Region region) {
    received.add(region);
    return region;
  }

  private Region.Judge reduced(long from) {
    return (index, bits) -> {
      long[] contributions = new long[size];
      for (int r = 0; r < size; r++) {
        contributions[r] = inputs.bits(r, from + index);
      }
      if (!spec.values().isExact()) {
        return ErrorBound.violation(spec.type(), op(), contributions, bits);
      }
      long expected =
          spec.values() == Values.RANKED
              ? ScalarModel.reduceInRankOrder(spec.type(), op(), contributions)
              : ScalarModel.reduce(spec.type(), op(), contributions);
      if (ScalarModel.canonical(spec.type(), bits)
          == ScalarModel.canonical(spec.type(), expected)) {
        return null;
      }
      List<String> terms = new ArrayList<>();
      for (long contribution : contributions) {
        terms.add(ScalarModel.text(spec.type(), contribution));
      }
      return "but %s of %s is %s".formatted(op(), terms, ScalarModel.text(spec.type(), expected));
    };
  }

  private @Nullable String gathered(long index, long bits) {
    int source = 0;
    while (index >= layout.offset(source + 1)) {
      source++;
    }
    return moved(source, index - layout.offset(source), bits);
  }

  private @Nullable String exchanged(long index, long bits) {
    int source = 0;
    while (index >= layout.offsetAtReceiver(source + 1, rank)) {
      source++;
    }
    long within = index - layout.offsetAtReceiver(source, rank);
    return moved(source, layout.offsetAtSender(source, rank) + within, bits);
  }

  private @Nullable String moved(int source, long index, long bits) {
    long expected = inputs.bits(source, index);
    return bits == expected
        ? null
        : "but element %d of rank %d is %s"
            .formatted(index, source, ScalarModel.text(spec.type(), expected));
  }
}
