package dev.tutti.comm.internal.store;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.Store;
import dev.tutti.comm.internal.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A store in a folder that all ranks see, for hosts that share nothing else. Every value is a file,
 * put in place at once; waits look again and again, with growing pauses. The last rank that closes
 * it removes it.
 *
 * <p>Nobody is told when a rank dies: only timeouts are promised. Any thread may call.
 */
public final class FileStore implements Store {
  private static final Duration WITHDRAWAL = Duration.ofMillis(250);

  private final FolderJob.Joined joined;
  private final int rank;
  private final int size;
  private final Duration lockTime;
  private final FolderLock lock;
  private final Map<String, Integer> generations = new HashMap<>();
  private volatile boolean closed;

  private FileStore(FolderJob.Joined joined, int rank, int size, Duration lockTime) {
    this.joined = joined;
    this.rank = rank;
    this.size = size;
    this.lockTime = lockTime;
    this.lock = new FolderLock(joined.job().resolve("lock"));
  }

  /**
   * Joins the job that meets in a folder. Rank 0 makes the folder if it is not there, removes what
   * a former job left, and waits for the others; the others wait for rank 0.
   *
   * @param folder where to meet; nobody else may use it, nor write into it
   * @param rank this rank
   * @param size the number of ranks
   * @param deadline when to give up
   * @throws dev.tutti.comm.ConfigException if the folder holds another job, or the rank is taken
   * @throws CommTimeoutException if not all ranks came in time
   */
  public static FileStore join(Path folder, int rank, int size, Deadline deadline) {
    FolderJob.Joined joined = new FolderJob(folder, rank, size, deadline).join();
    return new FileStore(joined, rank, size, deadline.timeout());
  }

  /** Returns a name of the job that no other job has. */
  public String jobId() {
    return "file." + joined.nonce();
  }

  @Override
  public void set(String key, byte[] value) {
    check("set", key);
    StoreContract.checkValue(key, value);
    change("set", key, file -> put(file, value));
  }

  @Override
  public byte[] get(String key, Duration timeout) {
    check("get", key);
    Deadline deadline = Deadline.after(timeout);
    Backoff backoff = new Backoff(deadline, StoreContract.call("get", key));
    Path file = valueFile(key);
    while (true) {
      check("get", key);
      try {
        byte[] value = FolderFiles.read(file);
        if (value != null) {
          return value;
        }
      } catch (IOException e) {
        throw broken("get", key, e);
      }
      checkPresent("get", key);
      if (!backoff.pause()) {
        throw StoreContract.getTimeout(key, timeout);
      }
    }
  }

  @Override
  public long add(String key, long delta) {
    check("add", key);
    return change(
        "add",
        key,
        file -> {
          byte[] old = FolderFiles.read(file);
          long sum = old == null ? delta : StoreContract.sum(key, old, delta);
          put(file, StoreContract.counter(sum));
          return sum;
        });
  }

  @Override
  public boolean compareAndSet(String key, byte @Nullable [] expected, byte[] value) {
    check("compareAndSet", key);
    StoreContract.checkValue(key, value);
    return change(
        "compareAndSet",
        key,
        file -> Arrays.equals(FolderFiles.read(file), expected) && put(file, value));
  }

  @Override
  public boolean delete(String key) {
    check("delete", key);
    return change("delete", key, Files::deleteIfExists);
  }

  @Override
  public List<byte[]> exchange(String key, int rank, int size, byte[] value, Duration timeout) {
    check("exchange", key);
    StoreContract.checkExchange(key, rank, size, value);
    Deadline deadline = Deadline.after(timeout);
    // The same key may be used again before all have read the answer: each use has its own folder.
    int generation = generation(key);
    Path all = joined.job().resolve("x").resolve(FolderFiles.nameOf(key + "\n" + generation));
    try {
      Files.createDirectories(all);
      arrive(key, all, rank, size, value, deadline);
      List<byte[]> values = collect(key, all, rank, size, timeout, deadline);
      advance(key, generation);
      leave(all, rank, size);
      return values;
    } catch (IOException e) {
      throw broken("exchange", key, e);
    }
  }

  @Override
  public Store scoped(String prefix) {
    return ScopedStore.of(this, prefix);
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    Path leaving = FolderJob.closed(joined.job());
    try {
      FolderFiles.put(
          FolderJob.temporaries(joined.job()), leaving.resolve(String.valueOf(rank)), new byte[0]);
      if (FolderFiles.names(leaving).size() == size) {
        FolderJob.remove(joined);
      }
    } catch (IOException e) {
      // Another rank that closed at the same time has removed it; or rank 0 of the next job will.
    }
  }

  private void arrive(String key, Path all, int rank, int size, byte[] value, Deadline deadline)
      throws IOException {
    Path mine = all.resolve(String.valueOf(rank));
    Path sizes = all.resolve("size-" + size);
    lock.hold(
        StoreContract.call("exchange", key),
        deadline,
        () -> {
          for (String name : FolderFiles.names(all)) {
            if (name.startsWith("size-") && !name.equals("size-" + size)) {
              int expected = Integer.parseInt(name.substring("size-".length()));
              throw StoreContract.otherSize(key, rank, size, expected);
            }
          }
          if (Files.exists(mine)) {
            throw StoreContract.rankTwice(key, rank);
          }
          if (!Files.exists(sizes)) {
            put(sizes, new byte[0]);
          }
          return put(mine, value);
        });
  }

