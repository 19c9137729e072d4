package dev.tutti.comm.internal;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.Operation.Counts;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks the arguments of every operation, once, in front of all backends, and makes the call a
 * record. What it refuses has had no effect: the group stays usable, and the text is the same on
 * every backend.
 */
public final class Arguments {
  /** A thread that is not the caller's: a segment that it may not reach is confined. */
  private static final Thread ANOTHER = Thread.ofPlatform().unstarted(() -> {});

  private final int rank;
  private final int size;

  /** Creates the checks of one rank's membership. */
  public Arguments(int rank, int size) {
    this.rank = rank;
    this.size = size;
  }

  /** Checks {@link Operation.AllReduce}. */
  public Operation allReduce(
      @Nullable CommBuffer send, @Nullable CommBuffer recv, @Nullable ReduceOp op) {
    Call call = new Call("allReduce");
    CommBuffer s = call.readable("send", send);
    CommBuffer r = call.writable("recv", recv);
    ReduceOp o = call.reducible(op, s);
    call.alike(s, r);
    call.count("recv", r, s.count(), "send.count()");
    call.apart(s, r, s.isSameMemory(r), "send and recv are the same memory");
    return new Operation.AllReduce(s, r, o);
  }

  /** Checks {@link Operation.Reduce}. */
  public Operation reduce(
      @Nullable CommBuffer send, @Nullable CommBuffer recv, @Nullable ReduceOp op, int root) {
    Call call = new Call("reduce");
    CommBuffer s = call.readable("send", send);
    ReduceOp o = call.reducible(op, s);
    call.inGroup("root", root);
    if (rank != root) {
      return new Operation.Reduce(s, null, o, root);
    }
    CommBuffer r = call.writable("recv", recv);
    call.alike(s, r);
    call.count("recv", r, s.count(), "send.count()");
    call.apart(s, r, s.isSameMemory(r), "send and recv are the same memory");
    return new Operation.Reduce(s, r, o, root);
  }

  /** Checks {@link Operation.Broadcast}. */
  public Operation broadcast(@Nullable CommBuffer buffer, int root) {
    Call call = new Call("broadcast");
    call.inGroup("root", root);
    CommBuffer b = rank == root ? call.readable("buffer", buffer) : call.writable("buffer", buffer);
    return new Operation.Broadcast(b, root);
  }

  /** Checks {@link Operation.AllGather}. */
  public Operation allGather(@Nullable CommBuffer send, @Nullable CommBuffer recv) {
    Call call = new Call("allGather");
    CommBuffer s = call.readable("send", send);
    CommBuffer r = call.writable("recv", recv);
    call.alike(s, r);
    call.count("recv", r, call.times(s.count()), "send.count() * size");
    call.ownBlock("send", s, "recv", r, rank * s.count());
    return new Operation.AllGather(s, r);
  }

  /** Checks {@link Operation.AllGatherV}. */
  public Operation allGatherV(
      @Nullable CommBuffer send, @Nullable CommBuffer recv, long @Nullable [] counts) {
    Call call = new Call("allGatherV");
    CommBuffer s = call.readable("send", send);
    CommBuffer r = call.writable("recv", recv);
    Counts c = call.counts("counts", counts);
    call.alike(s, r);
    call.count("send", s, c.count(rank), "counts[rank]");
    call.count("recv", r, c.total(), "the sum of counts");
    call.ownBlock("send", s, "recv", r, c.offset(rank));
    return new Operation.AllGatherV(s, r, c);
  }

  /** Checks {@link Operation.ReduceScatter}. */
  public Operation reduceScatter(
      @Nullable CommBuffer send, @Nullable CommBuffer recv, @Nullable ReduceOp op) {
    Call call = new Call("reduceScatter");
    CommBuffer s = call.readable("send", send);
    CommBuffer r = call.writable("recv", recv);
    ReduceOp o = call.reducible(op, s);
    call.alike(s, r);
    call.count("send", s, call.times(r.count()), "recv.count() * size");
    call.ownBlock("recv", r, "send", s, rank * r.count());
    return new Operation.ReduceScatter(s, r, o);
  }

