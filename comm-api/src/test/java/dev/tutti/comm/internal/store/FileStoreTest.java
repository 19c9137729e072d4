package dev.tutti.comm.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.Store;
import dev.tutti.comm.internal.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileStoreTest extends StoreSuite {
  private static final Duration LONG = Duration.ofSeconds(10);

  @TempDir Path temporary;

  @Override
  List<Store> open(int size) throws Exception {
    return join(temporary.resolve("suite"), size);
  }

  /** Counts those in an exchange, job-nonce/x/key/rank; a get leaves no trace. */
  @Override
  int waiting() throws IOException {
    Path folder = temporary.resolve("suite");
    try (Stream<Path> files = Files.walk(folder)) {
      long inExchange =
          files
              .map(folder::relativize)
              .filter(file -> file.getNameCount() == 4 && file.getName(1).endsWith("x"))
              .filter(file -> file.getName(3).toString().matches("\\d+"))
              .count();
      return (int) inExchange;
    }
  }

  @AfterEach
  void nothingIsLeftWhenAllHaveClosed() throws IOException {
    closeStores();
    assertThat(temporary.resolve("suite")).doesNotExist();
  }

  @Test
  void theJobsFolderIsItsOwnersAlone() throws Exception {
    Path folder = temporary.resolve("suite");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
        .isEqualTo("rwx------");
    try (Stream<Path> jobs = Files.list(folder)) {
      for (Path job : jobs.filter(Files::isDirectory).toList()) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(job)))
            .as("%s", job)
            .isEqualTo("rwx------");
      }
    }
  }

  @Test
  void aFolderThatWasThereStaysAndALaterJobUsesIt() throws Exception {
    Path folder = Files.createDirectory(temporary.resolve("mine"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    for (int job = 0; job < 3; job++) {
      List<Store> stores = join(folder, 2);
      assertThatThrownBy(() -> stores.get(1).get("left over", Duration.ZERO))
          .isInstanceOf(CommTimeoutException.class);
      stores.get(0).set("left over", bytes("x"));
      stores.forEach(Store::close);
      assertThat(folder).isEmptyDirectory();
    }
  }

  @Test
  void whatADeadJobLeftIsCleanedAndNeverJoined() throws Exception {
    Path folder = Files.createDirectory(temporary.resolve("stale"));
    Path job = leftOver(folder, "process that is gone", List.of("0", "1"), deadProcess());
    Files.writeString(job.resolve("v").resolve("kkey"), "old");

    // A rank that comes before its rank 0 sees the old job, and does not take it for its own.
    CompletableFuture<FileStore> second =
        CompletableFuture.supplyAsync(() -> FileStore.join(folder, 1, 2, Deadline.after(LONG)));
    assertThatThrownBy(() -> second.get(300, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    FileStore first = FileStore.join(folder, 0, 2, Deadline.after(LONG));
    FileStore other = second.get(5, TimeUnit.SECONDS);
    assertThat(first.jobId()).isEqualTo(other.jobId());
    assertThatThrownBy(() -> other.get("key", Duration.ZERO))
        .isInstanceOf(CommTimeoutException.class);
    assertThat(job).doesNotExist();
    first.close();
    other.close();
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aStaleFolderWithoutANewRankZeroIsATimeoutThatSaysSo() throws Exception {
    Path folder = Files.createDirectory(temporary.resolve("stale"));
    leftOver(folder, "abc", List.of("0"), deadProcess());
    assertThatThrownBy(() -> FileStore.join(folder, 1, 2, Deadline.after(Duration.ofMillis(300))))
        .isInstanceOf(CommTimeoutException.class)
        .hasMessageContaining("abc")
        .hasMessageContaining("a former one, which is not joined");
  }

  @Test
  void aJobThatMayStillRunIsRefusedByName() throws Exception {
    Path folder = Files.createDirectory(temporary.resolve("busy"));
    leftOver(folder, "abc", List.of("0"), new ProcessIdentity("elsewhere 1-2-3", "4711@1"));
    assertThatThrownBy(() -> FileStore.join(folder, 0, 2, Deadline.after(LONG)))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(folder.toString())
        .hasMessageContaining("job-abc")
        .hasMessageContaining("process 4711 on elsewhere")
        .hasMessageContaining("may still run");
    FolderFiles.removeTree(folder);
  }

  @Test
  void aSecondJobInTheFolderOfARunningOneIsRefused() throws Exception {
    assertThatThrownBy(() -> FileStore.join(temporary.resolve("suite"), 0, 3, Deadline.after(LONG)))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("still runs");
    store(0).set("alive", bytes("1"));
    assertThat(store(1).get("alive", LONG)).isEqualTo(bytes("1"));
  }

  @Test
  void theSameProcessesMeetAgainThoughOneIsSlowToClose() throws Exception {
    Path folder = temporary.resolve("again");
    List<Store> old = join(folder, 2);
    old.get(0).close();
    CompletableFuture<List<Store>> again =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return join(folder, 2);
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    assertThatThrownBy(() -> again.get(200, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    old.get(1).close();
    again.get(5, TimeUnit.SECONDS).forEach(Store::close);
  }

  @Test
  void theSameRankTwiceOrAnotherSizeIsRefusedAndTheOthersGoOn() throws Exception {
    Path folder = temporary.resolve("twice");
    CompletableFuture<FileStore> zero =
        CompletableFuture.supplyAsync(() -> FileStore.join(folder, 0, 3, Deadline.after(LONG)));
    FileStore one = FileStore.join(folder, 1, 3, Deadline.after(LONG));
    assertThatThrownBy(() -> FileStore.join(folder, 1, 3, Deadline.after(LONG)))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("rank 1 is taken by process " + ProcessHandle.current().pid());
    assertThatThrownBy(() -> FileStore.join(folder, 2, 4, Deadline.after(LONG)))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("3 ranks")
        .hasMessageContaining("told 4");
    FileStore two = FileStore.join(folder, 2, 3, Deadline.after(LONG));
    for (FileStore store : List.of(zero.get(5, TimeUnit.SECONDS), one, two)) {
      store.close();
    }
    assertThat(folder).doesNotExist();
  }

  @Test
  void rankZeroNamesWhoIsMissingAndLeavesNothing() {
    Path folder = temporary.resolve("missing");
    long start = System.nanoTime();
    assertThatThrownBy(() -> FileStore.join(folder, 0, 4, Deadline.after(Duration.ofSeconds(1))))
        .isInstanceOf(CommTimeoutException.class)
        .hasMessageContaining("ranks 1, 2, 3 have not come");
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(Duration.ofMillis(990), Duration.ofMillis(1300));
    assertThat(folder).doesNotExist();
  }

  @Test
  void aFolderThatEverybodyCanWriteIntoIsRefused() throws Exception {
    Path folder = Files.createDirectory(temporary.resolve("open"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThatThrownBy(() -> FileStore.join(folder, 0, 2, Deadline.after(LONG)))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("everybody can write")
        .hasMessageContaining(folder.resolve("tutti").toString());
  }

  @Test
  void readersNeverSeeHalfAValue() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    store(0).set("big", filled(0));
    List<Integer> reads =
        RankThreads.run(
            2,
            LONG,
            rank -> {
              int count = 0;
              if (rank == 0) {
                for (int i = 0; i < 100; i++) {
                  store(0).set("big", filled(i));
                }
                done.set(true);
                return 1;
              }
              do {
                byte[] value = store(1).get("big", LONG);
                assertThat(value).hasSize(200_000);
                byte[] expected = value.clone();
                Arrays.fill(expected, value[0]);
                assertThat(Arrays.equals(value, expected)).isTrue();
                count++;
              } while (!done.get());
              return count;
            });
    assertThat(reads.get(1)).isPositive();
  }

  @Test
  void aFolderThatIsTakenAwayEndsTheWait() throws Exception {
    Path folder = temporary.resolve("gone");
    List<Store> stores = join(folder, 2);
    CompletableFuture<byte[]> wait =
        CompletableFuture.supplyAsync(() -> stores.get(1).get("never", LONG));
    FolderFiles.removeTree(folder);
    assertThat(wait)
        .failsWithin(Duration.ofSeconds(5))
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(CommAbortedException.class)
        .withMessageContaining("was removed");
    stores.forEach(Store::close);
  }

  private static byte[] filled(int value) {
    byte[] bytes = new byte[200_000];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static List<Store> join(Path folder, int size) throws Exception {
    return RankThreads.run(
        size, LONG, rank -> FileStore.join(folder, rank, size, Deadline.after(LONG)));
  }

  /** Makes what a job leaves whose processes were killed. */
  private static Path leftOver(
      Path folder, String nonce, List<String> members, ProcessIdentity owner) throws IOException {
    Path job = folder.resolve("job-" + nonce);
    for (String part : List.of("members", "closed", "tmp", "join", "answer", "v", "x")) {
      Files.createDirectories(job.resolve(part));
    }
    for (String member : members) {
      Files.writeString(
          job.resolve("members").resolve(member),
          "2\n" + owner.host() + "\n" + owner.process() + "\nend\n");
    }
    Path current = Files.createDirectory(folder.resolve("current"));
    Files.writeString(current.resolve("nonce"), nonce + "\nfalse\nend\n");
    return job;
  }

  private static ProcessIdentity deadProcess() throws Exception {
    Process process = new ProcessBuilder("true").start();
    String text = ProcessIdentity.text(process.toHandle());
    process.waitFor();
    return new ProcessIdentity(ProcessIdentity.self().host(), text);
  }
}
