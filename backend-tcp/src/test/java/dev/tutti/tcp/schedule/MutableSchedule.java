package dev.tutti.tcp.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A schedule that can be broken on purpose: a copy of a good one, or one written step by step. */
final class MutableSchedule {
  private final Schedule original;
  final StepKind[] kind;
  final int[] peer;
  final int[] srcBuffer;
  final long[] srcOffset;
  final int[] dstBuffer;
  final long[] dstOffset;
  final long[] count;
  private final List<List<Integer>> dependencies = new ArrayList<>();

  MutableSchedule(Schedule original) {
    this.original = original;
    Schedule.Steps steps = original.steps();
    kind = steps.kind().clone();
    peer = steps.peer().clone();
    srcBuffer = steps.srcBuffer().clone();
    srcOffset = steps.srcOffset().clone();
    dstBuffer = steps.dstBuffer().clone();
    dstOffset = steps.dstOffset().clone();
    count = steps.length().clone();
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
    dependencies.get(step).remove((Integer) dependency);
    return this;
  }

  /** Makes two sends carry each other's payload. */
  MutableSchedule swapSources(int step, int other) {
    int buffer = srcBuffer[step];
    long offset = srcOffset[step];
    srcBuffer[step] = srcBuffer[other];
    srcOffset[step] = srcOffset[other];
    srcBuffer[other] = buffer;
    srcOffset[other] = offset;
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
    int n = original.stepCount();
    int[] start = new int[n + 1];
    int[] flat = dependencies.stream().flatMap(List::stream).mapToInt(Integer::intValue).toArray();
    for (int step = 0; step < n; step++) {
      start[step + 1] = start[step] + dependencies.get(step).size();
    }
    Schedule.Steps steps = original.steps();
    return new Schedule(
        original.algorithm(),
        original.rank(),
        original.size(),
        original.scratchElements(),
        new Schedule.Steps(
            n,
            kind,
            peer,
            srcBuffer,
            srcOffset,
            Arrays.copyOf(steps.src2Buffer(), steps.src2Buffer().length),
            steps.src2Offset(),
            dstBuffer,
            dstOffset,
            count,
            start,
            flat));
  }
}
