package dev.tutti.tcp.schedule;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * What can be said of schedules without running them: in every order of completion it then holds.
 */
final class StaticChecks {
  private StaticChecks() {}

  /**
   * Checks that both ends of every message agree on its length.
   *
   * @throws ScheduleViolation if they do not
   */
  static void messagesMatch(List<Schedule> schedules) {
    int size = schedules.size();
    for (int from = 0; from < size; from++) {
      for (int to = 0; to < size; to++) {
        Schedule sender = schedules.get(from);
        Schedule receiver = schedules.get(to);
        int sends = sender.sendsEnd(to) - sender.sendsBegin(to);
        int recvs = receiver.recvsEnd(from) - receiver.recvsBegin(from);
        if (sends != recvs) {
          throw new ScheduleViolation(
              "rank %d sends %d messages to rank %d, which receives %d"
                  .formatted(from, sends, to, recvs));
        }
        for (int i = 0; i < sends; i++) {
          int send = sender.sendStep(sender.sendsBegin(to) + i);
          int recv = receiver.recvStep(receiver.recvsBegin(from) + i);
          if (sender.count(send) != receiver.count(recv)) {
            throw new ScheduleViolation(
                "message %d from rank %d to rank %d: %s against %s"
                    .formatted(i, from, to, sender.describe(send), receiver.describe(recv)));
          }
        }
      }
    }
  }

  /**
   * Checks that of every two steps which use the same element, one of them writing it, the later
   * one waits for the earlier one, directly or not; and that dependencies only go back.
   *
   * <p>Element by element and by reachability, so nothing is shared with the builder's way of
   * finding dependencies.
   *
   * @throws ScheduleViolation if two such steps could overlap in time
   */
  static void conflictsAreOrdered(Schedule schedule, RankMemory memory) {
    List<BitSet> before = new ArrayList<>();
    for (int step = 0; step < schedule.stepCount(); step++) {
      BitSet all = new BitSet();
      for (int j = schedule.dependenciesBegin(step); j < schedule.dependenciesEnd(step); j++) {
        int on = schedule.dependency(j);
        if (on >= step) {
          throw new ScheduleViolation("step waits for a later one: " + schedule.describe(step));
        }
        all.set(on);
        all.or(before.get(on));
      }
      before.add(all);
    }
    int[] writer = new int[memory.cells()];
    List<List<Integer>> readers = new ArrayList<>();
    for (int cell = 0; cell < memory.cells(); cell++) {
      readers.add(new ArrayList<>(2));
    }
    for (int step = 0; step < schedule.stepCount(); step++) {
      BitSet past = before.get(step);
      int dst = memory.destination(schedule, step);
      int[] sources = memory.sources(schedule, step);
      for (int i = 0; i < schedule.count(step); i++) {
        for (int read : sources) {
          checkPast(schedule, step, past, writer[read + i] - 1);
          readers.get(read + i).add(step);
        }
        if (dst >= 0) {
          checkPast(schedule, step, past, writer[dst + i] - 1);
          for (int reader : readers.get(dst + i)) {
            if (reader != step) {
              checkPast(schedule, step, past, reader);
            }
          }
          readers.get(dst + i).clear();
          writer[dst + i] = step + 1;
        }
      }
    }
  }

  private static void checkPast(Schedule schedule, int step, BitSet past, int earlier) {
    if (earlier >= 0 && !past.get(earlier)) {
      throw new ScheduleViolation(
          "rank %d: nothing orders %s and %s"
              .formatted(schedule.rank(), schedule.describe(earlier), schedule.describe(step)));
    }
  }

  /**
   * Checks a barrier: that the end of each rank's schedule comes after the beginning of every
   * rank's, through dependencies and messages.
   *
   * @throws ScheduleViolation if some rank can end without having heard of another one
   */
  static void everyRankHearsOfEvery(List<Schedule> schedules) {
    int size = schedules.size();
    long[][] heard = new long[size][];
    for (int rank = 0; rank < size; rank++) {
      heard[rank] = new long[schedules.get(rank).stepCount()];
    }
    boolean changed = true;
    while (changed) {
      changed = false;
      for (int rank = 0; rank < size; rank++) {
        Schedule schedule = schedules.get(rank);
        for (int step = 0; step < heard[rank].length; step++) {
          long of = heard[rank][step] | (1L << rank);
          for (int j = schedule.dependenciesBegin(step); j < schedule.dependenciesEnd(step); j++) {
            of |= heard[rank][schedule.dependency(j)];
          }
          if (schedule.kind(step).receives()) {
            int peer = schedule.peer(step);
            of |= heard[peer][sendOf(schedules, rank, step)];
          }
          changed |= of != heard[rank][step];
          heard[rank][step] = of;
        }
      }
    }
    for (int rank = 0; rank < size; rank++) {
      long of = 1L << rank;
      for (long step : heard[rank]) {
        of |= step;
      }
      if (Long.bitCount(of) != size) {
        throw new ScheduleViolation(
            "rank %d can end having heard only of ranks %s"
                .formatted(rank, BitSet.valueOf(new long[] {of})));
      }
    }
  }

  /** Returns the peer's SEND step that a receiving step is matched with. */
  private static int sendOf(List<Schedule> schedules, int rank, int step) {
    Schedule receiver = schedules.get(rank);
    int peer = receiver.peer(step);
    Schedule sender = schedules.get(peer);
    int number = 0;
    while (receiver.recvStep(receiver.recvsBegin(peer) + number) != step) {
      number++;
    }
    return sender.sendStep(sender.sendsBegin(rank) + number);
  }
}