  private List<byte[]> collect(
      String key, Path all, int rank, int size, Duration timeout, Deadline deadline)
      throws IOException {
    Backoff backoff = new Backoff(deadline, StoreContract.call("exchange", key));
    boolean settled = false;
    try {
      while (true) {
        check("exchange", key);
        List<byte[]> values = missing(all, size).isEmpty() ? values(key, all, size) : null;
        if (values != null) {
          settled = true;
          return values;
        }
        checkPresent("exchange", key);
        if (!backoff.pause()) {
          settled = true;
          Set<Integer> missing = withdraw(key, all, rank, size);
          values = missing.isEmpty() ? values(key, all, size) : null;
          if (values != null) {
            return values;
          }
          String text = ExchangeTimeout.text(key, rank, size, timeout, missing, Set.of());
          throw new CommTimeoutException(text, null);
        }
      }
    } finally {
      if (!settled) {
        remove(all, rank);
      }
    }
  }

  /**
   * Takes this rank out again, so that nobody has an answer that it has not seen; returns who was
   * missing. If nobody was, it stays: others may have their answer.
   */
  private Set<Integer> withdraw(String key, Path all, int rank, int size) throws IOException {
    return lock.hold(
        StoreContract.call("exchange", key),
        Deadline.after(WITHDRAWAL),
        () -> {
          Set<Integer> missing = missing(all, size);
          if (!missing.isEmpty()) {
            remove(all, rank);
          }
          return missing;
        });
  }

  private static void remove(Path all, int rank) throws IOException {
    Files.deleteIfExists(all.resolve(String.valueOf(rank)));
    List<String> names = FolderFiles.names(all);
    // With the last rank goes the size that it believed in.
    if (names.stream().allMatch(name -> name.startsWith("size-"))) {
      for (String name : names) {
        Files.deleteIfExists(all.resolve(name));
      }
    }
  }

  private static Set<Integer> missing(Path all, int size) throws IOException {
    List<String> names = FolderFiles.names(all);
    TreeSet<Integer> missing = new TreeSet<>();
    for (int other = 0; other < size; other++) {
      if (!names.contains(String.valueOf(other))) {
        missing.add(other);
      }
    }
    return missing;
  }

  /** Returns all ranks' values, or null if one was taken back meanwhile. */
  private static @Nullable List<byte[]> values(String key, Path all, int size) throws IOException {
    List<byte[]> values = new ArrayList<>();
    long bytes = 0;
    for (int other = 0; other < size; other++) {
      byte[] value = FolderFiles.read(all.resolve(String.valueOf(other)));
      if (value == null) {
        return null;
      }
      bytes += value.length;
      values.add(value);
    }
    if (bytes > StoreContract.MAX_EXCHANGE_BYTES) {
      throw StoreContract.exchangeTooLarge(key, bytes);
    }
    return List.copyOf(values);
  }

  /** Says that this rank has its answer; the last one removes the exchange. */
  private void leave(Path all, int rank, int size) throws IOException {
    put(all.resolve("read-" + rank), new byte[0]);
    long read = FolderFiles.names(all).stream().filter(name -> name.startsWith("read-")).count();
    if (read == size) {
      FolderFiles.removeTree(all);
    }
  }

  private int generation(String key) {
    synchronized (generations) {
      return generations.getOrDefault(key, 0);
    }
  }

  private void advance(String key, int generation) {
    synchronized (generations) {
      generations.put(key, generation + 1);
    }
  }

  private <T> T change(String operation, String key, ChangeOf<T> change) {
    try {
      return lock.hold(
          StoreContract.call(operation, key),
          Deadline.after(lockTime),
          () -> change.make(valueFile(key)));
    } catch (IOException e) {
      throw broken(operation, key, e);
    }
  }

  private interface ChangeOf<T> {
    T make(Path file) throws IOException;
  }

  private boolean put(Path file, byte[] value) throws IOException {
    FolderFiles.put(FolderJob.temporaries(joined.job()), file, value);
    return true;
  }

  private Path valueFile(String key) {
    return joined.job().resolve("v").resolve(FolderFiles.nameOf(key));
  }

  private void check(String operation, String key) {
    StoreContract.checkKey(key);
    if (closed) {
      throw StoreContract.closed().restated(StoreContract.call(operation, key));
    }
  }

  private void checkPresent(String operation, String key) {
    if (!Files.isDirectory(joined.job())) {
      throw broken(operation, key, new NoSuchFileException(joined.job().toString()));
    }
  }

  private CommAbortedException broken(String operation, String key, IOException cause) {
    String why =
        Files.isDirectory(joined.job())
            ? cause.getClass().getSimpleName() + " " + cause.getMessage()
            : "the job's folder " + joined.job() + " was removed";
    return new CommAbortedException(StoreContract.call(operation, key) + ": " + why, cause);
  }
}
