package dev.tutti.conformance;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** What one rank has in hand while it plays a scenario. Used by the rank's own thread. */
final class Stage {
  /** What is expected to fail. */
  @FunctionalInterface
  interface Action {
    void run() throws Exception;
  }

  private static final long SEED = 7;

  private final ProcessGroup group;
  private final boolean ownProcess;
  private final Leftovers before;
  private final List<String> notes = new ArrayList<>();

  Stage(ProcessGroup group, boolean ownProcess, Leftovers before) {
    this.group = group;
    this.ownProcess = ownProcess;
    this.before = before;
  }

  ProcessGroup group() {
    return group;
  }

  int rank() {
    return group.rank();
  }

  int size() {
    return group.size();
  }

  /** Returns what the process held before any rank's group was made. */
  Leftovers before() {
    return before;
  }

  /** Writes something down that must be the same on every backend. */
  void note(String text) {
    notes.add(text);
  }

  List<String> notes() {
    return notes;
  }

  /** Returns native elements, all of one value. */
  static CommBuffer filled(long count, float value) {
    MemorySegment segment = Arena.ofAuto().allocate(count * Float.BYTES, Float.BYTES);
    for (long i = 0; i < count; i++) {
      segment.setAtIndex(ValueLayout.JAVA_FLOAT, i, value);
    }
    return CommBuffer.of(segment, DataType.FLOAT32);
  }

  /** Fails unless every element of a FLOAT32 buffer has a value. */
  static void checkFilled(CommBuffer buffer, float value, String what) {
    for (long i = 0; i < buffer.count(); i++) {
      float got = buffer.segment().get(ValueLayout.JAVA_FLOAT_UNALIGNED, i * Float.BYTES);
      check(got == value, "%s: element %d is %s instead of %s", what, i, got, value);
    }
  }

  /** Fails unless a small allReduce of the group gives the right sum. */
  static void checkUsable(ProcessGroup usable) {
    long[] one = {usable.rank() + 1};
    usable.allReduce(CommBuffer.of(one), ReduceOp.SUM).join();
    long expected = (long) usable.size() * (usable.size() + 1) / 2;
    check(one[0] == expected, "an allReduce gave %d instead of %d", one[0], expected);
  }

  /** Returns trials of a group's cases, not issued yet. */
  static List<Trial> trials(ProcessGroup group, int most) {
    List<Case> cases = CaseList.of(SEED, group.size()).cases();
    List<Trial> trials = new ArrayList<>();
    // Cases of all kinds, not the first ones.
    for (int i = 0; i < most; i++) {
      trials.add(new Trial(cases.get((int) ((long) i * cases.size() / most)), group, SEED));
    }
    return trials;
  }

  @SuppressWarnings("AnnotateFormatMethod") // that annotation is of a library we do without
  static void check(boolean condition, String message, Object... arguments) {
    if (!condition) {
      throw new AssertionError(message.formatted(arguments));
    }
  }

  /** Returns what an action throws, which must be of a type. */
  static <E extends Throwable> E thrown(Class<E> type, Action action) {
    try {
      action.run();
    } catch (Throwable e) {
      if (type.isInstance(e)) {
        return type.cast(e);
      }
      throw new AssertionError("%s instead of %s".formatted(e, type.getSimpleName()), e);
    }
    throw new AssertionError("nothing was thrown instead of " + type.getSimpleName());
  }

  /** Returns the failure of the group that an action meets with. */
  static CommException failure(Action action) {
    return thrown(CommException.class, action);
  }

  /** Fails if an action takes longer than it may. */
  static void within(Duration limit, String what, Action action) throws Exception {
    long start = System.nanoTime();
    action.run();
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    check(
        took.compareTo(limit) <= 0,
        "%s took %d ms instead of at most %d",
        what,
        took.toMillis(),
        limit.toMillis());
  }

  /** Waits until something is so; fails if it does not come. */
  static void await(Duration limit, String what, BooleanSupplier condition) {
    long end = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      check(System.nanoTime() < end, "%s did not come within %d ms", what, limit.toMillis());
      pause(Duration.ofMillis(1));
    }
  }

  /** Does nothing for a time: what a rank does that is late. */
  static void pause(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (long left; (left = end - System.nanoTime()) > 0; ) {
      LockSupport.parkNanos(left);
    }
  }

  /** Ends this process as a crash does. */
  void die() {
    check(ownProcess, "a rank that is a thread cannot die");
    Runtime.getRuntime().halt(137);
  }
}
