package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.OUTPUT;
import static dev.tutti.tcp.schedule.Schedule.SCRATCH;

/**
 * Reduce by a direct reduce-scatter and a linear gather: rank p folds block p of all ranks in rank
 * order and sends it to the root.
 *
 * <p>Away from the root the result of a fold takes the place of the first peer's chunk, so a slot's
 * next use waits for the root too; as in {@link DirectAllReduce} the first half runs ahead of the
 * second, and all ranks keep to one order.
 *
 * <p>2(n-1)/n of the vector received by the root, (n-1)/n sent by it and one vector by the others,
 * where the binomial tree's root receives ⌈lg n⌉ vectors: for long ones. Scratch: a few chunks of
 * each peer. Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in
 * MPICH, IJHPCA 19(1), 2005, with another reduce-scatter and gather.
 */
final class ReduceScatterGatherReduce {
  private ReduceScatterGatherReduce() {}

  static Schedule plan(Request request) {
    int rank = request.rank();
    boolean isRoot = rank == request.root();
    Blocks blocks = Blocks.split(request.size(), request.count());
    FoldSlots slots = FoldSlots.of(request, blocks.largest());
    Chunks chunks = slots.chunks();
    ScheduleBuilder steps =
        new ScheduleBuilder(
            Algorithm.REDUCE_SCATTER_GATHER,
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
        if (isRoot) {
          slots.fold(steps, k, own, OUTPUT, own, count);
        } else {
          slots.fold(steps, k, own, SCRATCH, slots.at(k, 1), count);
        }
      }
      if (k >= ahead) {
        gather(steps, slots, blocks, k - ahead);
      }
    }
    return steps.build();
  }

  /** Adds the sending of the folded chunk {@code k} to the root, or there the receiving of all. */
  private static void gather(ScheduleBuilder steps, FoldSlots slots, Blocks blocks, int k) {
    Chunks chunks = slots.chunks();
    int rank = slots.request().rank();
    int root = slots.request().root();
    if (rank != root) {
      steps.send(root, SCRATCH, slots.at(k, 1), chunks.count(blocks.count(rank), k));
      return;
    }
    for (int distance = 1; distance < blocks.size(); distance++) {
      int from = slots.from(distance);
      long count = chunks.count(blocks.count(from), k);
      steps.recv(from, OUTPUT, blocks.offset(from) + chunks.offset(k), count);
    }
  }
}
