package dev.tutti.tcp.schedule;

import java.util.ArrayList;
import java.util.List;

/** A copy of a good schedule that can be broken on purpose. */
final class MutableSchedule {
  private final Schedule original;
  final Steps steps;
  private final List<List<Integer>> dependencies = new ArrayList<>();

  MutableSchedule(Schedule original) {
    this.original = original;
    this.steps = original.steps().copy();
    for (int step = 0; step < original.stepCount(); step++) {
      List<Integer> on = new ArrayList<>();
      for (int j = original.dependenciesBegin(step); j < original.dependenciesEnd(step); j++) {
        on.add(original.dependency(j));
      }
      dependencies.add(on);
    }
  }

  /** Makes a step wait for no other. */
  MutableSchedule free(int step) {
    dependencies.get(step).clear();
    return this;
  }

  /** Makes a step wait for one step fewer. */
  MutableSchedule drop(int step, int dependency) {
    dependencies.get(step).removeIf(on -> on == dependency);
    return this;
  }

  /** Makes two sends carry each other's payload. */
  MutableSchedule swapSources(int step, int other) {
    int buffer = steps.srcBuffer[step];
    long offset = steps.srcOffset[step];
    steps.srcBuffer[step] = steps.srcBuffer[other];
    steps.srcOffset[step] = steps.srcOffset[other];
    steps.srcBuffer[other] = buffer;
    steps.srcOffset[other] = offset;
    return this;
  }

  /** Makes a fold take one rank's region in the place of another's. */
  MutableSchedule swapFolded(int step, int rank, int other) {
    int one = steps.foldStart[step] + rank;
    int two = steps.foldStart[step] + other;
    int buffer = steps.foldBuffer[one];
    long offset = steps.foldOffset[one];
    steps.foldBuffer[one] = steps.foldBuffer[two];
    steps.foldOffset[one] = steps.foldOffset[two];
    steps.foldBuffer[two] = buffer;
    steps.foldOffset[two] = offset;
    return this;
  }

  /** Returns whether a step waits for another through others than the direct dependency. */
  boolean isImplied(int step, int dependency) {
    boolean[] reached = new boolean[step];
    for (int on : dependencies.get(step)) {
      if (on != dependency) {
        reached[on] = true;
      }
    }
    for (int earlier = step - 1; earlier > dependency; earlier--) {
      if (reached[earlier]) {
        dependencies.get(earlier).forEach(on -> reached[on] = true);
      }
    }
    return reached[dependency];
  }

  Schedule build() {
    Steps built = steps.copy();
    built.dependency =
        dependencies.stream().flatMap(List::stream).mapToInt(Integer::intValue).toArray();
    for (int step = 0; step < built.count; step++) {
      built.dependencyStart[step + 1] = built.dependencyStart[step] + dependencies.get(step).size();
    }
    return new Schedule(
        original.algorithm(), original.rank(), original.size(), original.scratchElements(), built);
  }
}
