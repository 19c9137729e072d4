package dev.tutti.comm.internal.launch;

import dev.tutti.comm.internal.rendezvous.JobServer;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The processes of a running job. A daemon thread watches them: when one fails, the others get some
 * time, are then asked to end, and then ended; so they are when the time of the job is over, when
 * this object is closed, and when this process ends.
 *
 * <p>All methods may be called from any thread.
 */
public final class LaunchedJob implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(LaunchedJob.class.getName());

  /** How long a process may take to end once it was asked to. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final String job;
  private final List<Process> processes;
  private final @Nullable Relay relay;
  private final JobServer server;
  private final SocketChannel reserved;
  private final @Nullable Duration timeout;
  private final Duration grace;
  private final RankOutput output;
  private final ProcessTrees trees;
  private final long start = System.nanoTime();
  private final CompletableFuture<LaunchResult> result = new CompletableFuture<>();
  private final Thread exitHook;
  private int running;
  private int firstFailed = -1;
  private boolean closing;

  LaunchedJob(
      String job,
      List<Process> processes,
      @Nullable Relay relay,
      JobServer server,
      SocketChannel reserved,
      @Nullable Duration timeout,
      Duration grace,
      RankOutput output) {
    this.job = job;
    this.processes = List.copyOf(processes);
    this.relay = relay;
    this.server = server;
    this.reserved = reserved;
    this.timeout = timeout;
    this.grace = grace;
    this.output = output;
    this.trees =
        new ProcessTrees("TUTTI_JOB=" + job, relay == null ? processes : List.of(relay.starter()));
    this.running = processes.size();
    this.exitHook = new Thread(this::endAll, "tutti-launch-exit");
    Runtime.getRuntime().addShutdownHook(exitHook);
    if (relay != null) {
      output.attachStarter(relay.starter());
    }
    for (int rank = 0; rank < processes.size(); rank++) {
      output.attach(rank, processes.get(rank));
      watch(rank, processes.get(rank));
    }
    Thread.ofPlatform().daemon().name("tutti-launch-" + job).start(this::supervise);
  }

  /** Returns the job's name, which is in its processes' variable {@code TUTTI_JOB}. */
  public String job() {
    return job;
  }

  /** Returns the number of ranks. */
  public int size() {
    return processes.size();
  }

  /**
   * Returns a rank's process, for tests that end or stop it.
   *
   * @param rank the rank, in {@code [0, size())}
   */
  public ProcessHandle process(int rank) {
    return processes.get(rank).toHandle();
  }

  /** Waits for the end of all ranks. */
  public LaunchResult await() throws InterruptedException {
    try {
      return result.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("Watching the job failed", e.getCause());
    }
  }

  /** Ends all ranks that still run, and all that they have started. Idempotent, bounded. */
  @Override
  public void close() {
    synchronized (this) {
      closing = true;
      notifyAll();
    }
    try {
      result.get(PATIENCE.multipliedBy(4).toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      trees.kill();
    } catch (ExecutionException | TimeoutException e) {
      LOG.log(System.Logger.Level.WARNING, "Job {0} did not end in order: {1}", job, e);
      trees.kill();
    }
  }

  /** Leaves nothing behind when this process ends. */
  private void endAll() {
    trees.end(PATIENCE);
    if (relay != null) {
      relay.close();
    }
  }

  private void watch(int rank, Process process) {
    var _ =
        process
            .onExit()
            .thenAccept(
                ended -> {
                  synchronized (this) {
                    running--;
                    if (ended.exitValue() != 0 && firstFailed < 0) {
                      firstFailed = rank;
                    }
                    notifyAll();
                  }
                });
  }

  private void supervise() {
    try {
      boolean timedOut = awaitEnd();
      if (relay != null && haveEnded()) {
        relay.awaitStarter();
      }
      trees.end(PATIENCE);
      if (!output.awaitEnd(PATIENCE)) {
        LOG.log(System.Logger.Level.WARNING, "Job {0}: somebody still holds its output", job);
      }
      result.complete(result(timedOut));
    } catch (InterruptedException | RuntimeException e) {
      trees.kill();
      result.completeExceptionally(e);
    } finally {
      if (relay != null) {
        relay.close();
      }
      closeAll(server, reserved);
      forgetExitHook();
    }
  }

  /** Waits until all ranks have ended, or must be; returns whether the time was over. */
  private synchronized boolean awaitEnd() throws InterruptedException {
    long never = Long.MAX_VALUE;
    long timeLeft = timeout == null ? never : bounded(timeout);
    long graceEnd = never;
    while (running > 0 && !closing) {
      long now = System.nanoTime() - start;
      if (firstFailed >= 0 && graceEnd == never) {
        graceEnd = now + bounded(grace);
      }
      if (now >= timeLeft) {
        return firstFailed < 0;
      }
      if (now >= graceEnd) {
        return false;
      }
      long next = Math.min(timeLeft, graceEnd);
      if (next == never) {
        wait();
      } else {
        TimeUnit.NANOSECONDS.timedWait(this, next - now);
      }
    }
    return false;
  }

  private synchronized boolean haveEnded() {
    return running == 0;
  }

  private synchronized LaunchResult result(boolean timedOut) {
    Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
    if (timedOut) {
      return new LaunchResult(LaunchResult.TIMED_OUT, -1, List.of(), elapsed, true);
    }
    int failed = firstFailed;
    // The first to end is not always the first to fail: those whom it tells may be faster.
    OptionalInt culprit = server.firstFailure();
    if (failed >= 0 && culprit.isPresent() && exitCode(culprit.getAsInt()) != 0) {
      failed = culprit.getAsInt();
    }
    return failed < 0
        ? new LaunchResult(0, -1, List.of(), elapsed, false)
        : new LaunchResult(exitCode(failed), failed, output.lastLines(failed), elapsed, false);
  }

  private int exitCode(int rank) {
    if (rank >= processes.size()) {
      return 0;
    }
    Process process = processes.get(rank);
    return process.isAlive() ? 0 : process.exitValue();
  }

  private void forgetExitHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(exitHook);
    } catch (IllegalStateException e) {
      // This process is ending: the hook runs, and finds nothing more to do.
    }
  }

  private static long bounded(Duration time) {
    Duration longest = Duration.ofDays(10_000);
    return (time.compareTo(longest) > 0 ? longest : time).toNanos();
  }

  static void closeAll(@Nullable JobServer server, @Nullable SocketChannel reserved) {
    if (server != null) {
      server.close();
    }
    try {
      if (reserved != null) {
        reserved.close();
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "Closing the reserved port", e);
    }
  }
}
