package dev.tutti.tcp.simulate;

import dev.tutti.tcp.schedule.Schedule;
import java.util.function.IntFunction;

/** One run of a graph of steps on a network, event by event. Used once. */
final class Simulation {
  /** All that a step waits for has ended. */
  private static final int READY = 0;

  /** The processor has handed a message to the port out. */
  private static final int HANDED = 1;

  /** The first byte of a message has reached the receiver. */
  private static final int ARRIVED = 2;

  /** The port in takes a message. */
  private static final int TAKEN = 3;

  /** A received message can be combined. */
  private static final int COMBINE = 4;

  /** A step has ended. */
  private static final int DONE = 5;

  private static final int EVENTS = 6;

  /** Stuck steps that a message lists. */
  private static final int LISTED = 8;

  private final TaskGraph graph;
  private final double latency;
  private final double overhead;
  private final double portSeconds;
  private final double copySeconds;
  private final double workSeconds;

  private final EventQueue queue = new EventQueue();
  private final int[] waits;
  private final int[] rankOf;

  /** Of a send: when its copy ends. Of a receive: when the port in has all of it. */
  private final double[] until;

  private final boolean[] posted;
  private final boolean[] taken;

  // When each rank's resources are free.
  private final double[] portOut;
  private final double[] portIn;
  private final double[] processor;

  private int left;

  /**
   * Prepares a run.
   *
   * @param size ranks of the group, which share the network's cores; more than the graph's where
   *     one rank stands for all
   */
  Simulation(TaskGraph graph, Network network, int size) {
    this.graph = graph;
    double slowdown = network.slowdown(size);
    this.latency = network.latencySeconds();
    this.overhead = network.overheadSeconds() * slowdown;
    this.portSeconds = slowdown / network.bandwidth();
    this.copySeconds = slowdown / network.copyBandwidth();
    this.workSeconds = slowdown / network.reduceBandwidth();
    int steps = graph.stepCount();
    this.waits = graph.waits();
    this.rankOf = new int[steps];
    this.until = new double[steps];
    this.posted = new boolean[steps];
    this.taken = new boolean[steps];
    this.portOut = new double[graph.ranks()];
    this.portIn = new double[graph.ranks()];
    this.processor = new double[graph.ranks()];
    for (int rank = 0; rank < graph.ranks(); rank++) {
      for (int step = graph.firstStep(rank); step < graph.firstStep(rank + 1); step++) {
        rankOf[step] = rank;
      }
    }
  }

  /**
   * Returns when the last step ends, in seconds.
   *
   * @param schedules gives a rank's schedule, to describe what is stuck
   * @throws StuckScheduleException if steps are left but nothing can happen any more
   */
  double run(IntFunction<Schedule> schedules) {
    left = graph.stepCount();
    for (int step = 0; step < waits.length; step++) {
      if (waits[step] == 0) {
        at(0, READY, step);
      }
    }
    double end = 0;
    while (!queue.isEmpty()) {
      long event = queue.poll();
      end = queue.now();
      happen((int) (event % EVENTS), (int) (event / EVENTS));
    }
    if (left > 0) {
      throw stuck(schedules);
    }
    return end;
  }

  private void at(double time, int what, int step) {
    queue.add(time, (long) step * EVENTS + what);
  }

  private void happen(int what, int step) {
    double now = queue.now();
    int rank = rankOf[step];
    long bytes = graph.bytes(step);
    switch (what) {
      case READY -> ready(step, rank, now);
      case HANDED -> {
        double start = Math.max(now, portOut[rank]);
        portOut[rank] = start + bytes * portSeconds;
        at(start + latency, ARRIVED, graph.partner(step));
        at(Math.max(portOut[rank], until[step]), DONE, step);
      }
      case ARRIVED -> {
        double start = Math.max(now, portIn[rank]);
        portIn[rank] = start + bytes * portSeconds;
        until[step] = portIn[rank];
        at(start, TAKEN, step);
      }
      case TAKEN -> {
        taken[step] = true;
        if (posted[step]) {
          place(step, rank, now);
        }
      }
      case COMBINE -> at(work(rank, now, bytes * workSeconds), DONE, step);
      default -> done(step, now);
    }
  }

  private void ready(int step, int rank, double now) {
    switch (graph.kind(step)) {
      case TaskGraph.SEND -> {
        until[step] = work(rank, now, overhead + graph.bytes(step) * copySeconds);
        at(until[step] - graph.bytes(step) * copySeconds, HANDED, step);
      }
      case TaskGraph.LOCAL ->
          at(work(rank, now, overhead + graph.bytes(step) * workSeconds), DONE, step);
      default -> {
        posted[step] = true;
        if (taken[step]) {
          place(step, rank, now);
        }
      }
    }
  }

  /** Copies what arrives to where it belongs, while the rest of it still arrives. */
  private void place(int step, int rank, double now) {
    double copied = work(rank, now, overhead + graph.bytes(step) * copySeconds);
    double placed = Math.max(copied, until[step] + overhead);
    at(placed, graph.kind(step) == TaskGraph.RECV_REDUCE ? COMBINE : DONE, step);
  }

  /** Occupies a rank's processor as soon as it is free; returns until when. */
  private double work(int rank, double now, double seconds) {
    processor[rank] = Math.max(now, processor[rank]) + seconds;
    return processor[rank];
  }

  private void done(int step, double now) {
    left--;
    for (int j = graph.dependentsBegin(step); j < graph.dependentsEnd(step); j++) {
      release(graph.dependent(j), now);
    }
    int next = graph.next(step);
    if (next >= 0) {
      release(next, now);
    }
  }

  private void release(int step, double now) {
    if (--waits[step] == 0) {
      at(now, READY, step);
    }
  }

  private StuckScheduleException stuck(IntFunction<Schedule> schedules) {
    StringBuilder text = new StringBuilder();
    text.append(left).append(" of ").append(graph.stepCount());
    text.append(" steps never end. Those that wait for a message only:");
    int listed = 0;
    for (int step = 0; step < waits.length && listed < LISTED; step++) {
      if (posted[step] && !taken[step]) {
        int rank = rankOf[step];
        text.append("\n  rank ").append(rank).append(": ");
        text.append(schedules.apply(rank).describe(step - graph.firstStep(rank)));
        listed++;
      }
    }
    return new StuckScheduleException(text.toString());
  }
}
