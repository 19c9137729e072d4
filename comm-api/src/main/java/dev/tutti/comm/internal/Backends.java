package dev.tutti.comm.internal;

import dev.tutti.comm.BackendUnavailableException;
import dev.tutti.comm.CommConfig;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The backends there are, and the choice among them. Every rank publishes its answer to "can it be
 * had here, and if not, why"; the choice is a function of all answers, so all ranks choose alike. A
 * backend that one rank lacks is out for all.
 */
public final class Backends {
  private final List<BackendProvider> providers;
  private final List<String> broken;

  private Backends(List<BackendProvider> providers, List<String> broken) {
    this.providers = providers;
    this.broken = broken;
  }

  /** Finds every provider; one that cannot be instantiated does not hide the others. */
  public static Backends load() {
    List<BackendProvider> found = new ArrayList<>();
    List<String> broken = new ArrayList<>();
    ClassLoader loader = Backends.class.getClassLoader();
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    collect(
        ServiceLoader.load(BackendProvider.class, context == null ? loader : context),
        found,
        broken);
    collect(ServiceLoader.load(BackendProvider.class, loader), found, broken);
    found.sort(
        Comparator.comparingInt(BackendProvider::priority)
            .reversed()
            .thenComparing(BackendProvider::name));
    return new Backends(List.copyOf(found), List.copyOf(broken));
  }

  private static void collect(
      ServiceLoader<BackendProvider> services, List<BackendProvider> found, List<String> broken) {
    Iterator<BackendProvider> next = services.iterator();
    while (true) {
      try {
        if (!next.hasNext()) {
          return;
        }
        BackendProvider provider = next.next();
        if (found.stream().noneMatch(known -> known.name().equals(provider.name()))) {
          found.add(provider);
        }
      } catch (ServiceConfigurationError | LinkageError e) {
        broken.add(e.toString());
      }
    }
  }

  /** Returns the providers, highest priority first. */
  public List<BackendProvider> providers() {
    return providers;
  }

  /** Returns the provider of a name, or null. */
  public @Nullable BackendProvider provider(String name) {
    return providers.stream().filter(p -> p.name().equals(name)).findFirst().orElse(null);
  }

  /** Returns this process's answer for each backend by name. */
  public Map<String, Availability> answers() {
    return answers(BackendProvider::availability);
  }

  /** Returns, for each backend by name, whether processes started from here could have it. */
  public Map<String, Availability> startable() {
    return answers(BackendProvider::startable);
  }

  /**
   * Returns the program that has to start the ranks of a job, or null if any may.
   *
   * @param config the job's config
   * @param ranks how many ranks there are
   */
  public BackendProvider.@Nullable Starter starter(CommConfig config, int ranks) {
    for (CommConfig.Entry entry : config.entries()) {
      BackendProvider provider = provider(entry.backend());
      BackendProvider.Starter starter = provider == null ? null : provider.starter(ranks);
      if (starter != null) {
        return starter;
      }
    }
    return null;
  }

  private Map<String, Availability> answers(Function<BackendProvider, Availability> question) {
    Map<String, Availability> answers = new TreeMap<>();
    for (BackendProvider provider : providers) {
      Availability answer;
      try {
        answer = question.apply(provider);
      } catch (RuntimeException | LinkageError e) {
        answer = Availability.no("its probe failed: " + e, "report this to the backend's author");
      }
      answers.put(provider.name(), answer);
    }
    return answers;
  }

  /**
   * Chooses the backend of one config entry.
   *
   * @param backend the entry's backend, or {@code auto}
   * @param device the kind of device that it must take, or null for the CPU
   * @param answers each rank's answers, in rank order
   * @throws BackendUnavailableException if there is none; the message lists each candidate with its
   *     reason
   */
  public BackendProvider choose(
      String backend, @Nullable String device, List<Map<String, Availability>> answers) {
    String kind = device == null ? "cpu" : device;
    boolean auto = backend.equals("auto");
    List<String> reasons = new ArrayList<>();
    for (BackendProvider candidate : providers) {
      if (!auto && !candidate.name().equals(backend)) {
        continue;
      }
      String reason =
          auto && candidate.priority() == 0
              ? "is taken only when named"
              : !candidate.devices().contains(kind)
                  ? "takes no buffers on " + kind + ", only on " + candidate.devices()
                  : whyNotEverywhere(candidate.name(), answers);
      if (reason == null) {
        return candidate;
      }
      reasons.add(candidate.name() + ": " + reason);
    }
    reasons.addAll(broken);
    throw new BackendUnavailableException(
        "no backend for %s%s: %s"
            .formatted(
                backend,
                device == null ? "" : " on " + device,
                reasons.isEmpty()
                    ? "none is on the class path or module path"
                    : String.join("; ", reasons)),
        null);
  }

  private static @Nullable String whyNotEverywhere(
      String name, List<Map<String, Availability>> answers) {
    for (int rank = 0; rank < answers.size(); rank++) {
      Availability answer = answers.get(rank).get(name);
      if (answer == null) {
        return "rank " + rank + " does not have it; put its jar on that rank's class path";
      }
      if (!answer.isAvailable()) {
        return (answers.size() == 1 ? "" : "rank " + rank + ": ") + answer.describe();
      }
    }
    return null;
  }
}
