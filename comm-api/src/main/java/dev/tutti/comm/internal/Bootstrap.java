package dev.tutti.comm.internal;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommConfig;
import dev.tutti.comm.CommException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.internal.control.Control;
import dev.tutti.comm.internal.layers.Layers;
import dev.tutti.comm.internal.rendezvous.Membership;
import dev.tutti.comm.internal.store.ExchangeTimeout;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;

/**
 * Makes the group of all ranks: one round over the store in which every rank tells its config and
 * its backends, the choice, the backend's own connection, the layers.
 */
public final class Bootstrap {
  private static final String WORLD = "world";

  /** Tells ranks that are threads of one process from ranks in processes of their own. */
  private static final String PROCESS = UUID.randomUUID().toString();

  private Bootstrap() {}

  /**
   * Makes the group of all ranks of a job; every rank calls. On failure the membership is closed,
   * and the other ranks are told.
   *
   * @param unchecked the config as it was read
   * @param membership this rank's place in the job; owned by the group from here on
   * @param executor runs the completions that users ask for
   * @param deadline when to give up
   */
  public static GroupCore world(
      CommConfig unchecked, Membership membership, Executor executor, Deadline deadline) {
    Attempt attempt = null;
    try {
      attempt = new Attempt(unchecked, membership, executor, deadline);
      return attempt.run();
    } catch (RuntimeException | Error e) {
      if (attempt == null || !attempt.seenByAll) {
        CommException cause =
            e instanceof CommException c
                ? c
                : new CommAbortedException(
                    "rank %d could not set up group %s: %s".formatted(membership.rank(), WORLD, e),
                    e);
        membership.control().sendBreak(WORLD, cause);
      }
      membership.close();
      throw e;
    }
  }

  private static final class Attempt implements Control.Listener {
    private final Backends backends = Backends.load();
    private final FailureSignal failure = new FailureSignal();
    private final CommConfig config;
    private final Membership membership;
    private final Executor executor;
    private final Deadline deadline;
    private final String label;
    // Whether every rank draws the same conclusion from the same answers, and need not be told.
    private boolean seenByAll;

    Attempt(CommConfig unchecked, Membership membership, Executor executor, Deadline deadline) {
      this.config = unchecked.check(backends.providers());
      this.membership = membership;
      this.executor = executor;
      this.deadline = deadline;
      this.label = "init on rank %d/%d".formatted(membership.rank(), membership.size());
    }

    GroupCore run() {
      // Until the group exists and subscribes in this listener's place.
      membership.control().subscribe(WORLD, this);
      List<byte[]> messages = exchangeAnswers();
      seenByAll = true;
      List<Map<String, Availability>> answers = agreed(messages);
      Map<String, BackendProvider> chosen = new LinkedHashMap<>();
      for (CommConfig.Entry entry : config.entries()) {
        BackendProvider provider = backends.choose(entry.backend(), entry.device(), answers);
        for (String device :
            entry.device() == null ? provider.devices() : List.of(entry.device())) {
          chosen.putIfAbsent(device, provider);
        }
      }
      seenByAll = false;
      return connect(chosen);
    }

    private GroupCore connect(Map<String, BackendProvider> chosen) {
      Map<BackendProvider, Communicator> connected = new LinkedHashMap<>();
      Map<String, Communicator> byDevice = new LinkedHashMap<>();
      BackendProvider.Context first = null;
      try {
        for (Map.Entry<String, BackendProvider> entry : chosen.entrySet()) {
          BackendProvider provider = entry.getValue();
          BackendProvider.Context context = context(provider);
          if (first == null) {
            first = context;
          }
          Communicator communicator = connected.get(provider);
          if (communicator == null) {
            communicator =
                failure.guard(
                    label + " of backend " + provider.name(),
                    deadline,
                    () -> provider.connect(context),
                    late -> late.abort(new CommAbortedException(label + " was given up", null)));
            connected.put(provider, communicator);
          }
          byDevice.put(entry.getKey(), communicator);
        }
      } catch (RuntimeException | Error e) {
        connected.values().forEach(c -> c.abort(new CommAbortedException(label + " failed", e)));
        throw e;
      }
      if (first == null) {
        throw new ConfigException("the config \"" + config + "\" names no backend");
      }
      String names =
          String.join("+", connected.keySet().stream().map(BackendProvider::name).toList());
      Job job = new Job(membership, config.timeout(), executor);
      // What was announced meanwhile is told to the group when it subscribes.
      membership.control().unsubscribe(WORLD);
      return new GroupCore(job, first, Layers.stack(byDevice, first, config.debug()), names);
    }

