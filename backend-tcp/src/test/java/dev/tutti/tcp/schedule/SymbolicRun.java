package dev.tutti.tcp.schedule;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Interprets the schedules of all ranks together, on symbolic values, with an engine's freedom: any
 * order of steps that dependencies allow, messages in pieces, completions late, and links that hold
 * no element, some, or any number.
 *
 * <p>A {@link ScheduleViolation} is thrown if a step uses a region that a step in flight writes (or
 * writes one that is read), reads what nobody wrote, writes a send buffer, leaves its buffer, or if
 * nothing can happen any more although steps are left.
 */
final class SymbolicRun {
  /** A link that holds nothing: a send ends only into a posted receive. */
  static final int RENDEZVOUS = 0;

  /** A link that takes everything at once. */
  static final int UNBOUNDED = Integer.MAX_VALUE;

  private final List<Schedule> schedules;
  private final List<RankMemory> memories;
  private final Expressions expressions;
  private final Order order;
  private final int capacity;
  private final SplittableRandom random;
  private final int size;

  /** Dependencies left, by rank and step. */
  private final int[][] waiting;

  private final int[] stepsLeft;
  private final Link[] links;
  private final EventBag events = new EventBag();
  private final EventBag completions = new EventBag();

  /** The messages from one rank to another. */
  private static final class Link {
    final int from;
    final int to;
    int sends;
    int recvs;
    int sent;
    int received;
    boolean sendBegun;
    boolean recvBegun;
    boolean listed;
    final ArrayDeque<Integer> held = new ArrayDeque<>();

    Link(int from, int to) {
      this.from = from;
      this.to = to;
    }
  }

  /** A piece moves on a link. */
  private static final int LINK = 0;

  /** A step without a message begins. */
  private static final int LOCAL_BEGIN = 1;

  /** A step is told that it is complete. */
  private static final int COMPLETE = 2;

  /** A bag of encoded events from which one can be taken at an index. */
  private static final class EventBag {
    private long[] events = new long[64];
    private int count;

    void add(int what, int rank, int number) {
      if (count == events.length) {
        events = Arrays.copyOf(events, 2 * count);
      }
      events[count++] = ((long) what << 60) | ((long) rank << 32) | number;
    }

    long take(int index, boolean keepOrder) {
      long taken = events[index];
      count--;
      if (keepOrder) {
        System.arraycopy(events, index + 1, events, index, count - index);
      } else {
        events[index] = events[count];
      }
      return taken;
    }
  }

  /**
   * Prepares a run; {@link #run} does it, once.
   *
   * @param capacity elements that each link holds
   */
  SymbolicRun(
      List<Schedule> schedules,
      List<RankMemory> memories,
      Expressions expressions,
      Order order,
      int capacity,
      long seed) {
    this.schedules = schedules;
    this.memories = memories;
    this.expressions = expressions;
    this.order = order;
    this.capacity = capacity;
    this.random = new SplittableRandom(seed);
    this.size = schedules.size();
    this.waiting = new int[size][];
    this.stepsLeft = new int[size];
    this.links = new Link[size * size];
    for (int rank = 0; rank < size; rank++) {
      for (int peer = 0; peer < size; peer++) {
        links[rank * size + peer] = new Link(rank, peer);
      }
    }
  }

  /** Runs all ranks to the end. */
  void run() {
    for (int rank = 0; rank < size; rank++) {
      Schedule schedule = schedules.get(rank);
      waiting[rank] = new int[schedule.stepCount()];
      schedule.dependencyCounts(waiting[rank]);
      stepsLeft[rank] = schedule.stepCount();
    }
    for (int rank = 0; rank < size; rank++) {
      for (int step = 0; step < waiting[rank].length; step++) {
        if (waiting[rank][step] == 0) {
          ready(rank, step);
        }
      }
    }
    while (events.count + completions.count > 0) {
      happen(next());
    }
    for (int rank = 0; rank < size; rank++) {
      if (stepsLeft[rank] > 0) {
        throw new ScheduleViolation("deadlock: nothing can happen any more\n" + stuck());
      }
    }
    for (Link link : links) {
      if (!link.held.isEmpty()) {
        throw new ScheduleViolation(
            "rank " + link.from + " sent more than rank " + link.to + " received");
      }
    }
  }

