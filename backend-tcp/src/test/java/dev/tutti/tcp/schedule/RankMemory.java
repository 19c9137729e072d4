package dev.tutti.tcp.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * One rank's memory in the symbolic interpreter: every buffer that its schedule names, an
 * expression an element, and which steps are just reading or writing it.
 *
 * <p>Every access is checked: bounds, memory that may not be written, memory that nobody wrote,
 * memory that a step in flight uses.
 */
final class RankMemory {
  private final int rank;

  /** Each buffer's cells, from {@code base}; a buffer of length 0 is absent. */
  private final int[] base;

  private final int[] length;
  private final int[] value;
  private final boolean[] writable;
  private final int[] readers;

  /** The step that writes a cell, plus one. */
  private final int[] writing;

  /** What a cell was before the run. */
  private final int[] initial;

  /**
   * Lays out the buffers.
   *
   * @param input elements of INPUT, 0 if absent
   * @param output elements of OUTPUT, 0 if absent
   * @param aliasing how INPUT lies in OUTPUT
   * @param scratch elements of SCRATCH
   * @param transfers elements of each transfer's buffer
   * @param received the transfers whose buffer may be written
   */
  RankMemory(
      int rank,
      int input,
      int output,
      Aliasing aliasing,
      int scratch,
      int[] transfers,
      Set<Integer> received) {
    this.rank = rank;
    int buffers = Schedule.TRANSFER + transfers.length;
    base = new int[buffers];
    length = new int[buffers];
    int end;
    if (aliasing.aliased()) {
      int at = Math.toIntExact(aliasing.inputInOutput());
      base[Schedule.OUTPUT] = Math.max(0, -at);
      base[Schedule.INPUT] = Math.max(0, at);
      end = Math.max(base[Schedule.OUTPUT] + output, base[Schedule.INPUT] + input);
    } else {
      base[Schedule.OUTPUT] = 0;
      base[Schedule.INPUT] = output;
      end = output + input;
    }
    length[Schedule.INPUT] = input;
    length[Schedule.OUTPUT] = output;
    base[Schedule.SCRATCH] = end;
    length[Schedule.SCRATCH] = scratch;
    end += scratch;
    for (int i = 0; i < transfers.length; i++) {
      base[Schedule.TRANSFER + i] = end;
      length[Schedule.TRANSFER + i] = transfers[i];
      end += transfers[i];
    }
    value = new int[end];
    writable = new boolean[end];
    readers = new int[end];
    writing = new int[end];
    initial = new int[end];
    setWritable(Schedule.OUTPUT);
    setWritable(Schedule.SCRATCH);
    for (int i : new TreeSet<>(received)) {
      setWritable(Schedule.TRANSFER + i);
    }
  }

  private void setWritable(int buffer) {
    Arrays.fill(writable, base[buffer], base[buffer] + length[buffer], true);
  }

  /** Returns the elements of a buffer. */
  int length(int buffer) {
    return length[buffer];
  }

  /** Returns the number of cells of all buffers. */
  int cells() {
    return value.length;
  }

  /** Sets an element before the run. */
  void set(int buffer, int index, int to) {
    value[base[buffer] + index] = to;
    initial[base[buffer] + index] = to;
  }

  /** Returns an element after the run. */
  int get(int buffer, int index) {
    return value[base[buffer] + index];
  }

  /** Makes all cells what they were before the first run. */
  void reset() {
    System.arraycopy(initial, 0, value, 0, value.length);
    Arrays.fill(readers, 0);
    Arrays.fill(writing, 0);
  }

  /** Returns the first cell of a region, after checking its bounds. */
  int cell(Schedule schedule, int step, int buffer, long offset) {
    if (buffer >= length.length || offset < 0 || offset + schedule.count(step) > length[buffer]) {
      throw violation(schedule, step, "goes beyond its buffer");
    }
    return base[buffer] + (int) offset;
  }

  /** Returns whether a cell may be written. */
  boolean isWritable(int cell) {
    return writable[cell];
  }

