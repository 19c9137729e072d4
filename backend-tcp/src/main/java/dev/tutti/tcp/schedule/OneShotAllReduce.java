package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;

/**
 * AllReduce in one shot: every rank sends its vector to every other, and each folds them all in
 * rank order.
 *
 * <p>n-1 messages that wait for nothing, n-1 vectors sent per rank: for short vectors. Scratch: the
 * others' vectors, or less in turns. TensorRT-LLM and vLLM call it the one-shot (one-stage)
 * allReduce.
 */
final class OneShotAllReduce {
  private OneShotAllReduce() {}

  static Schedule plan(Request request) {
    long count = request.count();
    FoldSlots slots = FoldSlots.of(request, count);
    ScheduleBuilder steps =
        new ScheduleBuilder(
            Algorithm.ONE_SHOT,
            request.rank(),
            request.size(),
            request.inPlace() ? Aliasing.SAME : Aliasing.NONE);
    for (int k = 0; k < slots.chunks().in(count); k++) {
      long at = slots.chunks().offset(k);
      long length = slots.chunks().count(count, k);
      for (int distance = 1; distance < request.size(); distance++) {
        steps.send(slots.to(distance), INPUT, at, length);
      }
      slots.receive(steps, k, length);
      slots.fold(steps, k, at, OUTPUT, at, length);
    }
    return steps.build();
  }
}