  private long next() {
    boolean completes =
        events.count == 0
            || (completions.count > 0
                && switch (order.completion()) {
                  case ANY_TIME -> random.nextInt(events.count + completions.count) >= events.count;
                  case AT_ONCE -> true;
                  case LAST -> false;
                });
    EventBag bag = completes ? completions : events;
    int index =
        switch (order.preference()) {
          case RANDOM -> random.nextInt(bag.count);
          case NEWEST -> bag.count - 1;
          case OLDEST -> 0;
        };
    for (int i = 0; i < bag.count && order.victim() >= 0; i++) {
      int tried = (index + i) % bag.count;
      if (!involves(bag.events[tried], order.victim())) {
        index = tried;
        break;
      }
    }
    return bag.take(index, order.preference() == Order.Preference.OLDEST);
  }

  private boolean involves(long event, int rank) {
    return rankOf(event) == rank || (kindOf(event) == LINK && numberOf(event) == rank);
  }

  private static int kindOf(long event) {
    return (int) (event >>> 60);
  }

  private static int rankOf(long event) {
    return (int) (event >>> 32) & 0xffff;
  }

  private static int numberOf(long event) {
    return (int) event;
  }

  private void happen(long event) {
    int rank = rankOf(event);
    int number = numberOf(event);
    switch (kindOf(event)) {
      case LINK -> {
        Link link = links[rank * size + number];
        link.listed = false;
        if (advance(link)) {
          list(link);
        }
      }
      case LOCAL_BEGIN -> {
        memories.get(rank).begin(schedules.get(rank), number);
        completions.add(COMPLETE, rank, number);
      }
      default -> complete(rank, number);
    }
  }

  private void ready(int rank, int step) {
    Schedule schedule = schedules.get(rank);
    if (schedule.kind(step).isLocal()) {
      events.add(LOCAL_BEGIN, rank, step);
    } else if (schedule.kind(step) == StepKind.SEND) {
      list(links[rank * size + schedule.peer(step)]);
    } else {
      list(links[schedule.peer(step) * size + rank]);
    }
  }

  private void list(Link link) {
    if (!link.listed) {
      link.listed = true;
      events.add(LINK, link.from, link.to);
    }
  }

  private void complete(int rank, int step) {
    Schedule schedule = schedules.get(rank);
    RankMemory memory = memories.get(rank);
    for (int i = 0; i < schedule.count(step); i++) {
      switch (schedule.kind(step)) {
        case SEND, RECV, RECV_REDUCE -> {}
        case COPY ->
            memory.writeDestination(schedule, step, i, memory.readSource(schedule, step, i));
        case REDUCE ->
            memory.writeDestination(
                schedule,
                step,
                i,
                expressions.combine(
                    memory.readSource(schedule, step, i), memory.readSource2(schedule, step, i)));
        case FOLD ->
            memory.writeDestination(
                schedule, step, i, expressions.fold(memory.readFolded(schedule, step, i)));
        case DIVIDE ->
            memory.writeDestination(
                schedule, step, i, expressions.divide(memory.readDestination(schedule, step, i)));
      }
    }
    memory.end(schedule, step);
    stepsLeft[rank]--;
    for (int j = schedule.dependentsBegin(step); j < schedule.dependentsEnd(step); j++) {
      int dependent = schedule.dependent(j);
      if (--waiting[rank][dependent] == 0) {
        ready(rank, dependent);
      }
    }
  }