  /** Checks {@link Operation.ReduceScatterV}. */
  public Operation reduceScatterV(
      @Nullable CommBuffer send,
      @Nullable CommBuffer recv,
      long @Nullable [] counts,
      @Nullable ReduceOp op) {
    Call call = new Call("reduceScatterV");
    CommBuffer s = call.readable("send", send);
    CommBuffer r = call.writable("recv", recv);
    Counts c = call.counts("counts", counts);
    ReduceOp o = call.reducible(op, s);
    call.alike(s, r);
    call.count("send", s, c.total(), "the sum of counts");
    call.count("recv", r, c.count(rank), "counts[rank]");
    call.ownBlock("recv", r, "send", s, c.offset(rank));
    return new Operation.ReduceScatterV(s, r, c, o);
  }

  /** Checks {@link Operation.Gather}. */
  public Operation gather(@Nullable CommBuffer send, @Nullable CommBuffer recv, int root) {
    Call call = new Call("gather");
    CommBuffer s = call.readable("send", send);
    call.inGroup("root", root);
    if (rank != root) {
      return new Operation.Gather(s, null, root);
    }
    CommBuffer r = call.writable("recv", recv);
    call.alike(s, r);
    call.count("recv", r, call.times(s.count()), "send.count() * size");
    call.ownBlock("send", s, "recv", r, rank * s.count());
    return new Operation.Gather(s, r, root);
  }

  /** Checks {@link Operation.GatherV}. */
  public Operation gatherV(
      @Nullable CommBuffer send, @Nullable CommBuffer recv, long @Nullable [] counts, int root) {
    Call call = new Call("gatherV");
    CommBuffer s = call.readable("send", send);
    call.inGroup("root", root);
    if (rank != root) {
      return new Operation.GatherV(s, null, null, root);
    }
    CommBuffer r = call.writable("recv", recv);
    Counts c = call.counts("counts", counts);
    call.alike(s, r);
    call.count("send", s, c.count(rank), "counts[root]");
    call.count("recv", r, c.total(), "the sum of counts");
    call.ownBlock("send", s, "recv", r, c.offset(rank));
    return new Operation.GatherV(s, r, c, root);
  }

  /** Checks {@link Operation.Scatter}. */
  public Operation scatter(@Nullable CommBuffer send, @Nullable CommBuffer recv, int root) {
    Call call = new Call("scatter");
    CommBuffer r = call.writable("recv", recv);
    call.inGroup("root", root);
    if (rank != root) {
      return new Operation.Scatter(null, r, root);
    }
    CommBuffer s = call.readable("send", send);
    call.alike(s, r);
    call.count("send", s, call.times(r.count()), "recv.count() * size");
    call.ownBlock("recv", r, "send", s, rank * r.count());
    return new Operation.Scatter(s, r, root);
  }

  /** Checks {@link Operation.ScatterV}. */
  public Operation scatterV(
      @Nullable CommBuffer send, @Nullable CommBuffer recv, long @Nullable [] counts, int root) {
    Call call = new Call("scatterV");
    CommBuffer r = call.writable("recv", recv);
    call.inGroup("root", root);
    if (rank != root) {
      return new Operation.ScatterV(null, r, null, root);
    }
    CommBuffer s = call.readable("send", send);
    Counts c = call.counts("counts", counts);
    call.alike(s, r);
    call.count("send", s, c.total(), "the sum of counts");
    call.count("recv", r, c.count(rank), "counts[root]");
    call.ownBlock("recv", r, "send", s, c.offset(rank));
    return new Operation.ScatterV(s, r, c, root);
  }

  /** Checks {@link Operation.AllToAll}. */
  public Operation allToAll(@Nullable CommBuffer send, @Nullable CommBuffer recv) {
    Call call = new Call("allToAll");
    CommBuffer s = call.readable("send", send);
    CommBuffer r = call.writable("recv", recv);
    call.alike(s, r);
    if (s.count() % size != 0) {
      throw call.refused(
          "send holds %d elements, which %d ranks cannot share equally; pass a multiple of size, or use allToAllV"
              .formatted(s.count(), size));
    }
    call.count("recv", r, s.count(), "send.count()");
    call.apart(s, r, false, "nothing: allToAll has no in-place form");
    return new Operation.AllToAll(s, r);
  }

