package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;
import static dev.tutti.tcp.schedule.Schedule.SCRATCH;

/**
 * AllReduce by recursive doubling: in round i every rank exchanges its whole vector with the rank
 * at distance 2^i, and both combine.
 *
 * <p>Where size is not a power of two, the first ranks are folded in pairs before (even to odd) and
 * the result is sent back after. Both partners of a round combine the same two values, and ⊕ is
 * commutative, so all ranks hold the same bits, however the sums are nested. The result of a round
 * goes to another region than the one being sent (OUTPUT and scratch in turn), so a rank can take
 * its partner's vector before its own has left: with no buffering anywhere the exchange still ends.
 *
 * <p>⌊lg n⌋ steps, 2 more where n is not a power of two; the whole vector sent in each. Scratch:
 * one vector, or less in turns. Thakur, Rabenseifner and Gropp, Optimization of collective
 * communication operations in MPICH, IJHPCA 19(1), 2005.
 */
final class RecursiveDoublingAllReduce {
  /** Most chunks under way at a time; a vector longer than that waits for its first chunks. */
  private static final int MAX_SLOTS = 8;

  private RecursiveDoublingAllReduce() {}

  static Schedule plan(Request request) {
    int rank = request.rank();
    int size = request.size();
    long count = request.count();
    Chunks chunks = Chunks.of(request.chunkElements(), count).atMost(request.scratchElements());
    int slots = (int) Math.min(MAX_SLOTS, Math.max(1, request.scratchElements() / chunks.length()));
    ScheduleBuilder steps =
        new ScheduleBuilder(
            Algorithm.RECURSIVE_DOUBLING,
            rank,
            size,
            request.inPlace() ? Aliasing.SAME : Aliasing.NONE);
    for (int k = 0; k < chunks.in(count); k++) {
      Chunk chunk =
          new Chunk(
              steps, request, chunks.offset(k), chunks.offset(k % slots), chunks.count(count, k));
      chunk.plan();
    }
    return steps.build();
  }

  /** One chunk's way through all rounds. */
  private static final class Chunk {
    private final ScheduleBuilder steps;
    private final Request request;
    private final long offset;
    private final long scratchOffset;
    private final long count;

    /** Where the value of the rounds so far lies. */
    private int current = INPUT;

    Chunk(ScheduleBuilder steps, Request request, long offset, long scratchOffset, long count) {
      this.steps = steps;
      this.request = request;
      this.offset = offset;
      this.scratchOffset = scratchOffset;
      this.count = count;
    }

    void plan() {
      Hypercube cube = Hypercube.of(request.rank(), request.size());
      int rounds = cube.dimensions();
      if (cube.isExtra()) {
        steps.send(request.rank() + 1, INPUT, offset, count);
        steps.recv(request.rank() + 1, OUTPUT, offset, count);
        return;
      }
      if (cube.isProxy()) {
        // Chosen so that, region and region in turn, the last round ends in OUTPUT.
        combine(request.rank() - 1, rounds % 2 == 0 ? OUTPUT : SCRATCH);
      }
      for (int i = 0; i < rounds; i++) {
        exchange(cube.neighbour(i), (rounds - i) % 2 == 1 ? OUTPUT : SCRATCH);
      }
      if (request.average()) {
        steps.divide(OUTPUT, offset, count);
      }
      if (cube.isProxy()) {
        steps.send(request.rank() - 1, OUTPUT, offset, count);
      }
    }

    private void exchange(int peer, int destination) {
      steps.send(peer, current, at(current), count);
      if (isSame(current, destination)) {
        // In place with an odd number of rounds: the first one must end where it began. The
        // partner's vector is taken beside it, for a partner that cannot take ours before.
        steps.recv(peer, SCRATCH, scratchOffset, count);
        steps.reduce(
            current, at(current), SCRATCH, scratchOffset, destination, at(destination), count);
        current = destination;
      } else {
        combine(peer, destination);
      }
    }

    private void combine(int peer, int destination) {
      steps.recvReduce(peer, current, at(current), destination, at(destination), count);
      current = destination;
    }

    private boolean isSame(int buffer, int other) {
      return buffer == other || (request.inPlace() && buffer != SCRATCH && other != SCRATCH);
    }

    private long at(int buffer) {
      return buffer == SCRATCH ? scratchOffset : offset;
    }
  }
}
