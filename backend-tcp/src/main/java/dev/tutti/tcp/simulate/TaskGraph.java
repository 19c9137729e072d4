package dev.tutti.tcp.simulate;

import dev.tutti.tcp.schedule.Schedule;
import dev.tutti.tcp.schedule.StepKind;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The steps of all ranks as one graph, a step being a number: what each costs, what waits for it,
 * and which send belongs to which receive. A tenth of the schedules' memory; they are not kept.
 */
final class TaskGraph {
  static final byte SEND = 0;
  static final byte RECV = 1;
  static final byte RECV_REDUCE = 2;
  static final byte LOCAL = 3;

  private static final int NONE = -1;

  private final int elementBytes;

  /** Step i of rank r is {@code firstStep[r] + i}; the last entry is the number of steps. */
  private int[] firstStep = new int[17];

  private int ranks;
  private int count;
  private byte[] kind = new byte[64];
  private long[] bytes = new long[64];
  private int[] waits = new int[64];

  /** The next step of the same peer and direction, which may not begin before this one ended. */
  private int[] next = new int[64];

  /** A send's receive. */
  private int[] partner = new int[64];

  private int[] dependentStart = new int[65];
  private int[] dependent = new int[64];

  private TaskGraph(int elementBytes) {
    this.elementBytes = elementBytes;
  }

  /**
   * Returns the graph of all ranks, or null if they have more than {@code maxSteps} steps in all.
   *
   * @throws StuckScheduleException if a rank does not receive what another sends it
   */
  static @Nullable TaskGraph of(
      int size, int elementBytes, IntFunction<Schedule> planner, int maxSteps) {
    TaskGraph graph = new TaskGraph(elementBytes);
    // The sends of each pair, by sender * size + receiver: the first one and how many.
    Map<Long, int[]> sends = new HashMap<>();
    for (int rank = 0; rank < size; rank++) {
      Schedule schedule = planner.apply(rank);
      if (graph.count + (long) schedule.stepCount() > maxSteps) {
        return null;
      }
      int first = graph.add(schedule);
      for (int peer = 0; peer < size; peer++) {
        int from = schedule.sendsBegin(peer);
        int to = schedule.sendsEnd(peer);
        if (from < to) {
          int[] steps = new int[to - from];
          Arrays.setAll(steps, i -> first + schedule.sendStep(from + i));
          sends.put((long) rank * size + peer, steps);
        }
      }
    }
    for (int rank = 0; rank < size; rank++) {
      Schedule schedule = planner.apply(rank);
      for (int peer = 0; peer < size; peer++) {
        int from = schedule.recvsBegin(peer);
        int[] steps = sends.remove((long) peer * size + rank);
        int sent = steps == null ? 0 : steps.length;
        requireSameCount(peer, rank, sent, schedule.recvsEnd(peer) - from);
        for (int i = 0; i < sent && steps != null; i++) {
          graph.match(steps[i], graph.firstStep[rank] + schedule.recvStep(from + i));
        }
      }
    }
    return graph;
  }

  /** Returns the graph of rank 0 alone, whose messages go to itself because all ranks do alike. */
  static TaskGraph of(Schedule zero, int elementBytes, Symmetry symmetry) {
    TaskGraph graph = new TaskGraph(elementBytes);
    graph.add(zero);
    for (int peer = 0; peer < zero.size(); peer++) {
      int sends = zero.sendsBegin(peer);
      int sent = zero.sendsEnd(peer) - sends;
      int mirror = symmetry.mirror(peer, zero.size());
      int recvs = zero.recvsBegin(mirror);
      requireSameCount(0, peer, sent, zero.recvsEnd(mirror) - recvs);
      for (int i = 0; i < sent; i++) {
        graph.match(zero.sendStep(sends + i), zero.recvStep(recvs + i));
      }
    }
    return graph;
  }

  private static void requireSameCount(int from, int to, int sent, int received) {
    if (sent != received) {
      throw new StuckScheduleException(
          "rank %d sends %d messages to rank %d, which receives %d of them"
              .formatted(from, sent, to, received));
    }
  }