  /** Checks {@link Operation.AllToAllV}. */
  public Operation allToAllV(
      @Nullable CommBuffer send,
      long @Nullable [] sendCounts,
      @Nullable CommBuffer recv,
      long @Nullable [] recvCounts) {
    Call call = new Call("allToAllV");
    CommBuffer s = call.readable("send", send);
    CommBuffer r = call.writable("recv", recv);
    Counts sc = call.counts("sendCounts", sendCounts);
    Counts rc = call.counts("recvCounts", recvCounts);
    call.alike(s, r);
    call.count("send", s, sc.total(), "the sum of sendCounts");
    call.count("recv", r, rc.total(), "the sum of recvCounts");
    if (sc.count(rank) != rc.count(rank)) {
      throw call.refused(
          "sendCounts[rank] is %d but recvCounts[rank] is %d; what a rank sends itself it also receives"
              .formatted(sc.count(rank), rc.count(rank)));
    }
    call.apart(s, r, false, "nothing: allToAllV has no in-place form");
    return new Operation.AllToAllV(s, sc, r, rc);
  }

  /** Checks {@link Operation.Send}. */
  public Operation send(@Nullable CommBuffer buffer, int peer) {
    Call call = new Call("send");
    CommBuffer b = call.readable("buffer", buffer);
    call.another(peer);
    return new Operation.Send(b, peer);
  }

  /** Checks {@link Operation.Recv}. */
  public Operation recv(@Nullable CommBuffer buffer, int peer) {
    Call call = new Call("recv");
    CommBuffer b = call.writable("buffer", buffer);
    call.another(peer);
    return new Operation.Recv(b, peer);
  }

  /** Checks {@link Operation.SendRecv}. */
  public Operation sendRecv(
      @Nullable CommBuffer send, int destination, @Nullable CommBuffer recv, int source) {
    Call call = new Call("sendRecv");
    CommBuffer s = call.readable("send", send);
    CommBuffer r = call.writable("recv", recv);
    call.inGroup("destination", destination);
    call.inGroup("source", source);
    call.oneDevice(s, r);
    call.apart(s, r, false, "nothing: sendRecv has no in-place form");
    if ((destination == rank) != (source == rank)) {
      throw call.refused(
          "destination is %d and source is %d; what a rank sends itself it must receive in the same call"
              .formatted(destination, source));
    }
    if (source == rank) {
      call.alike(s, r);
      call.count("recv", r, s.count(), "send.count(), both of this rank");
    }
    return new Operation.SendRecv(s, destination, r, source);
  }

  /** Checks {@link Operation.Batch}; each transfer is given unchecked. */
  public Operation batch(List<Operation> transfers) {
    Call call = new Call("batch");
    List<CommBuffer> written = new ArrayList<>();
    List<CommBuffer> sentToSelf = new ArrayList<>();
    List<CommBuffer> fromSelf = new ArrayList<>();
    for (Operation transfer : transfers) {
      switch (transfer) {
        case Operation.Send(CommBuffer buffer, int peer) -> {
          call.readable("buffer", buffer);
          call.inGroup("peer", peer);
          if (peer == rank) {
            sentToSelf.add(buffer);
          }
        }
        case Operation.Recv(CommBuffer buffer, int peer) -> {
          call.writable("buffer", buffer);
          call.inGroup("peer", peer);
          written.add(buffer);
          if (peer == rank) {
            fromSelf.add(buffer);
          }
        }
        default ->
            throw call.refused(transfer.name() + " is no part of a batch; only send and recv are");
      }
    }
    for (Operation transfer : transfers) {
      call.oneDevice(transfers.getFirst().buffers().getFirst(), transfer.buffers().getFirst());
    }
    checkSelfTransfers(call, sentToSelf, fromSelf);
    for (CommBuffer target : written) {
      int overlapping = 0;
      for (Operation transfer : transfers) {
        if (target.overlaps(transfer.buffers().getFirst())) {
          overlapping++;
        }
      }
      if (overlapping > 1) {
        throw call.refused(
            "a recv buffer overlaps another buffer of the batch; give each its own memory");
      }
    }
    return new Operation.Batch(transfers);
  }

  private static void checkSelfTransfers(
      Call call, List<CommBuffer> sentToSelf, List<CommBuffer> fromSelf) {
    if (sentToSelf.size() != fromSelf.size()) {
      throw call.refused(
          "%d sends to this rank itself and %d receives from itself; each needs the other in the same batch"
              .formatted(sentToSelf.size(), fromSelf.size()));
    }
    for (int i = 0; i < sentToSelf.size(); i++) {
      CommBuffer s = sentToSelf.get(i);
      CommBuffer r = fromSelf.get(i);
      if (s.type() != r.type() || s.count() != r.count()) {
        throw call.refused(
            "the %s send to this rank itself is %s, its receive %s; they must be alike"
                .formatted(ordinal(i), s, r));
      }
    }
  }

