package dev.tutti.tcp.simulate;

import java.util.Arrays;

/**
 * Events by time; of those at one time, the one first added comes first. A binary heap of
 * primitives: a run has millions of events.
 */
final class EventQueue {
  private double[] times = new double[256];
  private long[] orders = new long[256];
  private long[] events = new long[256];
  private int count;
  private long added;
  private double now;

  /** Adds an event; not before {@link #now}. */
  void add(double time, long event) {
    if (count == times.length) {
      times = Arrays.copyOf(times, 2 * count);
      orders = Arrays.copyOf(orders, 2 * count);
      events = Arrays.copyOf(events, 2 * count);
    }
    int at = count++;
    long order = added++;
    while (at > 0) {
      int parent = (at - 1) >> 1;
      if (times[parent] <= time) {
        break;
      }
      move(parent, at);
      at = parent;
    }
    put(at, time, order, event);
  }

  /** Takes the next event; there is one. */
  long poll() {
    long event = events[0];
    now = times[0];
    count--;
    double time = times[count];
    long order = orders[count];
    long last = events[count];
    int at = 0;
    while (true) {
      int child = 2 * at + 1;
      if (child >= count) {
        break;
      }
      if (child + 1 < count && isBefore(child + 1, times[child], orders[child])) {
        child++;
      }
      if (!isBefore(child, time, order)) {
        break;
      }
      move(child, at);
      at = child;
    }
    put(at, time, order, last);
    return event;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** Returns the time of the event that was taken last, in seconds. */
  double now() {
    return now;
  }

  private boolean isBefore(int at, double time, long order) {
    return times[at] < time || (times[at] == time && orders[at] < order);
  }

  private void move(int from, int to) {
    put(to, times[from], orders[from], events[from]);
  }

  private void put(int at, double time, long order, long event) {
    times[at] = time;
    orders[at] = order;
    events[at] = event;
  }
}
