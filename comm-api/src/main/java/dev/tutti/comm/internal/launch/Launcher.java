package dev.tutti.comm.internal.launch;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.rendezvous.JobServer;
import dev.tutti.comm.spi.BackendProvider;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Starts the ranks of a job as processes on this host. This process hosts the job's server, so that
 * no port is chosen before it is bound, and so that the death of any rank, rank 0's too, is told to
 * the others.
 *
 * <p>Each process gets {@code TUTTI_INIT} and {@code TUTTI_JOB} for programs that use Tutti; and,
 * for others, what torchrun sets: {@code RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE,
 * MASTER_ADDR, MASTER_PORT}. That port is another one, kept free for rank 0 to listen on. Standard
 * input is empty.
 *
 * <p>An object of this class is a description, for one thread; each {@link #start()} is a job of
 * its own.
 */
public final class Launcher {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final int ranks;
  private final List<String> command;
  private final Map<String, String> env = new LinkedHashMap<>();
  private IntFunction<Map<String, String>> rankEnv = rank -> Map.of();
  private List<String> starter = List.of();
  private @Nullable Path directory;
  private @Nullable Duration timeout;
  private Duration grace = Duration.ofSeconds(5);
  private boolean prefix = true;
  private OutputStream out = System.out;
  private OutputStream err = System.err;

  private Launcher(int ranks, List<String> command) {
    this.ranks = ranks;
    this.command = List.copyOf(command);
  }

  /**
   * Describes a job.
   *
   * @param ranks how many processes to start, at least 1
   * @param command the program and its arguments, the same for all
   */
  public static Launcher of(int ranks, List<String> command) {
    if (ranks < 1) {
      throw new ConfigException("A job has at least 1 rank, not " + ranks);
    }
    if (command.isEmpty()) {
      throw new ConfigException(
          "There is no command to start: tutti run -n 4 -- java -jar app.jar");
    }
    return new Launcher(ranks, command);
  }

  /** Sets a variable for all ranks, on top of this process's own environment. */
  public Launcher env(String name, String value) {
    env.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
    return this;
  }

  /** Sets further variables for each rank. */
  public Launcher rankEnv(IntFunction<Map<String, String>> variablesOfRank) {
    this.rankEnv = Objects.requireNonNull(variablesOfRank, "variablesOfRank");
    return this;
  }

  /**
   * Lets another program start the ranks, such as mpirun; without it, or with null, this process
   * does.
   */
  public Launcher through(BackendProvider.@Nullable Starter program) {
    if (program != null) {
      this.starter = program.command();
      program.environment().forEach(this::env);
    }
    return this;
  }

  /** Sets the working directory; without it, this process's own. */
  public Launcher directory(Path path) {
    this.directory = path;
    return this;
  }

  /** Sets the time after which all ranks are ended; without it, there is none. */
  public Launcher timeout(Duration time) {
    this.timeout = time;
    return this;
  }

  /** Sets how long the other ranks may go on once one has failed (5 s): time to say why. */
  public Launcher grace(Duration time) {
    this.grace = Objects.requireNonNull(time, "time");
    return this;
  }

  /** Sets whether {@code [rank] } is put in front of each line (it is). */
  public Launcher prefix(boolean wanted) {
    this.prefix = wanted;
    return this;
  }

  /** Sets where the ranks' output goes, line by line; without it, to this process's own. */
  public Launcher output(OutputStream standard, OutputStream error) {
    this.out = Objects.requireNonNull(standard, "standard");
    this.err = Objects.requireNonNull(error, "error");
    return this;
  }

  /**
   * Starts the job.
   *
   * @throws ConfigException if the command cannot be started; nothing is left of it
   */
  public LaunchedJob start() {
    String job = "run-" + random();
    InetAddress loopback = InetAddress.getLoopbackAddress();
    SocketChannel reserved = null;
    JobServer server = null;
    Relay relay = null;
    List<Process> processes = new ArrayList<>();
    try {
      reserved = reserve(loopback);
      ServerSocketChannel listener = ServerSocketChannel.open();
      listener.bind(new InetSocketAddress(loopback, 0), Math.max(128, 4 * ranks));
      server = JobServer.adopt(listener, ranks, job, -1);
      int masterPort = ((InetSocketAddress) reserved.getLocalAddress()).getPort();
      int port = server.port();
      if (starter.isEmpty()) {
        for (int rank = 0; rank < ranks; rank++) {
          Map<String, String> numbers =
              Map.of("RANK", String.valueOf(rank), "LOCAL_RANK", String.valueOf(rank));
          processes.add(start(command, job, loopback, port, masterPort, rank, numbers));
        }
      } else {
        relay =
            Relay.start(
                ranks,
                command,
                rankCommand -> {
                  List<String> whole = new ArrayList<>(starter);
                  whole.addAll(rankCommand);
                  return start(whole, job, loopback, port, masterPort, -1, Map.of());
                });
        processes.addAll(relay.ranks());
      }
      return new LaunchedJob(
          job,
          processes,
          relay,
          server,
          reserved,
          timeout,
          grace,
          new RankOutput(ranks, prefix, out, err));
    } catch (IOException | RuntimeException e) {
      processes.forEach(Process::destroyForcibly);
      LaunchedJob.closeAll(server, reserved);
      throw new ConfigException(
          "Cannot start "
              + command
              + (directory == null ? "" : " in " + directory)
              + ": "
              + e.getMessage(),
          e);
    }
  }

  /** Starts the job and waits for its end; if the waiting thread is interrupted, ends the job. */
  public LaunchResult run() throws InterruptedException {
    try (LaunchedJob job = start()) {
      return job.await();
    }
  }

  /** Starts one rank; or, with rank -1, the program that starts them and tells them their ranks. */
  private Process start(
      List<String> program,
      String job,
      InetAddress loopback,
      int port,
      int masterPort,
      int rank,
      Map<String, String> numbers)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(program);
    builder.redirectInput(nothing());
    if (directory != null) {
      builder.directory(directory.toFile());
    }
    Map<String, String> variables = builder.environment();
    // What an outer torchrun has set would be believed.
    variables.keySet().removeIf(name -> name.startsWith("TORCHELASTIC_"));
    variables.putAll(env);
    boolean isRank = rank >= 0;
    if (isRank) {
      variables.putAll(rankEnv.apply(rank));
    }
    String host = loopback.getHostAddress();
    variables.put(
        "TUTTI_INIT",
        "tcp://%s:%d?%ssize=%d%s&localSize=%d&hosted=launcher&job=%s"
            .formatted(
                host,
                port,
                isRank ? "rank=" + rank + "&" : "",
                ranks,
                isRank ? "&localRank=" + rank : "",
                ranks,
                job));
    variables.put("TUTTI_JOB", job);
    variables.putAll(numbers);
    variables.put("WORLD_SIZE", String.valueOf(ranks));
    variables.put("LOCAL_WORLD_SIZE", String.valueOf(ranks));
    variables.put("MASTER_ADDR", host);
    variables.put("MASTER_PORT", String.valueOf(masterPort));
    return builder.start();
  }

  /**
   * Takes a port and keeps it from others, but not from rank 0: a socket that is bound and does not
   * listen lets another listen there, if both may reuse the address, which servers do.
   */
  private static SocketChannel reserve(InetAddress loopback) throws IOException {
    SocketChannel channel = SocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      channel.bind(new InetSocketAddress(loopback, 0));
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private static ProcessBuilder.Redirect nothing() {
    boolean windows = File.separatorChar == '\\';
    return ProcessBuilder.Redirect.from(new File(windows ? "NUL" : "/dev/null"));
  }

  private static String random() {
    byte[] bytes = new byte[8];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
