package dev.tutti.mpi;

import dev.tutti.comm.spi.SlotPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Messages to and from several peers, all of which proceed together. */
final class Exchange implements Execution {
  private final MpiApi.Comm comm;
  private final int tag;
  private final SlotPool pool;
  private final List<Lane> lanes = new ArrayList<>();
  private boolean done;

  /**
   * @param tag keeps the messages apart from those of other kinds
   */
  Exchange(MpiApi.Comm comm, int tag, SlotPool pool) {
    this.comm = comm;
    this.tag = tag;
    this.pool = pool;
  }

  /** Adds a message to a peer, after those to the same one. */
  void send(int peer, MemorySegment message) {
    lane(peer, true).add(message);
  }

  /** Adds a message from a peer, after those from the same one. */
  void receive(int peer, MemorySegment message) {
    lane(peer, false).add(message);
  }

  private Lane lane(int peer, boolean outgoing) {
    for (int i = lanes.size() - 1; i >= 0; i--) {
      Lane lane = lanes.get(i);
      if (lane.peer() == peer && lane.outgoing() == outgoing) {
        return lane;
      }
    }
    Lane lane = new Lane(peer, outgoing);
    lanes.add(lane);
    return lane;
  }

  @Override
  public boolean advance() {
    boolean progressed = false;
    boolean allDone = true;
    for (Lane lane : lanes) {
      progressed |= lane.advance(comm, tag, pool);
      allDone &= lane.isDone();
    }
    done = allDone;
    return progressed;
  }

  @Override
  public boolean isDone() {
    return done;
  }

  @Override
  public boolean isInFlight() {
    return lanes.stream().anyMatch(Lane::isInFlight);
  }

  @Override
  public String awaited() {
    return lanes.stream()
        .filter(lane -> !lane.isDone())
        .map(Lane::awaited)
        .collect(Collectors.joining(", "));
  }
}