  private static String ordinal(int index) {
    return (index + 1) + (index == 0 ? "st" : index == 1 ? "nd" : index == 2 ? "rd" : "th");
  }

  /** One call whose arguments are being checked; knows how to name itself. */
  private final class Call {
    private final String operation;

    Call(String operation) {
      this.operation = operation;
    }

    IllegalArgumentException refused(String why) {
      return new IllegalArgumentException(
          "%s on rank %d/%d: %s".formatted(operation, rank, size, why));
    }

    CommBuffer readable(String name, @Nullable CommBuffer buffer) {
      if (buffer == null) {
        throw refused(name + " is null; pass a CommBuffer, of count 0 if there is nothing");
      }
      if (!buffer.segment().scope().isAlive()) {
        throw refused(
            name
                + " is of an arena that was closed; keep it open until the operation's Work is complete");
      }
      if (!buffer.segment().isAccessibleBy(ANOTHER)) {
        throw refused(
            name
                + " is of a confined arena, which the backend's threads cannot reach; allocate it from Arena.ofShared(), ofAuto() or global()");
      }
      return buffer;
    }

    CommBuffer writable(String name, @Nullable CommBuffer buffer) {
      CommBuffer checked = readable(name, buffer);
      if (checked.segment().isReadOnly()) {
        throw refused(name + " is read-only, but receives data");
      }
      return checked;
    }

    ReduceOp reducible(@Nullable ReduceOp op, CommBuffer buffer) {
      if (op == null) {
        throw refused("op is null; pass a ReduceOp such as ReduceOp.SUM");
      }
      if (!op.supports(buffer.type())) {
        throw refused("%s is for integers, not for %s".formatted(op, buffer.type()));
      }
      return op;
    }

    void inGroup(String name, int number) {
      if (number < 0 || number >= size) {
        throw refused(
            "%s is %d; ranks of this group are 0 to %d".formatted(name, number, size - 1));
      }
    }

    void another(int peer) {
      inGroup("peer", peer);
      if (peer == rank) {
        throw refused(
            "peer is this rank itself; use sendRecv or batch, where the receive stands beside the send");
      }
    }

    void oneDevice(CommBuffer a, CommBuffer b) {
      if (!a.device().equals(b.device())) {
        throw refused(
            "buffers on %s and on %s; one operation's buffers lie on one device"
                .formatted(a.device(), b.device()));
      }
    }

    void alike(CommBuffer s, CommBuffer r) {
      if (s.type() != r.type()) {
        throw refused(
            "send is %s but recv is %s; they must be of one type".formatted(s.type(), r.type()));
      }
      oneDevice(s, r);
    }

    void count(String name, CommBuffer buffer, long expected, String formula) {
      if (buffer.count() != expected) {
        String remedy =
            buffer.count() > expected
                ? "pass %s.slice(0, %d)".formatted(name, expected)
                : "pass a buffer of that size";
        throw refused(
            "%s holds %d elements, but %s = %d are needed; %s"
                .formatted(name, buffer.count(), formula, expected, remedy));
      }
    }

    long times(long count) {
      try {
        return Math.multiplyExact(count, (long) size);
      } catch (ArithmeticException e) {
        throw refused("count %d times %d ranks is more than a long holds".formatted(count, size));
      }
    }

    Counts counts(String name, long @Nullable [] counts) {
      if (counts == null) {
        throw refused(name + " is null; pass one count a rank");
      }
      if (counts.length != size) {
        throw refused(
            "%s has %d entries; one is needed for each of %d ranks"
                .formatted(name, counts.length, size));
      }
      try {
        return Counts.of(counts);
      } catch (IllegalArgumentException | ArithmeticException e) {
        throw refused(
            e instanceof ArithmeticException
                ? "the sum of %s is more than a long holds".formatted(name)
                : "%s: %s".formatted(name, e.getMessage()));
      }
    }

    /** The smaller buffer is apart from the larger one, or is exactly this rank's block of it. */
    void ownBlock(
        String smallName, CommBuffer small, String largeName, CommBuffer large, long offset) {
      boolean inPlace = small.isSameMemory(large.slice(offset, small.count()));
      apart(small, large, inPlace, "%s is block %d of %s".formatted(smallName, rank, largeName));
    }

    void apart(CommBuffer a, CommBuffer b, boolean inPlace, String allowed) {
      if (!inPlace && a.overlaps(b)) {
        throw refused("the buffers overlap; in place allows only: " + allowed);
      }
    }
  }
}
