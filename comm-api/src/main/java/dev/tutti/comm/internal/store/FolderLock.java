package dev.tutti.comm.internal.store;

import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.internal.Deadline;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets one rank at a time change a folder. The system releases the lock of a process that dies.
 *
 * <p>The system's file locks belong to a process, so threads of one process are kept apart by a
 * lock of their own.
 */
final class FolderLock {
  private static final ReentrantLock[] WITHIN_PROCESS = new ReentrantLock[64];

  static {
    for (int i = 0; i < WITHIN_PROCESS.length; i++) {
      WITHIN_PROCESS[i] = new ReentrantLock();
    }
  }

  private final Path file;
  private final ReentrantLock threads;

  FolderLock(Path file) {
    this.file = file;
    int hash = file.toAbsolutePath().normalize().hashCode();
    this.threads = WITHIN_PROCESS[Math.floorMod(hash, WITHIN_PROCESS.length)];
  }

  interface Change<T> {
    T make() throws IOException;
  }

  <T> T hold(String call, Deadline deadline, Change<T> change) throws IOException {
    lockThreads(call, deadline);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      Backoff backoff = new Backoff(deadline, call);
      while (true) {
        FileLock lock = channel.tryLock();
        if (lock != null) {
          // Closing the channel releases it.
          return change.make();
        }
        if (!backoff.pause()) {
          throw timeout(call, deadline);
        }
      }
    } finally {
      threads.unlock();
    }
  }

  private void lockThreads(String call, Deadline deadline) {
    try {
      if (!threads.tryLock(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
        throw timeout(call, deadline);
      }
    } catch (InterruptedException e) {
      throw StoreContract.interrupted(call);
    }
  }

  private CommTimeoutException timeout(String call, Deadline deadline) {
    return new CommTimeoutException(
        call
            + " timed out after "
            + StoreContract.seconds(deadline.elapsed())
            + ": another rank holds the lock "
            + file
            + ". Look for a rank that is stopped",
        null);
  }
}
