package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.OUTPUT;

/**
 * AllReduce without detours: every rank sends block p to rank p, which folds what it gets, and its
 * own, in rank order, and sends the result to all.
 *
 * <p>A block's results go out while its next chunks come in: the chunks of the first half run ahead
 * of those of the second by as many as there are slots. All ranks send in that one order, and what
 * a message waits for comes before it in that order, so that no buffering is needed.
 *
 * <p>2(n-1) messages of a block each, in two steps if links carry them at the same time; 2(n-1)/n
 * of the vector sent per rank, the least possible. Scratch: a few chunks of each peer. Chan,
 * Heimlich, Purkayastha and van de Geijn, Collective communication: theory, practice, and
 * experience, CCPE 19(13), 2007; "two-shot" in TensorRT-LLM and vLLM.
 */
final class DirectAllReduce {
  private DirectAllReduce() {}

  static Schedule plan(Request request) {
    int rank = request.rank();
    Blocks blocks = Blocks.split(request.size(), request.count());
    FoldSlots slots = FoldSlots.of(request, blocks.largest());
    Chunks chunks = slots.chunks();
    ScheduleBuilder steps =
        new ScheduleBuilder(
            Algorithm.DIRECT,
            rank,
            request.size(),
            request.inPlace() ? Aliasing.SAME : Aliasing.NONE);
    int last = chunks.in(blocks.largest());
    int ahead = slots.slots() - 1;
    for (int k = 0; k < last + ahead; k++) {
      long count = chunks.count(blocks.count(rank), k);
      if (k < last) {
        DirectReduceScatter.send(steps, slots, blocks, k);
        slots.receive(steps, k, count);
        long own = blocks.offset(rank) + chunks.offset(k);
        slots.fold(steps, k, own, OUTPUT, own, count);
      }
      if (k >= ahead) {
        share(steps, slots, blocks, k - ahead);
      }
    }
    return steps.build();
  }

  /** Adds the sending of the own block's chunk {@code k} to all, and the receiving of theirs. */
  private static void share(ScheduleBuilder steps, FoldSlots slots, Blocks blocks, int k) {
    Chunks chunks = slots.chunks();
    int rank = slots.request().rank();
    long own = chunks.count(blocks.count(rank), k);
    for (int distance = 1; distance < blocks.size(); distance++) {
      steps.send(slots.to(distance), OUTPUT, blocks.offset(rank) + chunks.offset(k), own);
      int from = slots.from(distance);
      long count = chunks.count(blocks.count(from), k);
      steps.recv(from, OUTPUT, blocks.offset(from) + chunks.offset(k), count);
    }
  }
}