    private BackendProvider.Context context(BackendProvider provider) {
      CommConfig.Entry entry =
          config.entries().stream()
              .filter(e -> e.backend().equals(provider.name()))
              .findFirst()
              .orElse(new CommConfig.Entry(null, provider.name(), Map.of()));
      return new BackendProvider.Context(
          WORLD,
          GroupCore.epoch(membership.jobId() + "/" + WORLD),
          membership.rank(),
          IntStream.range(0, membership.size()).boxed().toList(),
          config.options(entry, provider.keys()),
          config.order(),
          config.scratchBytes(),
          membership.store().scoped("group/" + WORLD),
          deadline.remaining(),
          membership.localAddress(),
          membership.control().detectsDeath());
    }

    /** One round: every rank learns every rank's config and backends. */
    private List<byte[]> exchangeAnswers() {
      Map<String, Availability> mine = backends.answers();
      byte[] message = encode(config.canonical(), mine).getBytes(StandardCharsets.UTF_8);
      return failure.guard(label, deadline, () -> exchange(message), ignored -> {});
    }

    private List<byte[]> exchange(byte[] message) {
      try {
        return membership
            .store()
            .exchange("init", membership.rank(), membership.size(), message, deadline.remaining());
      } catch (CommTimeoutException e) {
        throw ExchangeTimeout.named(e, deadline.timeout());
      }
    }

    private List<Map<String, Availability>> agreed(List<byte[]> all) {
      List<Map<String, Availability>> answers = new ArrayList<>();
      Map<String, Integer> processes = new HashMap<>();
      for (int rank = 0; rank < all.size(); rank++) {
        String[] lines = new String(all.get(rank), StandardCharsets.UTF_8).split("\n", -1);
        if (!lines[0].equals(config.canonical())) {
          throw new ConfigException(
              "%s: the config differs between ranks: \"%s\" here, \"%s\" on rank %d; give all ranks the same config string"
                  .formatted(label, config.canonical(), lines[0], rank));
        }
        Map<String, Availability> theirs = decode(lines);
        Integer housemate = processes.putIfAbsent(lines[1], rank);
        if (housemate != null) {
          refuseSharedProcess(theirs, rank, housemate);
        }
        answers.add(theirs);
      }
      return answers;
    }

    private void refuseSharedProcess(Map<String, Availability> answers, int rank, int housemate) {
      for (BackendProvider provider : backends.providers()) {
        if (provider.placement() == BackendProvider.Placement.ONE_PER_PROCESS) {
          answers.put(
              provider.name(),
              Availability.no(
                  "it takes one rank in each process, and ranks %d and %d are in one"
                      .formatted(housemate, rank),
                  "start each rank as a process, as tutti run -n %d does"
                      .formatted(membership.size())));
        }
      }
    }

    /** Lines: the config, the process, and each backend with why it cannot be had, if so. */
    private static String encode(String config, Map<String, Availability> answers) {
      StringBuilder text = new StringBuilder(config).append('\n').append(PROCESS);
      answers.forEach(
          (name, answer) ->
              text.append('\n')
                  .append(name)
                  .append('\t')
                  .append(answer.isAvailable() ? "" : answer.describe().replace('\n', ' ')));
      return text.toString();
    }

    private static Map<String, Availability> decode(String[] lines) {
      Map<String, Availability> answers = new TreeMap<>();
      for (int i = 2; i < lines.length; i++) {
        int tab = lines[i].indexOf('\t');
        String reason = lines[i].substring(tab + 1);
        answers.put(
            lines[i].substring(0, tab),
            reason.isEmpty() ? Availability.yes() : Availability.no(reason, null));
      }
      return answers;
    }

    @Override
    public void broken(int worldRank, CommException cause) {
      failure.raise(cause);
    }

    @Override
    public void died(int worldRank, String reason) {
      failure.raise(
          new PeerFailedException(
              worldRank,
              "rank %d died (%s); see that rank's own output for why, then start the job again"
                  .formatted(worldRank, reason),
              null));
    }
  }
}
