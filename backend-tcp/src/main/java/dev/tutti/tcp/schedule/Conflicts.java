package dev.tutti.tcp.schedule;

import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * Who last wrote and who since read each element of one memory, as a map from intervals to steps:
 * what a new step must wait for.
 *
 * <p>Intervals are kept sorted in flat arrays, so finding one is a binary search. Readers are
 * linked lists that only grow at the head, so the halves of a split interval share one.
 */
final class Conflicts {
  private static final int NONE = Schedule.NONE;

  /** Interval i is {@code [start[i], start[i + 1])}; the last one has no end. */
  private long[] start = new long[4];

  private int[] writer = new int[4];
  private int[] readers = new int[4];
  private int intervals = 1;

  /** A list cell: a step that reads, and the cell of the reader before it. */
  private int[] cellStep = new int[4];

  private int[] cellNext = new int[4];
  private int cells;

  Conflicts() {
    start[0] = Long.MIN_VALUE;
    writer[0] = NONE;
    readers[0] = NONE;
  }

  /** Returns whether every element of {@code [from, to)} was written by some step. */
  boolean isWritten(long from, long to) {
    for (int i = indexOf(from); i < intervals && start[i] < to; i++) {
      if (writer[i] == NONE) {
        return false;
      }
    }
    return true;
  }

  /** Notes that {@code step} reads {@code [from, to)} and tells {@code waitsFor} the writers. */
  void read(long from, long to, int step, IntConsumer waitsFor) {
    int first = splitAt(from);
    int end = splitAt(to);
    for (int i = first; i < end; i++) {
      if (writer[i] != NONE) {
        waitsFor.accept(writer[i]);
      }
      readers[i] = cell(step, readers[i]);
    }
  }

  /**
   * Notes that {@code step} writes {@code [from, to)} and tells {@code waitsFor} the readers since
   * the last write, or where there are none the writer: readers have waited for it themselves.
   */
  void write(long from, long to, int step, IntConsumer waitsFor) {
    int first = splitAt(from);
    int end = splitAt(to);
    for (int i = first; i < end; i++) {
      boolean read = false;
      for (int cell = readers[i]; cell != NONE; cell = cellNext[cell]) {
        if (cellStep[cell] != step) {
          waitsFor.accept(cellStep[cell]);
          read = true;
        }
      }
      if (!read && writer[i] != NONE) {
        waitsFor.accept(writer[i]);
      }
    }
    writer[first] = step;
    readers[first] = NONE;
    remove(first + 1, end);
  }

  private int cell(int step, int next) {
    if (cells == cellStep.length) {
      cellStep = Arrays.copyOf(cellStep, 2 * cells);
      cellNext = Arrays.copyOf(cellNext, 2 * cells);
    }
    cellStep[cells] = step;
    cellNext[cells] = next;
    return cells++;
  }

  /** Returns the index of the interval that holds {@code at}. */
  private int indexOf(long at) {
    int found = Arrays.binarySearch(start, 0, intervals, at);
    return found >= 0 ? found : -found - 2;
  }

  /** Makes an interval begin at {@code at} and returns its index. */
  private int splitAt(long at) {
    int i = indexOf(at);
    if (start[i] == at) {
      return i;
    }
    if (intervals == start.length) {
      start = Arrays.copyOf(start, 2 * intervals);
      writer = Arrays.copyOf(writer, 2 * intervals);
      readers = Arrays.copyOf(readers, 2 * intervals);
    }
    int tail = intervals - i - 1;
    System.arraycopy(start, i + 1, start, i + 2, tail);
    System.arraycopy(writer, i, writer, i + 1, tail + 1);
    System.arraycopy(readers, i, readers, i + 1, tail + 1);
    start[i + 1] = at;
    intervals++;
    return i + 1;
  }

  private void remove(int from, int to) {
    if (from == to) {
      return;
    }
    System.arraycopy(start, to, start, from, intervals - to);
    System.arraycopy(writer, to, writer, from, intervals - to);
    System.arraycopy(readers, to, readers, from, intervals - to);
    intervals -= to - from;
  }
}