  private void match(int send, int recv) {
    if (bytes[send] != bytes[recv]) {
      throw new StuckScheduleException(
          "a message of %d bytes comes where rank %d receives one of %d as its step %d"
              .formatted(bytes[send], rank(recv), bytes[recv], recv - firstStep[rank(recv)]));
    }
    partner[send] = recv;
  }

  /** Adds a rank's steps; returns the number of its first one. */
  private int add(Schedule schedule) {
    int first = count;
    int steps = schedule.stepCount();
    reserve(first + steps);
    if (ranks + 2 > firstStep.length) {
      firstStep = Arrays.copyOf(firstStep, 2 * firstStep.length);
    }
    ranks++;
    count += steps;
    firstStep[ranks] = count;
    for (int i = 0; i < steps; i++) {
      int step = first + i;
      kind[step] = kind(schedule.kind(i));
      long combined = schedule.kind(i) == StepKind.FOLD ? schedule.size() - 1 : 1;
      bytes[step] = combined * schedule.count(i) * elementBytes;
      waits[step] = schedule.dependencyCount(i);
      next[step] = NONE;
      partner[step] = NONE;
      int at = dependentStart[step];
      int from = schedule.dependentsBegin(i);
      int edges = schedule.dependentsEnd(i) - from;
      if (at + edges > dependent.length) {
        dependent = Arrays.copyOf(dependent, 2 * (at + edges));
      }
      for (int j = 0; j < edges; j++) {
        dependent[at + j] = first + schedule.dependent(from + j);
      }
      dependentStart[step + 1] = at + edges;
    }
    for (int peer = 0; peer < schedule.size(); peer++) {
      for (int j = schedule.sendsBegin(peer) + 1; j < schedule.sendsEnd(peer); j++) {
        follow(first + schedule.sendStep(j - 1), first + schedule.sendStep(j));
      }
      for (int j = schedule.recvsBegin(peer) + 1; j < schedule.recvsEnd(peer); j++) {
        follow(first + schedule.recvStep(j - 1), first + schedule.recvStep(j));
      }
    }
    return first;
  }

  private void follow(int step, int follower) {
    next[step] = follower;
    waits[follower]++;
  }

  private static byte kind(StepKind kind) {
    if (kind.isLocal()) {
      return LOCAL;
    }
    return kind == StepKind.SEND ? SEND : kind == StepKind.RECV_REDUCE ? RECV_REDUCE : RECV;
  }

  private void reserve(int steps) {
    if (steps > kind.length) {
      int room = Math.max(steps, 2 * kind.length);
      kind = Arrays.copyOf(kind, room);
      bytes = Arrays.copyOf(bytes, room);
      waits = Arrays.copyOf(waits, room);
      next = Arrays.copyOf(next, room);
      partner = Arrays.copyOf(partner, room);
      dependentStart = Arrays.copyOf(dependentStart, room + 1);
    }
  }

  /** Returns how many ranks have steps here; 1 where one stands for all. */
  int ranks() {
    return ranks;
  }

  int stepCount() {
    return count;
  }

  int firstStep(int rank) {
    return firstStep[rank];
  }

  /** Returns the rank of a step. */
  int rank(int step) {
    int found = Arrays.binarySearch(firstStep, 0, ranks + 1, step);
    int rank = found >= 0 ? found : -found - 2;
    // Ranks without steps begin where the next one does.
    while (firstStep[rank + 1] == step) {
      rank++;
    }
    return rank;
  }

  byte kind(int step) {
    return kind[step];
  }

  long bytes(int step) {
    return bytes[step];
  }

  /** Returns the receive of a send. */
  int partner(int step) {
    return partner[step];
  }

  /** Returns the step that may begin once this one has ended, or -1. */
  int next(int step) {
    return next[step];
  }

  /** Returns on how many steps each step waits, its predecessor of the same peer included. */
  int[] waits() {
    return Arrays.copyOf(waits, count);
  }

  int dependentsBegin(int step) {
    return dependentStart[step];
  }

  int dependentsEnd(int step) {
    return dependentStart[step + 1];
  }

  int dependent(int at) {
    return dependent[at];
  }
}
