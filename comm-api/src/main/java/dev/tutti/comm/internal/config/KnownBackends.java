package dev.tutti.comm.internal.config;

import dev.tutti.comm.CommConfig;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.spi.BackendProvider;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** The backends that a config string may name, with the keys that each declares. */
public final class KnownBackends {
  private final Map<String, List<BackendProvider.Key>> declared = new TreeMap<>();

  /**
   * Takes the names and keys of some providers.
   *
   * @param providers the providers, whether or not their backends can be had here
   */
  public KnownBackends(Collection<? extends BackendProvider> providers) {
    for (BackendProvider provider : providers) {
      declared.put(provider.name(), provider.keys());
    }
  }

  /**
   * Returns an entry with its values written in one way and without those that are the default.
   *
   * @param origin the config string
   * @param entry one of its entries
   * @throws ConfigException if the backend or a key is unknown, or a value is no value of its key
   */
  public CommConfig.Entry checked(Origin origin, CommConfig.Entry entry) {
    String backend = entry.backend();
    List<BackendProvider.Key> keys = declared.get(backend);
    if (backend.equals(CommConfig.AUTO)) {
      refuseOptionsOfAuto(origin, entry.options());
      keys = List.of();
    }
    if (keys == null) {
      TreeSet<String> known = new TreeSet<>(declared.keySet());
      known.add(CommConfig.AUTO);
      throw origin.error(
          "unknown backend "
              + Quoted.quote(backend)
              + ". "
              + Nearest.hint(backend, known)
              + ". Another one is found once its jar is on the class path or module path");
    }
    return new CommConfig.Entry(
        entry.device(), backend, values(origin, backend, entry.options(), keys).canonical());
  }

  /**
   * Returns the values of a backend's keys.
   *
   * @param origin the config string
   * @param backend the backend's name
   * @param options the values by their keys' names, escaped
   * @param declared the backend's keys
   * @throws ConfigException if a key is unknown, or a value is no value of its key
   * @throws IllegalArgumentException if a key is the group's, declared twice, or has a wrong
   *     default
   */
  public static KeyValues values(
      Origin origin,
      String backend,
      Map<String, String> options,
      List<BackendProvider.Key> declared) {
    for (BackendProvider.Key key : declared) {
      if (GroupKeys.contains(key.name())) {
        throw new IllegalArgumentException(
            backend + " declares the key " + Quoted.quote(key.name()) + ", which is the group's");
      }
    }
    return new KeyValues(origin, backend, options, declared);
  }

  /** Whichever backend is chosen, an option must not be lost: so it needs its backend's name. */
  private void refuseOptionsOfAuto(Origin origin, Map<String, String> options) {
    options.forEach(
        (name, raw) -> {
          List<String> owners = new ArrayList<>();
          declared.forEach(
              (backend, keys) -> {
                if (keys.stream().anyMatch(key -> key.name().equals(name))) {
                  owners.add(backend);
                }
              });
          String hint;
          if (owners.isEmpty()) {
            hint =
                ". "
                    + Nearest.hint(
                        name, GroupKeys.ALL.stream().map(BackendProvider.Key::name).toList());
          } else {
            String named = owners.getFirst() + "?" + name + "=" + raw;
            hint =
                ", which belongs to "
                    + String.join(" and ", owners)
                    + ". Name the backend, for example "
                    + named;
          }
          throw origin.error("auto has no key " + Quoted.quote(name) + hint);
        });
  }
}
