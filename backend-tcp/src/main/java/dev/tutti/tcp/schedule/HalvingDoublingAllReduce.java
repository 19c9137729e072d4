package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;

/**
 * AllReduce by recursive halving and doubling (Rabenseifner): in each of the first rounds a rank
 * gives half of what it is left with to a partner and combines the other half with the partner's;
 * then the finished pieces come back along the same partners, twice as long each time.
 *
 * <p>Where size is not a power of two, extras (see {@link Hypercube}) give their vector to the rank
 * after them before, and get the result after. Each element is combined by one rank at last and
 * only then copied, so all ranks hold the same bits. Long vectors go through the rounds in pieces,
 * which follow each other.
 *
 * <p>2⌊lg n⌋ steps and 2(n-1)/n of the vector sent per rank, if n is a power of two; else 2 steps
 * and up to one vector more. No scratch. Thakur, Rabenseifner and Gropp, Optimization of collective
 * communication operations in MPICH, IJHPCA 19(1), 2005.
 */
final class HalvingDoublingAllReduce {
  private HalvingDoublingAllReduce() {}

  static Schedule plan(Request request) {
    Hypercube cube = Hypercube.of(request.rank(), request.size());
    Chunks pieces = Chunks.of(request.chunkElements() * cube.vertices(), request.count());
    ScheduleBuilder steps =
        new ScheduleBuilder(
            Algorithm.HALVING_DOUBLING,
            request.rank(),
            request.size(),
            request.inPlace() ? Aliasing.SAME : Aliasing.NONE);
    for (int k = 0; k < pieces.in(request.count()); k++) {
      long count = pieces.count(request.count(), k);
      if (cube.isExtra()) {
        steps.send(request.rank() + 1, INPUT, pieces.offset(k), count);
        steps.recv(request.rank() + 1, OUTPUT, pieces.offset(k), count);
      } else {
        planPiece(steps, request, cube, pieces.offset(k), count);
      }
    }
    return steps.build();
  }

  private static void planPiece(
      ScheduleBuilder steps, Request request, Hypercube cube, long offset, long count) {
    Blocks blocks = Blocks.split(cube.vertices(), count);
    int rank = request.rank();
    if (cube.isProxy()) {
      steps.recvReduce(rank - 1, INPUT, offset, OUTPUT, offset, count);
    }
    int current = cube.isProxy() ? OUTPUT : INPUT;
    for (int bit = cube.dimensions() - 1; bit >= 0; bit--) {
      int peer = cube.neighbour(bit);
      int kept = cube.vertex() >> bit << bit;
      int given = kept ^ (1 << bit);
      steps.send(peer, current, offset + blocks.offset(given), length(blocks, given, bit));
      long at = offset + blocks.offset(kept);
      steps.recvReduce(peer, current, at, OUTPUT, at, length(blocks, kept, bit));
      current = OUTPUT;
    }
    if (request.average()) {
      int own = cube.vertex();
      steps.divide(OUTPUT, offset + blocks.offset(own), blocks.count(own));
    }
    for (int bit = 0; bit < cube.dimensions(); bit++) {
      int peer = cube.neighbour(bit);
      int had = cube.vertex() >> bit << bit;
      int gotten = had ^ (1 << bit);
      steps.send(peer, OUTPUT, offset + blocks.offset(had), length(blocks, had, bit));
      steps.recv(peer, OUTPUT, offset + blocks.offset(gotten), length(blocks, gotten, bit));
    }
    if (cube.isProxy()) {
      steps.send(rank - 1, OUTPUT, offset, count);
    }
  }

  /** Returns the elements in {@code 1 << bit} blocks from the given one on. */
  private static long length(Blocks blocks, int first, int bit) {
    return blocks.offset(first + (1 << bit)) - blocks.offset(first);
  }
}
