package dev.tutti.comm.internal.control;

import dev.tutti.comm.CommException;
import dev.tutti.comm.internal.control.Control.Listener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * One rank's record of who died and which groups broke, and its delivery to the groups' listeners,
 * late ones too.
 *
 * <p>Thread-safe. Listeners are called in the order of the announcements by one thread, which is
 * started when there is something to deliver and ends when there is not: a listener may take its
 * group's lock, so no announcing thread may call it.
 */
final class Announcements {
  private static final System.Logger LOG = System.getLogger(Announcements.class.getName());

  private record Break(int rank, CommException cause) {}

  private final ThreadFactory threads;
  private final Map<String, Listener> listeners = new HashMap<>();
  private final Map<Integer, String> deaths = new LinkedHashMap<>();
  private final Map<String, List<Break>> breaks = new HashMap<>();
  private final ArrayDeque<Runnable> queue = new ArrayDeque<>();
  private @Nullable Break lost;
  private boolean delivering;

  Announcements(ThreadFactory threads) {
    this.threads = threads;
  }

  synchronized void subscribe(String group, Listener listener) {
    if (listeners.putIfAbsent(group, listener) != null) {
      throw new IllegalStateException("Group \"" + group + "\" has a listener already");
    }
    deaths.forEach((rank, reason) -> enqueue(group, listener, l -> l.died(rank, reason)));
    for (Break known : breaks.getOrDefault(group, List.of())) {
      enqueue(group, listener, l -> l.broken(known.rank(), known.cause()));
    }
    Break end = lost;
    if (end != null) {
      enqueue(group, listener, l -> l.broken(end.rank(), end.cause()));
    }
  }

  synchronized void unsubscribe(String group) {
    listeners.remove(group);
  }

  /** Announces that a rank died; a second death of the same rank is not news. */
  synchronized void died(int rank, String reason) {
    if (deaths.putIfAbsent(rank, reason) == null) {
      listeners.forEach((group, listener) -> enqueue(group, listener, l -> l.died(rank, reason)));
    }
  }

  /** Announces that a rank's membership in a group broke. */
  synchronized void broken(String group, int rank, CommException cause) {
    breaks.computeIfAbsent(group, g -> new ArrayList<>()).add(new Break(rank, cause));
    Listener listener = listeners.get(group);
    if (listener != null) {
      enqueue(group, listener, l -> l.broken(rank, cause));
    }
  }

  /**
   * Announces to every group, also to those to come, that this rank lost its line to the others.
   *
   * @param rank this rank
   */
  synchronized void lost(int rank, CommException cause) {
    if (lost == null) {
      lost = new Break(rank, cause);
      listeners.forEach((group, listener) -> enqueue(group, listener, l -> l.broken(rank, cause)));
    }
  }

  private interface Call {
    void on(Listener listener);
  }

  @SuppressWarnings("ReferenceEquality") // the very same listener, not one that came after it
  private void enqueue(String group, Listener listener, Call call) {
    queue.add(
        () -> {
          synchronized (this) {
            if (listeners.get(group) != listener) {
              return;
            }
          }
          call.on(listener);
        });
    if (!delivering) {
      delivering = true;
      threads.newThread(this::deliver).start();
    }
  }

  private void deliver() {
    while (true) {
      Runnable next;
      synchronized (this) {
        next = queue.poll();
        if (next == null) {
          delivering = false;
          return;
        }
      }
      try {
        next.run();
      } catch (RuntimeException | Error e) {
        LOG.log(System.Logger.Level.ERROR, "A group's control listener failed", e);
      }
    }
  }
}
