package dev.tutti.tcp.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** The interval map against arrays with one entry an element. */
class ConflictsTest {
  private static final int LENGTH = 60;

  @RepeatedTest(200)
  void findsWhatElementByElementIsFound(RepetitionInfo repetition) {
    SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
    Conflicts conflicts = new Conflicts();
    int[] writer = new int[LENGTH];
    Arrays.fill(writer, Schedule.NONE);
    List<TreeSet<Integer>> readers = new ArrayList<>();
    for (int i = 0; i < LENGTH; i++) {
      readers.add(new TreeSet<>());
    }
    for (int step = 0; step < 80; step++) {
      int from = random.nextInt(LENGTH);
      int to = from + 1 + random.nextInt(LENGTH - from);
      if (random.nextInt(3) == 0) {
        to = Math.min(to, from + 3);
      }
      TreeSet<Integer> expected = new TreeSet<>();
      TreeSet<Integer> found = new TreeSet<>();
      boolean reads = random.nextInt(3) != 0;
      boolean writes = !reads || random.nextInt(4) == 0;
      boolean written = true;
      for (int i = from; i < to; i++) {
        written &= writer[i] != Schedule.NONE;
        if (writer[i] != Schedule.NONE && (reads || readers.get(i).isEmpty())) {
          expected.add(writer[i]);
        }
        if (writes) {
          expected.addAll(readers.get(i));
        }
      }
      assertThat(conflicts.isWritten(from, to)).isEqualTo(written);
      if (reads) {
        conflicts.read(from, to, step, found::add);
      }
      if (writes) {
        conflicts.write(from, to, step, found::add);
      }
      assertThat(found).as("step %d, [%d,%d)", step, from, to).isEqualTo(expected);
      for (int i = from; i < to; i++) {
        if (writes) {
          writer[i] = step;
          readers.get(i).clear();
        } else {
          readers.get(i).add(step);
        }
      }
    }
  }
}
