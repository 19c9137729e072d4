package dev.tutti.mpi;

import dev.tutti.comm.NativeCommException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * MPI in this process: started once, used by one thread at a time, ended when the process ends.
 *
 * <p>Nobody waits for the lock but with a limit: a thread may be stuck in a call of MPI that waits
 * for a process which has died.
 */
final class MpiProcess {
  private static final System.Logger LOG = System.getLogger(MpiProcess.class.getName());

  private static @Nullable MpiProcess started;

  private final MpiApi api;
  private final ReentrantLock lock = new ReentrantLock();

  /** What MPI may still write to, or read, although nobody waits for it any more. */
  private final List<Object> abandoned = new ArrayList<>();

  private volatile boolean failed;

  MpiProcess(MpiApi api) {
    this.api = api;
  }

  /**
   * Returns this process's MPI, started if need be.
   *
   * @param patience how long the end of the process may wait for the other processes' ends
   * @throws NativeCommException if MPI could not be started
   */
  static synchronized MpiProcess start(Duration patience) {
    MpiProcess process = started;
    if (process == null) {
      process = new MpiProcess(openMpi());
      try {
        process.api.init();
      } catch (MpiFailure e) {
        throw new NativeCommException(
            e.code(), "MPI could not be started: " + e.getMessage() + "; see its own output", e);
      }
      MpiProcess ending = process;
      Runtime.getRuntime()
          .addShutdownHook(new Thread(() -> ending.finish(patience), "tutti-mpi-finalize"));
      started = process;
    }
    return process;
  }

  /** The bindings' one user, which is there only where they were when this was compiled. */
  private static MpiApi openMpi() {
    try {
      // Modules read what they name; the bindings, on the class path or not, have no name.
      Class<?> bindings = Class.forName(MpiInstallation.BINDINGS, false, loader());
      MpiProcess.class.getModule().addReads(bindings.getModule());
      return Class.forName(MpiInstallation.ADAPTER, true, loader())
          .asSubclass(MpiApi.class)
          .getDeclaredConstructor()
          .newInstance();
    } catch (ReflectiveOperationException | LinkageError e) {
      throw new NativeCommException(
          -1,
          "Open MPI's Java bindings could not be loaded: %s; set them up again with ./tutti setup mpi"
              .formatted(e),
          e);
    }
  }

  private static ClassLoader loader() {
    return MpiProcess.class.getClassLoader();
  }

  MpiApi api() {
    return api;
  }

  /** Takes the lock if it is free, or this thread's. */
  boolean tryEnter() {
    return lock.tryLock();
  }

  /** Takes the lock if it becomes free in time. */
  boolean tryEnter(Duration patience) {
    try {
      return lock.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  void exit() {
    lock.unlock();
  }

  /**
   * Keeps what MPI may still use until the process ends: a request under way cannot be taken back.
   */
  void abandon(Object inUse) {
    failed = true;
    synchronized (abandoned) {
      abandoned.add(inUse);
    }
  }

  /** Notes that some process may be gone, so that a call which waits for all would not return. */
  void failed() {
    failed = true;
  }

  /**
   * Ends MPI. It waits for all processes to do so: where one has failed it would wait in vain, so
   * then it is not called, and where one does not come, no longer than is patient.
   */
  void finish(Duration patience) {
    if (failed) {
      return;
    }
    Thread finalizer =
        Thread.ofPlatform()
            .daemon()
            .name("tutti-mpi-finalizer")
            .unstarted(
                () -> {
                  if (tryEnter(patience)) {
                    try {
                      api.finish();
                    } catch (MpiFailure e) {
                      LOG.log(System.Logger.Level.WARNING, "MPI did not end in order", e);
                    } finally {
                      exit();
                    }
                  }
                });
    finalizer.start();
    try {
      finalizer.join(patience);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