  /** Marks the regions of a step that starts, and checks that no step in flight uses them. */
  void begin(Schedule schedule, int step) {
    int count = (int) schedule.count(step);
    if (count == 0) {
      return;
    }
    int dst = destination(schedule, step);
    int[] sources = sources(schedule, step);
    for (int i = 0; i < count; i++) {
      if (dst >= 0) {
        if (readers[dst + i] > 0) {
          throw violation(schedule, step, "writes element " + i + " while it is read in flight");
        }
        if (writing[dst + i] > 0) {
          throw violation(schedule, step, "writes element " + i + " while it is written in flight");
        }
        if (!writable[dst + i]) {
          throw violation(schedule, step, "writes a send buffer");
        }
      }
      for (int source : sources) {
        if (writing[source + i] > 0) {
          throw violation(schedule, step, "reads element " + i + " while it is written in flight");
        }
      }
    }
    for (int i = 0; i < count; i++) {
      if (dst >= 0) {
        writing[dst + i] = step + 1;
      }
      for (int source : sources) {
        if (source != dst) {
          readers[source + i]++;
        }
      }
    }
  }

  /** Takes back what {@link #begin} marked. */
  void end(Schedule schedule, int step) {
    int count = (int) schedule.count(step);
    if (count == 0) {
      return;
    }
    int dst = destination(schedule, step);
    int[] sources = sources(schedule, step);
    for (int i = 0; i < count; i++) {
      if (dst >= 0) {
        writing[dst + i] = 0;
      }
      for (int source : sources) {
        if (source != dst) {
          readers[source + i]--;
        }
      }
    }
  }

  /** Returns element {@code i} of the source region. */
  int readSource(Schedule schedule, int step, int i) {
    return read(schedule, step, source(schedule, step) + i);
  }

  /** Returns element {@code i} of the second source region. */
  int readSource2(Schedule schedule, int step, int i) {
    return read(schedule, step, source2(schedule, step) + i);
  }

  /** Returns element {@code i} of each of a fold's regions, in rank order. */
  List<Integer> readFolded(Schedule schedule, int step, int i) {
    List<Integer> values = new ArrayList<>();
    for (int source : sources(schedule, step)) {
      values.add(read(schedule, step, source + i));
    }
    return values;
  }

  /** Returns element {@code i} of the destination region. */
  int readDestination(Schedule schedule, int step, int i) {
    return read(schedule, step, destination(schedule, step) + i);
  }

  /** Sets element {@code i} of the destination region. */
  void writeDestination(Schedule schedule, int step, int i, int to) {
    value[destination(schedule, step) + i] = to;
  }

  private int read(Schedule schedule, int step, int cell) {
    if (value[cell] == Expressions.UNWRITTEN) {
      throw violation(schedule, step, "reads memory that nobody wrote");
    }
    return value[cell];
  }

  /** Returns the first cell of each of the regions that a step reads; of a fold in rank order. */
  int[] sources(Schedule schedule, int step) {
    if (schedule.kind(step) != StepKind.FOLD) {
      return IntStream.of(source(schedule, step), source2(schedule, step))
          .filter(cell -> cell >= 0)
          .toArray();
    }
    int[] cells = new int[schedule.size()];
    Arrays.setAll(
        cells,
        r -> cell(schedule, step, schedule.foldBuffer(step, r), schedule.foldOffset(step, r)));
    return cells;
  }

  /** Returns the first cell of a step's source, or -1. */
  private int source(Schedule schedule, int step) {
    int buffer = schedule.srcBuffer(step);
    return buffer < 0 ? -1 : cell(schedule, step, buffer, schedule.srcOffset(step));
  }

  /** Returns the first cell of a step's second source, or -1. */
  private int source2(Schedule schedule, int step) {
    int buffer = schedule.src2Buffer(step);
    return buffer < 0 ? -1 : cell(schedule, step, buffer, schedule.src2Offset(step));
  }

  /** Returns the first cell of a step's destination, or -1. */
  int destination(Schedule schedule, int step) {
    int buffer = schedule.dstBuffer(step);
    return buffer < 0 ? -1 : cell(schedule, step, buffer, schedule.dstOffset(step));
  }

  private ScheduleViolation violation(Schedule schedule, int step, String what) {
    return new ScheduleViolation("rank " + rank + ": step " + schedule.describe(step) + " " + what);
  }
}
