package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;

/**
 * Reduce at the root: every rank sends it its vector, and it folds them all in rank order.
 *
 * <p>n-1 messages to the root, which wait for nothing: for short vectors. Scratch at the root: the
 * others' vectors, or less in turns. Open MPI's tuned {@code linear}.
 */
final class LinearReduce {
  private LinearReduce() {}

  static Schedule plan(Request request) {
    long count = request.count();
    FoldSlots slots = FoldSlots.of(request, count);
    ScheduleBuilder steps =
        new ScheduleBuilder(
            Algorithm.LINEAR,
            request.rank(),
            request.size(),
            request.inPlace() ? Aliasing.SAME : Aliasing.NONE);
    for (int k = 0; k < slots.chunks().in(count); k++) {
      long at = slots.chunks().offset(k);
      long length = slots.chunks().count(count, k);
      if (request.rank() == request.root()) {
        slots.receive(steps, k, length);
        slots.fold(steps, k, at, OUTPUT, at, length);
      } else {
        steps.send(request.root(), INPUT, at, length);
      }
    }
    return steps.build();
  }
}
