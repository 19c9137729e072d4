package dev.tutti.tcp;

import dev.tutti.comm.CommConfig;
import dev.tutti.comm.CommException;
import dev.tutti.comm.internal.Bootstrap;
import dev.tutti.comm.internal.Deadline;
import dev.tutti.comm.internal.GroupCore;
import dev.tutti.comm.internal.control.Control;
import dev.tutti.comm.internal.control.InMemoryControl;
import dev.tutti.comm.internal.rendezvous.Membership;
import dev.tutti.comm.internal.store.InMemoryStore;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.function.IntFunction;

/** Ranks as threads with control lines of a test's choice. */
final class JobRanks {
  /** For setting up, whatever time the config gives an operation: the machine may be busy. */
  private static final Duration SETUP = Duration.ofSeconds(30);

  private JobRanks() {}

  /** What each rank does. */
  interface Body {
    void run(GroupCore group) throws Exception;
  }

  /**
   * A line whose reports a test can hold back, as if the process had died before it could write
   * them.
   */
  static final class Muted implements Control {
    private final Control line;
    private volatile boolean mute;

    Muted(Control line) {
      this.line = line;
    }

    void mute() {
      mute = true;
    }

    @Override
    public void subscribe(String group, Listener listener) {
      line.subscribe(group, listener);
    }

    @Override
    public void unsubscribe(String group) {
      line.unsubscribe(group);
    }

    @Override
    public void sendBreak(String group, CommException cause) {
      if (!mute) {
        line.sendBreak(group, cause);
      }
    }

    @Override
    public boolean detectsDeath() {
      return line.detectsDeath();
    }

    @Override
    public void close() {
      line.close();
    }
  }

  /** Runs a body on every rank of a job with a control line. */
  static void run(int size, String config, Body body) throws InterruptedException {
    run(size, config, new InMemoryControl(size)::line, body);
  }

  /** Runs a body on every rank and waits for all; throws what a body threw. */
  static void run(int size, String config, IntFunction<Control> lines, Body body)
      throws InterruptedException {
    InMemoryStore store = new InMemoryStore(size);
    List<Thread> threads = new ArrayList<>();
    AssertionError failures = new AssertionError("a rank failed");
    for (int rank = 0; rank < size; rank++) {
      Membership place =
          new Membership(
              rank,
              size,
              rank,
              size,
              "test",
              "localhost",
              store.view(),
              lines.apply(rank),
              "a test",
              InetAddress.getLoopbackAddress());
      threads.add(
          Thread.ofPlatform()
              .name("rank-" + rank)
              .start(
                  () -> {
                    try {
                      GroupCore group =
                          Bootstrap.world(
                              CommConfig.parse(config),
                              place,
                              ForkJoinPool.commonPool(),
                              Deadline.after(SETUP));
                      try {
                        body.run(group);
                      } finally {
                        group.close();
                      }
                    } catch (Throwable e) {
                      failures.addSuppressed(e);
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    if (failures.getSuppressed().length > 0) {
      throw failures;
    }
  }
}
