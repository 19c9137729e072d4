package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;
import static dev.tutti.tcp.schedule.Schedule.SCRATCH;

/**
 * ReduceScatter around a ring, even or uneven: block b starts at rank b+1 and is combined by each
 * rank on its way to rank b.
 *
 * <p>The send buffer must not be written and the receive buffer holds one block only, so what is
 * under way lies in scratch, in slots of one chunk that are used in turn. Blocks travel in segments
 * (see {@link Ring#SEGMENT}) of half as many chunks as there are slots. A slot that is wanted in
 * some ring step then held a chunk which left in an earlier step, never one which waits for the
 * neighbour's slot of the same step: with fewer slots, or longer segments, all ranks would wait for
 * each other around the ring.
 *
 * <p>n-1 steps; (n-1)/n of the vector sent per rank, which is the least possible. Scratch: up to
 * {@link #MAX_SLOTS} chunks, none for two ranks. Chan, Heimlich, Purkayastha and van de Geijn,
 * Collective communication: theory, practice, and experience, CCPE 19(13), 2007, "bucket"
 * reduce-scatter.
 */
final class RingReduceScatter {
  private static final int MAX_SLOTS = 2 * Ring.SEGMENT;

  /** Slots below which shorter chunks are better than fewer slots. */
  private static final int WANTED_SLOTS = 4;

  private RingReduceScatter() {}

  static Schedule plan(Request request) {
    int rank = request.rank();
    int size = request.size();
    Blocks blocks = request.blocks();
    long scratch = request.scratchElements();
    Chunks chunks =
        Chunks.of(request.chunkElements(), blocks.largest()).atMost(scratch / WANTED_SLOTS);
    int segment = (int) Math.min(MAX_SLOTS, scratch / chunks.length()) / 2;
    int slots = 2 * segment;
    int slot = 0;

    Aliasing aliasing = request.inPlace() ? Aliasing.at(-blocks.offset(rank)) : Aliasing.NONE;
    ScheduleBuilder steps = new ScheduleBuilder(Algorithm.RING, rank, size, aliasing);
    Ring ring = new Ring(rank, size, blocks, chunks);
    // Which slot each chunk of the segment was combined into, by the step before and by this one.
    int[] filled = new int[segment];
    int[] filling = new int[segment];
    for (int first = 0; first < chunks.in(blocks.largest()); first += segment) {
      for (int s = 0; s < size - 1; s++) {
        int sent = ring.block(-1 - s);
        int combined = ring.block(-2 - s);
        for (int i = 0; i < segment; i++) {
          int k = first + i;
          if (s == 0) {
            steps.send(ring.right(), INPUT, ring.offset(sent, k), ring.count(sent, k));
          } else {
            steps.send(ring.right(), SCRATCH, chunks.offset(filled[i]), ring.count(sent, k));
          }
          long count = ring.count(combined, k);
          if (count == 0) {
            continue;
          }
          long at = ring.offset(combined, k);
          if (s < size - 2) {
            steps.recvReduce(ring.left(), INPUT, at, SCRATCH, chunks.offset(slot), count);
            filling[i] = slot;
            slot = (slot + 1) % slots;
          } else {
            steps.recvReduce(ring.left(), INPUT, at, OUTPUT, chunks.offset(k), count);
            if (request.average()) {
              steps.divide(OUTPUT, chunks.offset(k), count);
            }
          }
        }
        int[] emptied = filled;
        filled = filling;
        filling = emptied;
      }
    }
    return steps.build();
  }
}
