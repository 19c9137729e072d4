package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.NONE;

/** The last steps of one direction, so that only so many are under way at once. */
final class Window {
  private final int[] step;
  private int added;

  /** Holds {@code width} steps. */
  Window(int width) {
    step = new int[width];
  }

  /** Returns the step that the next one waits for, or {@link Schedule#NONE}. */
  int oldest() {
    return added < step.length ? NONE : step[added % step.length];
  }

  /** Adds the step that follows; one that was left out is not counted. */
  void add(int newest) {
    if (newest != NONE) {
      step[added++ % step.length] = newest;
    }
  }
}
