package dev.tutti.cli.bench;

import dev.tutti.comm.BackendUnavailableException;
import dev.tutti.comm.CommConfig;
import dev.tutti.comm.internal.Backends;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Brings the ranks of all backends together, each backend's in processes of their own. */
final class Stage implements AutoCloseable {
  /** The backend whose ranks are threads of one process: it has no way out of it. */
  private static final String ONE_PROCESS = "local";

  /** How often it is looked whether a rank that is waited for has died. */
  private static final Duration LOOK = Duration.ofMillis(100);

  /** How long a connection may take to say who it is. */
  private static final Duration INTRODUCTION = Duration.ofSeconds(5);

  private final BenchPlan plan;
  private final String token = UUID.randomUUID().toString();
  private final List<RankJob> jobs = new ArrayList<>();
  private final List<Ensemble> ensembles = new ArrayList<>();

  private Stage(BenchPlan plan) {
    this.plan = plan;
  }

  /**
   * Starts all ranks and waits until their groups are ready.
   *
   * @throws dev.tutti.comm.ConfigException if a config is wrong; nothing was started
   * @throws BackendUnavailableException if a backend cannot be had here; nothing was started
   * @throws BenchFailedException if a rank died or did not come in time
   */
  static Stage open(BenchPlan plan) {
    List<CommConfig> configs = configs(plan);
    Stage stage = new Stage(plan);
    try (ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      long start = System.nanoTime();
      for (int i = 0; i < configs.size(); i++) {
        stage.jobs.add(stage.start(i, configs.get(i), server.getLocalPort()));
      }
      stage.gather(server, start);
      return stage;
    } catch (IOException e) {
      stage.close();
      throw new UncheckedIOException(e);
    } catch (RuntimeException | Error e) {
      stage.close();
      throw e;
    }
  }

  /** Reads the configs, and refuses here, with the full reason, what each rank would refuse. */
  private static List<CommConfig> configs(BenchPlan plan) {
    Backends backends = Backends.load();
    List<CommConfig> configs = new ArrayList<>();
    for (String text : plan.backends()) {
      CommConfig config = CommConfig.parse(text).check(backends.providers());
      for (CommConfig.Entry entry : config.entries()) {
        BackendProvider provider = backends.provider(entry.backend());
        Availability answer = provider == null ? Availability.yes() : provider.startable();
        if (!answer.isAvailable()) {
          throw new BackendUnavailableException(text + ": " + answer.describe(), null);
        }
      }
      boolean isDefault = config.timeout().equals(CommConfig.parse(CommConfig.AUTO).timeout());
      configs.add(isDefault ? config.withTimeout(plan.timeout()) : config);
    }
    return configs;
  }

  private RankJob start(int backend, CommConfig config, int port) {
    boolean oneProcess =
        config.entries().stream().allMatch(entry -> entry.backend().equals(ONE_PROCESS));
    RankSettings settings =
        new RankSettings(
            port,
            backend,
            config.canonical(),
            oneProcess ? plan.ranks() : 0,
            plan.type(),
            plan.op(),
            plan.root(),
            plan.bufferBytes(),
            plan.heap());
    return RankJob.start(
        plan.ranks(), settings, Backends.load().starter(config, plan.ranks()), token);
  }

  private void gather(ServerSocket server, long start) throws IOException {
    int count = plan.backends().size();
    List<@Nullable Lines[]> lines = new ArrayList<>();
    String[] chosen = new String[count];
    Duration[] startup = new Duration[count];
    for (int i = 0; i < count; i++) {
      lines.add(new Lines[plan.ranks()]);
    }
    server.setSoTimeout(Math.toIntExact(LOOK.toMillis()));
    long deadline = start + plan.timeout().toNanos();
    for (int missing = count * plan.ranks(); missing > 0; ) {
      Lines line = accept(server, deadline, missing);
      List<String> words = introduction(line);
      if (words.size() < 5 || !words.get(0).equals("ready") || !words.get(1).equals(token)) {
        // Whoever that is, it is none of ours.
        line.close();
        continue;
      }
      int backend = Integer.parseInt(words.get(2));
      lines.get(backend)[Integer.parseInt(words.get(3))] = line;
      chosen[backend] = words.get(4);
      startup[backend] = Duration.ofNanos(System.nanoTime() - start);
      missing--;
    }
    for (int i = 0; i < count; i++) {
      List<Lines> all = new ArrayList<>();
      for (Lines line : lines.get(i)) {
        all.add(Objects.requireNonNull(line));
      }
      ensembles.add(
          new Ensemble(
              plan.backends().get(i), chosen[i], jobs.get(i), all, startup[i], plan.timeout()));
    }
  }

  private static List<String> introduction(Lines line) throws IOException {
    line.timeout(INTRODUCTION);
    try {
      return line.receive();
    } catch (IOException e) {
      return List.of();
    }
  }

  private Lines accept(ServerSocket server, long deadline, int missing) throws IOException {
    while (true) {
      try {
        Socket socket = server.accept();
        return new Lines(socket);
      } catch (SocketTimeoutException e) {
        for (int i = 0; i < jobs.size(); i++) {
          if (jobs.get(i).hasEnded()) {
            throw new BenchFailedException(
                "%s: the ranks ended before their group was ready%s"
                    .formatted(plan.backends().get(i), jobs.get(i).obituary()),
                null);
          }
        }
        if (System.nanoTime() - deadline > 0) {
          throw new BenchFailedException(
              "%d ranks were not ready after %s; see what they say above, or give them more --timeout"
                  .formatted(missing, plan.timeout()),
              e);
        }
      }
    }
  }

  /** Returns the ranks of each backend, in the plan's order. */
  List<Ensemble> ensembles() {
    return ensembles;
  }

  @Override
  public void close() {
    ensembles.forEach(Ensemble::close);
    jobs.forEach(RankJob::close);
  }
}
