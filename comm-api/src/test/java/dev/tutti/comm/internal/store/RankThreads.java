package dev.tutti.comm.internal.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs a piece of a test as several ranks, each on a thread of its own. */
public final class RankThreads {
  private RankThreads() {}

  /** What one rank does. */
  public interface Body<T> {
    T run(int rank) throws Exception;
  }

  /** Runs all ranks and returns their results in rank order; the first failure is thrown. */
  public static <T> List<T> run(int size, Duration timeout, Body<T> body) throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      try {
        List<Future<T>> futures = new ArrayList<>();
        for (int rank = 0; rank < size; rank++) {
          int self = rank;
          futures.add(threads.submit(() -> body.run(self)));
        }
        long end = System.nanoTime() + timeout.toNanos();
        List<T> results = new ArrayList<>();
        for (Future<T> future : futures) {
          results.add(future.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS));
        }
        return results;
      } catch (ExecutionException e) {
        throw e.getCause() instanceof Exception cause ? cause : e;
      } catch (TimeoutException e) {
        throw new AssertionError("Not all ranks were done within " + timeout, e);
      } finally {
        threads.shutdownNow();
      }
    }
  }
}
