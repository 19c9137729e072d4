package dev.tutti.comm;

import dev.tutti.comm.internal.config.GroupKeys;
import dev.tutti.comm.internal.config.GroupValues;
import dev.tutti.comm.internal.config.KeySyntax;
import dev.tutti.comm.internal.config.KeyValues;
import dev.tutti.comm.internal.config.KnownBackends;
import dev.tutti.comm.internal.config.Origin;
import dev.tutti.comm.internal.config.Units;
import dev.tutti.comm.spi.BackendProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A config string, read: which backend serves which device, and with which options.
 *
 * <pre>
 * spec    = entry *( "," entry )
 * entry   = [ device ":" ] backend [ "?" key "=" value *( "&amp;" key "=" value ) ]
 * </pre>
 *
 * <p>Examples: {@code auto}, {@code tcp?iface=eth0&chunk=1MiB}, {@code cpu:tcp,cuda:nccl}, {@code
 * auto?scratch=4MiB&timeout=30s}. A device is {@code cpu} or {@code cuda}; an entry without one
 * serves every device that no other entry names. Sizes and durations carry their unit ({@code
 * 4MiB}, {@code 30s}), items of a list are joined by {@code +}, and {@code %XX} stands for a
 * character that would end the value.
 *
 * <p>The keys {@code timeout}, {@code order}, {@code debug} and {@code scratch} belong to the
 * group: they may stand at any entry and are read here. Every other key belongs to the entry's
 * backend, which declares it; {@link #check} refuses what no backend declares.
 *
 * <p><b>Equality.</b> Two configs are equal if their {@link #canonical()} strings are.
 *
 * <p><b>Threading.</b> Immutable.
 */
public final class CommConfig {
  /** The backend's name that leaves the choice to the library. */
  public static final String AUTO = "auto";

  /** The system property that holds the config string where the program passes none. */
  public static final String PROPERTY = "tutti.backend";

  /**
   * The environment variable that holds the config string where neither program nor system property
   * does.
   */
  public static final String VARIABLE = "TUTTI_BACKEND";

  private static final long LEAST_SCRATCH = 1024;

  /** In which order a reduction of floating-point numbers is computed. */
  public enum Order {
    /** Whatever is fastest: the same bits on all ranks, but not on all backends. */
    FAST,
    /** Rank after rank: the same bits on every backend and for every layout of ranks on hosts. */
    RANKED
  }

  /** How much the ranks check of each other's calls. */
  public enum Debug {
    /** Only what frames carry anyhow. */
    OFF,
    /** Before data moves, all ranks compare their calls. */
    DETAIL
  }

  /**
   * One backend in a config string.
   *
   * @param device {@code "cpu"} or {@code "cuda"}; null if it serves every device that no other
   *     entry names
   * @param backend the backend's name, or {@link #AUTO}
   * @param options the values of the backend's own keys, sorted by key, as the string writes them:
   *     still escaped
   */
  public record Entry(@Nullable String device, String backend, Map<String, String> options) {
    /** Copies and sorts the options. */
    public Entry {
      options = Collections.unmodifiableMap(new TreeMap<>(options));
    }

    /** Returns the device and the backend as a config string writes them. */
    String head() {
      return device == null ? backend : device + ":" + backend;
    }
  }

  private final Origin origin;
  private final List<Entry> entries;
  private final Duration timeout;
  private final Order order;
  private final Debug debug;
  private final long scratchBytes;

  private CommConfig(
      Origin origin,
      List<Entry> entries,
      Duration timeout,
      Order order,
      Debug debug,
      long scratchBytes) {
    this.origin = origin;
    this.entries = List.copyOf(entries);
    this.timeout = timeout;
    this.order = order;
    this.debug = debug;
    this.scratchBytes = scratchBytes;
  }

  /**
   * Reads a config string.
   *
   * @param spec the string
   * @throws ConfigException if it does not follow the grammar, names a device that does not exist,
   *     serves a device twice, or gives a group's key a value that it cannot have or two values
   *     that differ
   */
  public static CommConfig parse(String spec) {
    return parse(new Origin(spec, null));
  }

  /**
   * Reads the config string found first: the argument, the system property {@value #PROPERTY}, the
   * environment variable {@value #VARIABLE}, {@code auto}. An argument that is just {@code auto}
   * leaves the choice open, so the property and the variable are looked at too: a program written
   * with {@code init("auto")} can be started on any backend.
   *
   * @param argument what the program passed, or null if nothing
   * @throws ConfigException as {@link #parse} does; the message names the place where the string
   *     was found
   */
  public static CommConfig resolve(@Nullable String argument) {
    return resolve(argument, System.getenv(), System.getProperties());
  }

  /**
   * Reads the config string found first, as {@link #resolve(String)} does, in a given environment.
   * An empty property or variable counts as not set.
   *
   * @param argument what the program passed, or null if nothing
   * @param environment the environment's variables
   * @param properties the system's properties
   * @throws ConfigException as {@link #parse} does; the message names the place where the string
   *     was found
   */
  public static CommConfig resolve(
      @Nullable String argument, Map<String, String> environment, Properties properties) {
    if (argument != null && !argument.strip().equals(AUTO)) {
      return parse(argument);
    }
    String property = properties.getProperty(PROPERTY);
    if (property != null && !property.isBlank()) {
      return parse(new Origin(property, "the system property " + PROPERTY));
    }
    String variable = environment.get(VARIABLE);
    if (variable != null && !variable.isBlank()) {
      return parse(new Origin(variable, "the environment variable " + VARIABLE));
    }
    return parse(new Origin(AUTO, "the default"));
  }

  private static CommConfig parse(Origin origin) {
    GroupValues read = GroupValues.read(origin);
    Options values = new Options(read.group());
    Duration timeout = values.duration(GroupKeys.TIMEOUT.name());
    if (timeout.isZero()) {
      throw read.group()
          .outOfRange(
              GroupKeys.TIMEOUT.name(),
              "more than zero (a long time such as 24h can be had, \"never\" cannot)");
    }
    return new CommConfig(
        origin,
        read.entries(),
        timeout,
        Order.valueOf(values.text(GroupKeys.ORDER.name()).toUpperCase(Locale.ROOT)),
        Debug.valueOf(values.text(GroupKeys.DEBUG.name()).toUpperCase(Locale.ROOT)),
        values.bytes(GroupKeys.SCRATCH.name(), LEAST_SCRATCH, Long.MAX_VALUE));
  }

  /**
   * Checks the backends and their options against the providers there are.
   *
   * @param providers the providers found, whether or not their backends can be had here
   * @return this config with its backends' values written in one way and without those that are the
   *     default, so that equal configs have equal {@link #canonical()} strings
   * @throws ConfigException if a backend or a key is unknown (the message names the nearest known
   *     one and lists the rest), a value is no value of its key, or two entries give one backend
   *     different options
   * @throws IllegalArgumentException if a provider declares a key of the group's, a key twice, or a
   *     default that is no value of its key
   */
  public CommConfig check(Collection<? extends BackendProvider> providers) {
    KnownBackends known = new KnownBackends(providers);
    List<Entry> checked = entries.stream().map(entry -> known.checked(origin, entry)).toList();
    Map<String, Entry> first = new TreeMap<>();
    for (Entry entry : checked) {
      Entry other = first.putIfAbsent(entry.backend(), entry);
      if (other != null && !other.options().equals(entry.options())) {
        throw origin.error(
            "the entries of "
                + other.head()
                + " and "
                + entry.head()
                + " give their backend different options, and a group sets it up once; give both the"
                + " same");
      }
    }
    CommConfig config = new CommConfig(origin, checked, timeout, order, debug, scratchBytes);
    for (BackendProvider provider : providers) {
      Entry entry = first.get(provider.name());
      if (entry != null) {
        provider.check(config.options(entry, provider.keys()));
      }
    }
    return config;
  }

  /**
   * Returns an entry's options, checked against the keys that its backend declares, with their
   * defaults.
   *
   * @param entry one of {@link #entries()}
   * @param declared the keys of the backend that serves the entry
   * @throws ConfigException if a key is unknown or a value is no value of its key
   * @throws IllegalArgumentException if the declaration is wrong: a key of the group's, a key
   *     twice, or a default that is no value of its key
   */
  public Options options(Entry entry, List<BackendProvider.Key> declared) {
    return new Options(KnownBackends.values(origin, entry.backend(), entry.options(), declared));
  }

  /**
   * Returns the entries: first the one without a device, if there is one, then the others by their
   * device's name.
   */
  public List<Entry> entries() {
    return entries;
  }

  /**
   * Returns the entry that serves a device: the one that names its kind, else the one that names
   * none, else null.
   *
   * @param device the device
   */
  public @Nullable Entry entry(Device device) {
    Entry any = null;
    for (Entry entry : entries) {
      if (entry.device() == null) {
        any = entry;
      } else if (entry.device().equals(device.kind())) {
        return entry;
      }
    }
    return any;
  }

  /** Returns how long one operation, or setting a group up, may take; longer than zero. */
  public Duration timeout() {
    return timeout;
  }

  /** Returns the order of floating-point reductions. */
  public Order order() {
    return order;
  }

  /** Returns how much the ranks check of each other's calls. */
  public Debug debug() {
    return debug;
  }

  /** Returns how much memory a group may hold for chunks on their way, in bytes; at least 1024. */
  public long scratchBytes() {
    return scratchBytes;
  }

  /**
   * Returns a phrase that names the string as it was written, and the place where it was found
   * unless the program passed it.
   */
  public String origin() {
    return origin.describe();
  }

  /**
   * Returns this config with another timeout.
   *
   * @param timeout longer than zero, at most 292 years
   * @throws ConfigException if it is not
   */
  public CommConfig withTimeout(Duration timeout) {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new ConfigException("timeout " + timeout + " is not longer than zero");
    }
    if (timeout.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
      throw new ConfigException("timeout " + timeout + " is longer than 292 years");
    }
    return new CommConfig(origin, entries, timeout, order, debug, scratchBytes);
  }

  /**
   * Returns this config with another order of floating-point reductions.
   *
   * @param order the order
   */
  public CommConfig withOrder(Order order) {
    return new CommConfig(
        origin, entries, timeout, Objects.requireNonNull(order), debug, scratchBytes);
  }

  /**
   * Returns this config with another amount of checking.
   *
   * @param debug how much to check
   */
  public CommConfig withDebug(Debug debug) {
    return new CommConfig(
        origin, entries, timeout, order, Objects.requireNonNull(debug), scratchBytes);
  }

  /**
   * Returns this config with another bound for a group's chunks.
   *
   * @param scratchBytes in bytes, at least 1024
   * @throws ConfigException if it is less
   */
  public CommConfig withScratchBytes(long scratchBytes) {
    if (scratchBytes < LEAST_SCRATCH) {
      throw new ConfigException(
          "scratch of " + scratchBytes + " bytes is less than " + LEAST_SCRATCH);
    }
    return new CommConfig(origin, entries, timeout, order, debug, scratchBytes);
  }

  /**
   * Returns the config as one string, written in one way: entries and keys sorted, the group's keys
   * at the first entry and only where they are not the default, in the largest unit that keeps a
   * number whole. Reading it gives an equal config. After {@link #check}, the values of the
   * backends' keys are written in one way too, and configs that mean the same have the same string.
   */
  public String canonical() {
    Map<String, String> group = new TreeMap<>();
    group.put(GroupKeys.TIMEOUT.name(), Units.formatDuration(timeout));
    group.put(GroupKeys.ORDER.name(), order.name().toLowerCase(Locale.ROOT));
    group.put(GroupKeys.DEBUG.name(), debug.name().toLowerCase(Locale.ROOT));
    group.put(GroupKeys.SCRATCH.name(), Units.formatBytes(scratchBytes));
    GroupKeys.ALL.forEach(key -> group.remove(key.name(), key.defaultValue()));
    List<String> written = new ArrayList<>();
    for (Entry entry : entries) {
      Map<String, String> options = new TreeMap<>(entry.options());
      if (written.isEmpty()) {
        options.putAll(group);
      }
      List<String> pairs = new ArrayList<>();
      options.forEach((name, raw) -> pairs.add(name + "=" + raw));
      written.add(entry.head() + (pairs.isEmpty() ? "" : "?" + String.join("&", pairs)));
    }
    return String.join(",", written);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CommConfig config
        && entries.equals(config.entries)
        && timeout.equals(config.timeout)
        && order == config.order
        && debug == config.debug
        && scratchBytes == config.scratchBytes;
  }

  @Override
  public int hashCode() {
    return Objects.hash(entries, timeout, order, debug, scratchBytes);
  }

  /** Returns {@link #canonical()}. */
  @Override
  public String toString() {
    return canonical();
  }

  /**
   * The values of one backend's keys, each as the type that the backend declared it to have. All
   * were checked when this was made.
   *
   * <p>A method that returns a value throws {@link ConfigException} if the key has none and no
   * default, and {@link IllegalArgumentException} if the backend declared no such key or another
   * type.
   *
   * <p><b>Threading.</b> Immutable.
   */
  public static final class Options {
    private final KeyValues values;

    private Options(KeyValues values) {
      this.values = values;
    }

    /**
     * Returns whether a key has a value, given or by default.
     *
     * @param name the key's name
     */
    public boolean has(String name) {
      return values.has(name);
    }

    /**
     * Returns the text of a {@link BackendProvider.Type#STRING} or the word of a {@link
     * BackendProvider.Type#CHOICE}.
     *
     * @param name the key's name
     */
    public String text(String name) {
      BackendProvider.Type type =
          values.type(name) == BackendProvider.Type.CHOICE
              ? BackendProvider.Type.CHOICE
              : BackendProvider.Type.STRING;
      return KeySyntax.text(values.raw(name, type));
    }

    /**
     * Returns the items of a {@link BackendProvider.Type#LIST}: none if the key has no value and no
     * default.
     *
     * @param name the key's name
     */
    public List<String> list(String name) {
      return has(name) ? KeySyntax.list(values.raw(name, BackendProvider.Type.LIST)) : List.of();
    }

    /**
     * Returns whether a {@link BackendProvider.Type#BOOLEAN} is on.
     *
     * @param name the key's name
     */
    public boolean flag(String name) {
      return KeySyntax.flag(values.raw(name, BackendProvider.Type.BOOLEAN));
    }

    /**
     * Returns the value of a {@link BackendProvider.Type#INTEGER}.
     *
     * @param name the key's name
     */
    public int integer(String name) {
      return KeySyntax.integer(values.raw(name, BackendProvider.Type.INTEGER));
    }

    /**
     * Returns the value of a {@link BackendProvider.Type#INTEGER} that has bounds.
     *
     * @param name the key's name
     * @param least the least value allowed
     * @param most the greatest value allowed
     * @throws ConfigException if the value is out of bounds
     */
    public int integer(String name, int least, int most) {
      int value = integer(name);
      if (value < least || value > most) {
        throw values.outOfRange(name, least + " to " + most);
      }
      return value;
    }

    /**
     * Returns the value of a {@link BackendProvider.Type#BYTES}, in bytes.
     *
     * @param name the key's name
     */
    public long bytes(String name) {
      return KeySyntax.bytes(values.raw(name, BackendProvider.Type.BYTES));
    }

    /**
     * Returns the value of a {@link BackendProvider.Type#BYTES} that has bounds, in bytes.
     *
     * @param name the key's name
     * @param least the least size allowed
     * @param most the greatest size allowed, {@link Long#MAX_VALUE} if any
     * @throws ConfigException if the size is out of bounds
     */
    public long bytes(String name, long least, long most) {
      long value = bytes(name);
      if (value < least || value > most) {
        String from = Units.formatBytes(least);
        throw values.outOfRange(
            name,
            most == Long.MAX_VALUE ? from + " or more" : from + " to " + Units.formatBytes(most));
      }
      return value;
    }

    /**
     * Returns the value of a {@link BackendProvider.Type#DURATION}, zero or longer.
     *
     * @param name the key's name
     */
    public Duration duration(String name) {
      return Units.parseDuration(KeySyntax.text(values.raw(name, BackendProvider.Type.DURATION)));
    }

    /** Returns the values that are not the default, as a config string writes them. */
    @Override
    public String toString() {
      List<String> pairs = new ArrayList<>();
      values.canonical().forEach((name, raw) -> pairs.add(name + "=" + raw));
      return String.join("&", pairs);
    }
  }
}
