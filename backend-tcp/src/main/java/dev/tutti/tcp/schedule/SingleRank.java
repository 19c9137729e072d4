package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;

/** Every collective of a group of one: OUTPUT = INPUT, which in place is nothing. */
final class SingleRank {
  private SingleRank() {}

  static Schedule plan(Request request) {
    Aliasing aliasing = request.inPlace() ? Aliasing.SAME : Aliasing.NONE;
    ScheduleBuilder steps =
        new ScheduleBuilder(Algorithm.SINGLE_RANK, request.rank(), request.size(), aliasing);
    steps.copy(INPUT, 0, OUTPUT, 0, request.count() + request.blocks().total());
    return steps.build();
  }
}
