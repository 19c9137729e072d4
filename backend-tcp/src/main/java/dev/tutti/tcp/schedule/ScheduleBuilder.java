package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.NONE;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;
import static dev.tutti.tcp.schedule.Schedule.SCRATCH;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Collects one rank's steps in program order and finds out which must wait for which.
 *
 * <p>An algorithm lists its steps as if they ran one after the other; the builder makes a step wait
 * for an earlier one only if one of the two writes what the other reads or writes. INPUT and OUTPUT
 * are one memory where they are in place, so that a conflict between them is seen too. The buffers
 * of a batch are taken to be apart. {@link #after} adds what regions do not show.
 *
 * <p>Steps of no elements are left out, as are copies of a region to itself: their methods then
 * return {@link Schedule#NONE}. Every method that adds a step returns its index. Not thread-safe.
 */
public final class ScheduleBuilder {
  private final Algorithm algorithm;
  private final int rank;
  private final int size;
  private final Aliasing aliasing;

  private final Steps steps = new Steps();
  private long scratchElements;

  /** The memories: OUTPUT (and INPUT where they are one), INPUT, SCRATCH. */
  private final Conflicts outputMemory = new Conflicts();

  private final Conflicts inputMemory;
  private final Conflicts scratchMemory = new Conflicts();

  /** What the step being added waits for: unordered, each once. */
  private int[] pending = new int[8];

  private int pendingCount;

  /** Counts the steps added or left out, from 1: what the marks below are compared with. */
  private int stamp = 1;

  /** The stamp at which each step was last put on the pending list. */
  private int[] pendingMark = new int[8];

  /** The stamp at which each step was last found to be implied by another dependency. */
  private int[] impliedMark = new int[8];

  private final IntConsumer waitsFor = this::waitFor;

  /**
   * Starts a schedule.
   *
   * @param rank this rank, in {@code [0, size)}
   * @param aliasing how INPUT lies in OUTPUT
   */
  public ScheduleBuilder(Algorithm algorithm, int rank, int size, Aliasing aliasing) {
    this.algorithm = Objects.requireNonNull(algorithm, "algorithm");
    this.rank = rank;
    this.size = size;
    this.aliasing = Objects.requireNonNull(aliasing, "aliasing");
    this.inputMemory = aliasing.aliased() ? outputMemory : new Conflicts();
  }

  /**
   * Makes the step that is added next wait for {@code step} too; {@link Schedule#NONE} is ignored.
   */
  public ScheduleBuilder after(int step) {
    if (step != NONE) {
      waitFor(step);
    }
    return this;
  }

  /** Adds the sending of a region to {@code to}. */
  public int send(int to, int buffer, long offset, long elements) {
    return elements == 0
        ? skip()
        : add(StepKind.SEND, to, buffer, offset, NONE, 0, NONE, 0, elements);
  }

  /** Adds the receiving of a region from {@code from}. */
  public int recv(int from, int buffer, long offset, long elements) {
    return elements == 0
        ? skip()
        : add(StepKind.RECV, from, NONE, 0, NONE, 0, buffer, offset, elements);
  }

  /** Adds the sending of an empty message, which is a real one. */
  public int sendSignal(int to) {
    return add(StepKind.SEND, to, INPUT, 0, NONE, 0, NONE, 0, 0);
  }

  /** Adds the receiving of an empty message, which is a real one. */
  public int recvSignal(int from) {
    return add(StepKind.RECV, from, NONE, 0, NONE, 0, OUTPUT, 0, 0);
  }

  /** Adds destination = source ⊕ what comes from {@code from}. */
  public int recvReduce(int from, int source, long at, int destination, long to, long elements) {
    return elements == 0
        ? skip()
        : add(StepKind.RECV_REDUCE, from, source, at, NONE, 0, destination, to, elements);
  }

  /** Adds destination = source ⊕ second source. */
  public int reduce(
      int source, long at, int source2, long at2, int destination, long to, long elements) {
    return elements == 0
        ? skip()
        : add(StepKind.REDUCE, NONE, source, at, source2, at2, destination, to, elements);
  }

  /** Adds destination = source; nothing if both are the same region. */
  public int copy(int source, long at, int destination, long to, long elements) {
    return elements == 0 || isSameRegion(source, at, destination, to)
        ? skip()
        : add(StepKind.COPY, NONE, source, at, NONE, 0, destination, to, elements);
  }

  /** Adds the division of a region by the size of the group; nothing in a group of one. */
  public int divide(int buffer, long offset, long elements) {
    return elements == 0 || size == 1
        ? skip()
        : add(StepKind.DIVIDE, NONE, NONE, 0, NONE, 0, buffer, offset, elements);
  }

  /**
   * Adds destination = ((region of rank 0 ⊕ region of rank 1) ⊕ …), divided if the operation is
   * AVG.
   *
   * @param buffers each rank's buffer, one of this rank's own; copied
   * @param offsets where each rank's region begins in its buffer; copied
   */
  public int fold(int[] buffers, long[] offsets, int destination, long to, long elements) {
    if (buffers.length != size || offsets.length != size) {
      throw new IllegalArgumentException(
          "FOLD on rank " + rank + "/" + size + " of " + buffers.length + " regions");
    }
    if (elements == 0) {
      return skip();
    }
    reserve();
    steps.foldStart[steps.count] = steps.folds;
    for (int i = 0; i < size; i++) {
      steps.addFoldSource(buffers[i], offsets[i]);
    }
    return add(StepKind.FOLD, NONE, NONE, 0, NONE, 0, destination, to, elements);
  }

  /** Returns the schedule; the builder must not be used any more. */
  public Schedule build() {
    return new Schedule(algorithm, rank, size, scratchElements, steps);
  }

  private int skip() {
    pendingCount = 0;
    stamp++;
    return NONE;
  }

  private int add(
      StepKind what,
      int with,
      int source,
      long at,
      int source2,
      long at2,
      int destination,
      long to,
      long elements) {
    if (elements < 0) {
      throw new IllegalArgumentException(what + " of " + elements + " elements");
    }
    if (with != NONE && (with < 0 || with >= size || with == rank)) {
      throw new IllegalArgumentException(
          what + " on rank " + rank + "/" + size + " with rank " + with);
    }
    reserve();
    int step = steps.count;
    steps.kind[step] = what;
    steps.peer[step] = with;
    steps.srcBuffer[step] = source;
    steps.srcOffset[step] = at;
    steps.src2Buffer[step] = source2;
    steps.src2Offset[step] = at2;
    steps.dstBuffer[step] = destination;
    steps.dstOffset[step] = to;
    steps.length[step] = elements;
    if (elements > 0) {
      read(step, source, at, elements);
      read(step, source2, at2, elements);
      if (what == StepKind.DIVIDE) {
        read(step, destination, to, elements);
      }
      checkApart(step, source, at, destination, to, elements);
      checkApart(step, source2, at2, destination, to, elements);
      for (int i = 0; what == StepKind.FOLD && i < size; i++) {
        int folded = steps.foldBuffer[steps.foldStart[step] + i];
        long from = steps.foldOffset[steps.foldStart[step] + i];
        read(step, folded, from, elements);
        checkApart(step, folded, from, destination, to, elements);
      }
      write(step, destination, to, elements);
    }
    storeDependencies(step);
    steps.count++;
    stamp++;
    return step;
  }

  private void read(int step, int buffer, long offset, long elements) {
    Conflicts memory = memory(buffer);
    if (memory == null) {
      return;
    }
    long from = address(buffer, offset);
    if (buffer == SCRATCH && !memory.isWritten(from, from + elements)) {
      throw new IllegalStateException(describe(step) + " reads scratch that no step wrote");
    }
    memory.read(from, from + elements, step, waitsFor);
  }

  private void write(int step, int buffer, long offset, long elements) {
    if (buffer == INPUT) {
      throw new IllegalStateException(describe(step) + " writes the user's send buffer");
    }
    Conflicts memory = memory(buffer);
    if (memory == null) {
      return;
    }
    if (buffer == SCRATCH) {
      scratchElements = Math.max(scratchElements, offset + elements);
    }
    long from = address(buffer, offset);
    memory.write(from, from + elements, step, waitsFor);
  }

  /** Returns the memory that a buffer lies in, or null if nothing there can conflict. */
  private @Nullable Conflicts memory(int buffer) {
    return switch (buffer) {
      case INPUT -> inputMemory;
      case OUTPUT -> outputMemory;
      case SCRATCH -> scratchMemory;
      default -> null;
    };
  }

  private long address(int buffer, long offset) {
    return buffer == INPUT ? offset + aliasing.inputInOutput() : offset;
  }

  private boolean isSameMemory(int buffer, int other) {
    return buffer == other || (aliasing.aliased() && isUsers(buffer) && isUsers(other));
  }

  private static boolean isUsers(int buffer) {
    return buffer == INPUT || buffer == OUTPUT;
  }

  private boolean isSameRegion(int buffer, long offset, int other, long otherOffset) {
    return isSameMemory(buffer, other) && address(buffer, offset) == address(other, otherOffset);
  }

  private void checkApart(int step, int source, long at, int destination, long to, long elements) {
    if (source == NONE || destination == NONE || !isSameMemory(source, destination)) {
      return;
    }
    long distance = Math.abs(address(source, at) - address(destination, to));
    if (distance != 0 && distance < elements) {
      throw new IllegalStateException(
          describe(step) + " has a source that overlaps its destination in part");
    }
  }

  private String describe(int step) {
    return algorithm.label()
        + " on rank "
        + rank
        + "/"
        + size
        + ": step "
        + step
        + " "
        + steps.kind[step]
        + " "
        + Schedule.region(steps.srcBuffer[step], steps.srcOffset[step], steps.length[step])
        + " -> "
        + Schedule.region(steps.dstBuffer[step], steps.dstOffset[step], steps.length[step]);
  }

  private void waitFor(int step) {
    if (pendingMark[step] == stamp) {
      return;
    }
    pendingMark[step] = stamp;
    if (pendingCount == pending.length) {
      pending = Arrays.copyOf(pending, 2 * pendingCount);
    }
    pending[pendingCount++] = step;
  }

  /** Stores what the step waits for, without what another of its dependencies waits for itself. */
  private void storeDependencies(int step) {
    for (int i = 0; i < pendingCount; i++) {
      int on = pending[i];
      for (int j = steps.dependencyStart[on]; j < steps.dependencyStart[on + 1]; j++) {
        impliedMark[steps.dependency[j]] = stamp;
      }
    }
    int end = steps.dependencyStart[step];
    for (int i = 0; i < pendingCount; i++) {
      if (impliedMark[pending[i]] != stamp) {
        if (end == steps.dependency.length) {
          steps.dependency = Arrays.copyOf(steps.dependency, 2 * end);
        }
        steps.dependency[end++] = pending[i];
      }
    }
    Arrays.sort(steps.dependency, steps.dependencyStart[step], end);
    steps.dependencyStart[step + 1] = end;
    pendingCount = 0;
  }

  private void reserve() {
    steps.reserve();
    int room = steps.kind.length;
    if (pendingMark.length < room) {
      pendingMark = Arrays.copyOf(pendingMark, room);
      impliedMark = Arrays.copyOf(impliedMark, room);
    }
  }
}