  /** Moves a piece on a link; returns whether anything changed. */
  private boolean advance(Link link) {
    Schedule sender = schedules.get(link.from);
    Schedule receiver = schedules.get(link.to);
    boolean changed = false;
    int send = head(sender.sendsBegin(link.to) + link.sends, sender.sendsEnd(link.to));
    int sendStep = send < 0 ? -1 : sender.sendStep(send);
    if (sendStep >= 0 && !link.sendBegun && waiting[link.from][sendStep] == 0) {
      memories.get(link.from).begin(sender, sendStep);
      link.sendBegun = true;
      changed = true;
    }
    int recv = head(receiver.recvsBegin(link.from) + link.recvs, receiver.recvsEnd(link.from));
    int recvStep = recv < 0 ? -1 : receiver.recvStep(recv);
    if (recvStep >= 0 && !link.recvBegun && waiting[link.to][recvStep] == 0) {
      memories.get(link.to).begin(receiver, recvStep);
      link.recvBegun = true;
      changed = true;
    }

    if (link.sendBegun) {
      int room =
          capacity == RENDEZVOUS
              ? (link.recvBegun && link.sends == link.recvs ? UNBOUNDED : 0)
              : capacity - link.held.size();
      int left = (int) sender.count(sendStep) - link.sent;
      int piece = piece(Math.min(left, room));
      for (int i = 0; i < piece; i++) {
        link.held.add(memories.get(link.from).readSource(sender, sendStep, link.sent++));
      }
      changed |= piece > 0;
      if (piece == left && (left > 0 || room > 0)) {
        completions.add(COMPLETE, link.from, sendStep);
        link.sends++;
        link.sent = 0;
        link.sendBegun = false;
        changed = true;
      }
    }
    if (link.recvBegun) {
      RankMemory memory = memories.get(link.to);
      int left = (int) receiver.count(recvStep) - link.received;
      int piece =
          capacity == RENDEZVOUS ? link.held.size() : piece(Math.min(left, link.held.size()));
      for (int i = 0; i < piece; i++) {
        int incoming = link.held.remove();
        int at = link.received++;
        memory.writeDestination(
            receiver,
            recvStep,
            at,
            receiver.kind(recvStep) == StepKind.RECV
                ? incoming
                : expressions.combine(memory.readSource(receiver, recvStep, at), incoming));
      }
      changed |= piece > 0;
      if (piece == left && (left > 0 || link.sends > link.recvs)) {
        completions.add(COMPLETE, link.to, recvStep);
        link.recvs++;
        link.received = 0;
        link.recvBegun = false;
        changed = true;
      }
    }
    return changed;
  }

  private static int head(int index, int end) {
    return index < end ? index : -1;
  }

  private int piece(int most) {
    return most <= order.maxPiece() ? most : 1 + random.nextInt(order.maxPiece());
  }

  private String stuck() {
    StringBuilder text = new StringBuilder();
    for (int rank = 0; rank < size; rank++) {
      Schedule schedule = schedules.get(rank);
      int shown = 0;
      for (int step = 0; step < schedule.stepCount() && shown < 3; step++) {
        boolean isHead = waiting[rank][step] == 0 && isUnfinishedHead(rank, step);
        if (isHead) {
          text.append("rank ")
              .append(rank)
              .append(": ")
              .append(schedule.describe(step))
              .append('\n');
          shown++;
        }
      }
    }
    return text.toString();
  }

  private boolean isUnfinishedHead(int rank, int step) {
    Schedule schedule = schedules.get(rank);
    if (schedule.kind(step).isLocal()) {
      return false;
    }
    int peer = schedule.peer(step);
    if (schedule.kind(step) == StepKind.SEND) {
      int index = schedule.sendsBegin(peer) + links[rank * size + peer].sends;
      return index < schedule.sendsEnd(peer) && schedule.sendStep(index) == step;
    }
    int index = schedule.recvsBegin(peer) + links[peer * size + rank].recvs;
    return index < schedule.recvsEnd(peer) && schedule.recvStep(index) == step;
  }
}
