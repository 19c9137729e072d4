package dev.tutti.comm.internal.launch;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Ranks that another program starts, such as mpirun, with each rank's own output and exit code: by
 * pipes with names, in a folder of its own, since that program mixes the outputs and keeps the
 * codes for itself. Each rank is started through a few lines of shell that also set what torchrun
 * sets.
 */
final class Relay implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Relay.class.getName());

  /** The rank's process, its output, its errors. */
  private static final List<String> PIPES = List.of("end", "out", "err");

  private static final long STARTER_PATIENCE_SECONDS = 5;

  /** Says its process, runs the program, and says how it ended. */
  private static final String RANK_SCRIPT =
      """
      folder=$1
      shift
      RANK=${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-}}}
      LOCAL_RANK=${OMPI_COMM_WORLD_LOCAL_RANK:-$RANK}
      export RANK LOCAL_RANK
      {
        echo $$
        "$@" >"$folder/out.$RANK" 2>"$folder/err.$RANK"
        code=$?
        echo $code
      } >"$folder/end.$RANK"
      exit $code
      """;

  private final Path folder;
  private final List<RelayedRank> ranks = new ArrayList<>();
  private final Process starter;

  private Relay(Path folder, Process starter) {
    this.folder = folder;
    this.starter = starter;
  }

  /** Starts the program that starts the ranks. */
  @FunctionalInterface
  interface Start {
    /**
     * Starts it.
     *
     * @param rankCommand what it is to start on each rank
     */
    Process start(List<String> rankCommand) throws IOException;
  }

  /**
   * Starts ranks.
   *
   * @param count how many
   * @param command the program and its arguments, the same for all
   * @throws IOException if they cannot be started; nothing is left of them
   */
  static Relay start(int count, List<String> command, Start start) throws IOException {
    Path folder = Files.createTempDirectory("tutti-ranks-");
    try {
      makePipes(folder, count);
      List<String> rankCommand = new ArrayList<>();
      rankCommand.addAll(List.of("sh", "-c", RANK_SCRIPT, "tutti-rank", folder.toString()));
      rankCommand.addAll(command);
      Relay relay = new Relay(folder, start.start(rankCommand));
      for (int rank = 0; rank < count; rank++) {
        relay.ranks.add(
            new RelayedRank(
                relay.starter,
                rank,
                folder.resolve("end." + rank),
                folder.resolve("out." + rank),
                folder.resolve("err." + rank)));
      }
      // Those that wait for a rank which never came would wait for ever.
      var _ = relay.starter.onExit().thenRun(relay::release);
      return relay;
    } catch (IOException | RuntimeException e) {
      delete(folder);
      throw e;
    }
  }

  private static void makePipes(Path folder, int count) throws IOException {
    List<String> command = new ArrayList<>(List.of("mkfifo", "-m", "600"));
    for (int rank = 0; rank < count; rank++) {
      for (String pipe : PIPES) {
        command.add(folder.resolve(pipe + "." + rank).toString());
      }
    }
    Process made = new ProcessBuilder(command).inheritIO().start();
    try {
      if (made.waitFor() != 0) {
        throw new IOException("mkfifo could not make pipes in " + folder);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while making pipes in " + folder, e);
    }
  }

  /** Returns the ranks as if they were this process's own children. */
  List<Process> ranks() {
    return List.copyOf(ranks);
  }

  /** Returns the program that started them. */
  Process starter() {
    return starter;
  }

  /** Waits a moment for the end of the program that started the ranks, which have ended. */
  void awaitStarter() throws InterruptedException {
    boolean _ = starter.waitFor(STARTER_PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** Opening a pipe waits for the other end: this is one, for those that have none. */
  private void release() {
    for (int rank = 0; rank < ranks.size(); rank++) {
      for (String pipe : PIPES) {
        try (RandomAccessFile _ =
            new RandomAccessFile(folder.resolve(pipe + "." + rank).toFile(), "rw")) {
          // Opened for both ways it waits for nobody, and whoever waits for either goes on.
        } catch (IOException e) {
          // All have ended, and the folder is gone.
        }
      }
    }
  }

  /** Removes the pipes. The ranks have ended. */
  @Override
  public void close() {
    release();
    delete(folder);
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "Removing " + folder, e);
    }
  }
}
