package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;
import static dev.tutti.tcp.schedule.Schedule.SCRATCH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The proof's own proof: schedules that are broken in one way each must be caught. */
@Timeout(60)
class SymbolicRunTest {
  private static final long SEED = 7;

  /** Orders tried where the order decides whether a mistake shows. */
  private static final int ORDERS = 300;

  @ParameterizedTest
  @CsvSource({
    "ALL_REDUCE, RING, 3, 7, 1",
    "ALL_REDUCE, RECURSIVE_DOUBLING, 6, 5, 2",
    "REDUCE, BINOMIAL, 5, 9, 1",
    "BROADCAST, BINOMIAL, 5, 6, 2",
    "ALL_GATHER, RING, 3, 9, 1",
    "REDUCE_SCATTER, RING, 4, 9, 1",
    "ALL_REDUCE, DIRECT, 3, 7, 1",
    "ALL_REDUCE, HALVING_DOUBLING, 6, 5, 1",
    "REDUCE, REDUCE_SCATTER_GATHER, 3, 9, 1",
  })
  void everyMissingDependencyIsFoundWithoutARunAndInSomeRun(
      OperationKind operation, Algorithm algorithm, int size, long count, long chunk) {
    Trial trial = trial(operation, algorithm, size, count, chunk, 4, true);
    List<Schedule> good = trial.schedules();
    int needed = 0;
    int seen = 0;
    for (int rank = 0; rank < size; rank++) {
      Schedule schedule = good.get(rank);
      for (int step = 0; step < schedule.stepCount(); step++) {
        for (int j = schedule.dependenciesBegin(step); j < schedule.dependenciesEnd(step); j++) {
          int dependency = schedule.dependency(j);
          MutableSchedule mutable = new MutableSchedule(schedule);
          if (mutable.isImplied(step, dependency)) {
            continue;
          }
          needed++;
          List<Schedule> broken = new ArrayList<>(good);
          broken.set(rank, mutable.drop(step, dependency).build());
          Expressions expressions = new Expressions();
          List<RankMemory> memories = trial.memories(expressions, broken);
          Schedule mutant = broken.get(rank);
          RankMemory memory = memories.get(rank);
          assertThatThrownBy(() -> StaticChecks.conflictsAreOrdered(mutant, memory))
              .as("%s without waiting for %d", schedule.describe(step), dependency)
              .isInstanceOf(ScheduleViolation.class);
          if (someRunFails(trial, broken, expressions, memories)) {
            seen++;
          }
        }
      }
    }
    assertThat(needed).isGreaterThanOrEqualTo(3);
    // Some dependencies hold in every run because messages happen to order the steps too.
    assertThat(seen).isGreaterThan(needed / 2);
  }

  private static boolean someRunFails(
      Trial trial, List<Schedule> schedules, Expressions expressions, List<RankMemory> memories) {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int run = 0; run < ORDERS; run++) {
      memories.forEach(RankMemory::reset);
      int capacity = run % 2 == 0 ? SymbolicRun.UNBOUNDED : random.nextInt(3);
      Order order = Order.random(random, schedules.size());
      try {
        new SymbolicRun(schedules, memories, expressions, order, capacity, random.nextLong()).run();
        trial.checkResults(expressions, memories);
      } catch (ScheduleViolation expected) {
        return true;
      }
    }
    return false;
  }

  @Test
  void aFoldInAnotherOrderIsFoundWhereRankOrderIsWanted() {
    Trial trial = trial(OperationKind.ALL_REDUCE, Algorithm.ONE_SHOT, 3, 4, 4, 8, false);
    List<Schedule> broken = new ArrayList<>();
    for (Schedule schedule : trial.schedules()) {
      MutableSchedule mutable = new MutableSchedule(schedule);
      for (int step = 0; step < schedule.stepCount(); step++) {
        if (schedule.kind(step) == StepKind.FOLD) {
          mutable.swapFolded(step, 1, 2);
        }
      }
      broken.add(mutable.build());
    }
    run(trial, broken, SymbolicRun.UNBOUNDED);
    assertFails(trial.inRankOrder(), broken, "ends with OUTPUT");
  }

  @Test
  void swappedMessagesAreFound() {
    assertBroken(
        trial(OperationKind.ALL_GATHER, Algorithm.RING, 3, 4, 2, 8, false),
        (rank, schedule) -> {
          if (rank == 1) {
            int first = schedule.build().sendStep(schedule.build().sendsBegin(2));
            int second = schedule.build().sendStep(schedule.build().sendsBegin(2) + 1);
            schedule.swapSources(first, second);
          }
        },
        "ends with OUTPUT");
  }

  @Test
  void receivesInAnotherOrderThanTheSendsAreFound() {
    List<Schedule> schedules =
        schedules(
            2,
            (rank, steps) -> {
              steps.copy(INPUT, 0, OUTPUT, 2L * rank, 2);
              int peer = 1 - rank;
              steps.send(peer, INPUT, 0, 1);
              steps.send(peer, INPUT, 1, 1);
              long at = 2L * peer;
              steps.recv(peer, OUTPUT, rank == 0 ? at : at + 1, 1);
              steps.recv(peer, OUTPUT, rank == 0 ? at + 1 : at, 1);
            });
    assertFails(trial(OperationKind.ALL_GATHER, null, 2, 2, 1, 2, false), schedules, "rank 1 ends");
  }

  @Test
  void aWrongBlockIsFound() {
    assertBroken(
        trial(OperationKind.ALL_REDUCE, Algorithm.RING, 3, 6, 2, 2, false),
        (rank, schedule) -> {
          for (int step = 0; rank == 2 && step < schedule.build().stepCount(); step++) {
            if (schedule.steps.kind[step] == StepKind.RECV_REDUCE) {
              schedule.steps.srcOffset[step] = (schedule.steps.srcOffset[step] + 2) % 6;
            }
          }
        },
        "wrongly combined");
  }

  @Test
  void aLostContributionIsFound() {
    assertBroken(
        trial(OperationKind.REDUCE, Algorithm.BINOMIAL, 4, 2, 2, 4, false),
        (rank, schedule) -> {
          if (rank == 0) {
            schedule.steps.kind[0] = StepKind.RECV;
            schedule.steps.srcBuffer[0] = Schedule.NONE;
          }
        },
        "rank 0 ends");
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void aDivisionTooManyOrTooFewIsFound(boolean twice) {
    List<Schedule> schedules =
        schedules(
            2,
            (rank, steps) -> {
              steps.send(1 - rank, INPUT, 0, 1);
              steps.recvReduce(1 - rank, INPUT, 0, OUTPUT, 0, 1);
              for (int i = 0; i < (rank == 0 ? 1 : (twice ? 2 : 0)); i++) {
                steps.divide(OUTPUT, 0, 1);
              }
            });
    Trial trial =
        new Trial(
            OperationKind.ALL_REDUCE, null, 2, 0, new long[][] {{1}}, true, new boolean[2], 1, 2);
    assertFails(trial, schedules, "rank 1");
  }

  @Test
  void combinationsInAnotherNestingOnAnotherRankAreFound() {
    // Each rank adds the others' vectors to its own as (own + next) + the one after: right sums,
    // other bits.
    List<Schedule> schedules =
        schedules(
            3,
            (rank, steps) -> {
              for (int distance = 1; distance < 3; distance++) {
                steps.send((rank + 3 - distance) % 3, INPUT, 0, 1);
                steps.recvReduce(
                    (rank + distance) % 3, distance == 1 ? INPUT : OUTPUT, 0, OUTPUT, 0, 1);
              }
            });
    assertFails(
        trial(OperationKind.ALL_REDUCE, null, 3, 1, 1, 2, false),
        schedules,
        "combined on rank 1 in another way than on 0");
  }

  @Test
  void anExchangeThatNeedsBufferingIsFound() {
    // Both ranks may take the partner's vector only after their own has left.
    List<Schedule> schedules =
        schedules(
            2,
            Aliasing.SAME,
            (rank, steps) -> {
              steps.send(1 - rank, OUTPUT, 0, 3);
              steps.recvReduce(1 - rank, OUTPUT, 0, OUTPUT, 0, 3);
            });
    Trial trial = trial(OperationKind.ALL_REDUCE, null, 2, 3, 3, 2, true);
    assertThatThrownBy(() -> run(trial, schedules, SymbolicRun.RENDEZVOUS))
        .isInstanceOf(ScheduleViolation.class)
        .hasMessageContaining("deadlock");
    assertThatCode(() -> run(trial, schedules, SymbolicRun.UNBOUNDED)).doesNotThrowAnyException();
  }

  @Test
  void aRingWithOneSlotTooFewIsFound() {
    // Reduce-scatter of one-element blocks over four ranks through a single scratch slot.
    List<Schedule> schedules =
        schedules(
            4,
            (rank, steps) -> {
              int right = (rank + 1) % 4;
              int left = (rank + 3) % 4;
              steps.send(right, INPUT, left, 1);
              steps.recvReduce(left, INPUT, (rank + 2) % 4, SCRATCH, 0, 1);
              steps.send(right, SCRATCH, 0, 1);
              steps.recvReduce(left, INPUT, right, SCRATCH, 0, 1);
              steps.send(right, SCRATCH, 0, 1);
              steps.recvReduce(left, INPUT, rank, OUTPUT, 0, 1);
            });
    Trial trial = trial(OperationKind.REDUCE_SCATTER, null, 4, 1, 1, 2, false);
    assertThatThrownBy(() -> run(trial, schedules, SymbolicRun.RENDEZVOUS))
        .isInstanceOf(ScheduleViolation.class)
        .hasMessageContaining("deadlock");
    assertThatCode(() -> run(trial, schedules, SymbolicRun.UNBOUNDED)).doesNotThrowAnyException();
  }

  @Test
  void aRegionOverwrittenWhileItIsSentIsFound() {
    assertBroken(
        trial(OperationKind.ALL_REDUCE, Algorithm.RING, 2, 4, 2, 2, true),
        (rank, schedule) -> {
          for (int step = 0; step < schedule.build().stepCount(); step++) {
            if (schedule.steps.kind[step] == StepKind.RECV) {
              schedule.free(step);
            }
          }
        },
        "in flight");
  }

  @Test
  void aWrittenSendBufferIsFound() {
    assertBroken(
        trial(OperationKind.ALL_GATHER, Algorithm.RING, 2, 2, 2, 2, false),
        (rank, schedule) -> {
          for (int step = 0; step < schedule.build().stepCount(); step++) {
            if (schedule.steps.kind[step] == StepKind.RECV) {
              schedule.steps.dstBuffer[step] = INPUT;
              schedule.steps.dstOffset[step] = 0;
              schedule.free(step);
            }
          }
        },
        "writes");
  }

  @Test
  void memoryThatNobodyWroteIsFound() {
    assertBroken(
        trial(OperationKind.REDUCE, Algorithm.BINOMIAL, 4, 2, 2, 4, false),
        (rank, schedule) -> {
          if (rank == 2) {
            schedule.steps.srcBuffer[0] = SCRATCH;
            schedule.steps.srcOffset[0] = 0;
          }
        },
        "nobody wrote");
  }

  @Test
  void aRegionBehindItsBufferIsFound() {
    assertBroken(
        trial(OperationKind.BROADCAST, Algorithm.BINOMIAL, 2, 4, 4, 2, false),
        (rank, schedule) -> {
          if (rank == 1) {
            schedule.steps.dstOffset[0] = 1;
          }
        },
        "beyond its buffer");
  }

  @Test
  void anOutputThatIsNotThereIsFound() {
    assertBroken(
        trial(OperationKind.REDUCE, Algorithm.BINOMIAL, 4, 2, 2, 4, false),
        (rank, schedule) -> {
          if (rank == 2) {
            schedule.steps.dstBuffer[0] = OUTPUT;
          }
        },
        "beyond its buffer");
  }

  @Test
  void endsThatDisagreeAreFound() {
    Trial trial = trial(OperationKind.ALL_GATHER, Algorithm.RING, 3, 4, 2, 2, false);
    List<Schedule> wrongPeer = trial.schedules();
    MutableSchedule mutable = new MutableSchedule(wrongPeer.get(0));
    mutable.steps.peer[0] = 2;
    wrongPeer.set(0, mutable.build());
    assertThatThrownBy(() -> StaticChecks.messagesMatch(wrongPeer))
        .isInstanceOf(ScheduleViolation.class)
        .hasMessageContaining("messages to rank 1");

    List<Schedule> wrongCount = trial.schedules();
    mutable = new MutableSchedule(wrongCount.get(0));
    mutable.steps.length[0] = 1;
    wrongCount.set(0, mutable.build());
    assertThatThrownBy(() -> StaticChecks.messagesMatch(wrongCount))
        .isInstanceOf(ScheduleViolation.class)
        .hasMessageContaining("message 0 from rank 0 to rank 1");
  }

  @Test
  void aMessageThatNobodyReceivesEndsInADeadlockOrIsLeftOver() {
    List<Schedule> schedules =
        schedules(
            2,
            (rank, steps) -> {
              if (rank == 0) {
                steps.send(1, INPUT, 0, 1);
              }
            });
    Trial trial = trial(OperationKind.ALL_REDUCE, null, 2, 1, 1, 2, false);
    assertThatThrownBy(() -> run(trial, schedules, SymbolicRun.RENDEZVOUS))
        .hasMessageContaining("deadlock");
    assertThatThrownBy(() -> run(trial, schedules, SymbolicRun.UNBOUNDED))
        .hasMessageContaining("sent more than");
  }

  @Test
  void aBarrierThatForwardsTooEarlyIsFound() {
    Trial trial = trial(OperationKind.BARRIER, Algorithm.DISSEMINATION, 5, 0, 1, 2, false);
    List<Schedule> schedules = trial.schedules();
    assertThatCode(() -> StaticChecks.everyRankHearsOfEvery(schedules)).doesNotThrowAnyException();
    MutableSchedule mutable = new MutableSchedule(schedules.get(3));
    for (int step = 0; step < schedules.get(3).stepCount(); step++) {
      mutable.free(step);
    }
    schedules.set(3, mutable.build());
    assertThatThrownBy(() -> StaticChecks.everyRankHearsOfEvery(schedules))
        .isInstanceOf(ScheduleViolation.class)
        .hasMessageContaining("heard only of ranks");
  }

  /** A trial whose ranks are all in place, or all not; even blocks of {@code count}. */
  private static Trial trial(
      OperationKind operation,
      @Nullable Algorithm algorithm,
      int size,
      long count,
      long chunk,
      long scratch,
      boolean inPlace) {
    long[] row = new long[size];
    Arrays.fill(row, count);
    boolean[] all = new boolean[size];
    Arrays.fill(all, inPlace);
    return new Trial(operation, algorithm, size, 0, new long[][] {row}, false, all, chunk, scratch);
  }

  private static List<Schedule> schedules(
      int size, BiConsumer<Integer, ScheduleBuilder> algorithm) {
    return schedules(size, Aliasing.NONE, algorithm);
  }

  private static List<Schedule> schedules(
      int size, Aliasing aliasing, BiConsumer<Integer, ScheduleBuilder> algorithm) {
    IntFunction<Schedule> plan =
        rank -> {
          ScheduleBuilder steps = new ScheduleBuilder(Algorithm.LINEAR, rank, size, aliasing);
          algorithm.accept(rank, steps);
          return steps.build();
        };
    List<Schedule> schedules = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      schedules.add(plan.apply(rank));
    }
    return schedules;
  }

  private static void assertBroken(
      Trial trial, BiConsumer<Integer, MutableSchedule> mutation, String message) {
    List<Schedule> schedules = trial.schedules();
    for (int rank = 0; rank < trial.size(); rank++) {
      MutableSchedule mutable = new MutableSchedule(schedules.get(rank));
      mutation.accept(rank, mutable);
      schedules.set(rank, mutable.build());
    }
    assertFails(trial, schedules, message);
  }

  private static void assertFails(Trial trial, List<Schedule> schedules, String message) {
    assertThatThrownBy(() -> run(trial, schedules, SymbolicRun.UNBOUNDED))
        .isInstanceOf(ScheduleViolation.class)
        .hasMessageContaining(message);
  }

  /** Runs with everything in flight as long as possible. */
  private static void run(Trial trial, List<Schedule> schedules, int capacity) {
    Expressions expressions = new Expressions();
    List<RankMemory> memories = trial.memories(expressions, schedules);
    Order order = new Order(Order.Preference.RANDOM, -1, Order.Completion.LAST, 1);
    new SymbolicRun(schedules, memories, expressions, order, capacity, SEED).run();
    trial.checkResults(expressions, memories);
  }
}
