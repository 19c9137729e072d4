package dev.tutti.comm.spi;

import dev.tutti.comm.CommConfig;
import dev.tutti.comm.Store;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A backend, as found by {@link java.util.ServiceLoader}. Its class initialiser and constructor
 * load nothing, do nothing and throw nothing.
 *
 * <p><b>Threading.</b> All methods may be called from any thread.
 */
public interface BackendProvider {
  /** How many ranks a process may hold on this backend. */
  enum Placement {
    /** Any number of ranks in one process. */
    MANY_PER_PROCESS,
    /** One rank in each process. */
    ONE_PER_PROCESS,
    /** One rank for each device, in one process or several. */
    ONE_PER_DEVICE
  }

  /** What a config key's value is. */
  enum Type {
    /** Any text. */
    STRING,
    /** Texts separated by {@code +}. */
    LIST,
    /** {@code on} or {@code off}. */
    BOOLEAN,
    /** A whole number. */
    INTEGER,
    /** A number of bytes, such as {@code 4MiB}. */
    BYTES,
    /** A time, such as {@code 30s}. */
    DURATION,
    /** One of a few words. */
    CHOICE
  }

  /**
   * A key that this backend understands in a config string.
   *
   * @param name the key, in lower case
   * @param type what its value is
   * @param defaultValue the value when none is given, in the config string's own words; null if
   *     there is none
   * @param choices the words of a {@link Type#CHOICE}, else empty
   * @param description one line for the key tables
   */
  record Key(
      String name,
      Type type,
      @Nullable String defaultValue,
      List<String> choices,
      String description) {
    /** Copies the choices. */
    public Key {
      choices = List.copyOf(choices);
    }

    /** Returns a key without choices. */
    public static Key of(
        String name, Type type, @Nullable String defaultValue, String description) {
      return new Key(name, type, defaultValue, List.of(), description);
    }
  }

  /**
   * A program that has to start a backend's ranks, such as mpirun.
   *
   * @param command the program and its options; the ranks' own command is put behind them
   * @param environment variables that it and the ranks need
   */
  record Starter(List<String> command, Map<String, String> environment) {
    /** Copies the list and the map. */
    public Starter {
      command = List.copyOf(command);
      environment = Map.copyOf(environment);
    }
  }

  /**
   * A group that is being set up, as one of its ranks sees it.
   *
   * @param group the group's name, the same on all of its ranks, unique in the job
   * @param epoch the group's number in the job, the same on all of its ranks; in frames it tells
   *     groups apart
   * @param rank this rank in the group
   * @param worldRanks the ranks' numbers in the job, in the group's rank order
   * @param options the values of this backend's keys
   * @param order in which order reductions of floating-point numbers are to be folded; see {@link
   *     Communicator#foldsByRank}
   * @param scratchBytes the most memory for chunks that the group may hold, in bytes
   * @param store the group's own corner of the job's store
   * @param timeout what is left of the time for setting the group up
   * @param localAddress this host's address as routed to the rendezvous; null if it is not known
   * @param detectsDeath whether the job's control connection will name a dead rank; if not, the
   *     backend has to
   */
  record Context(
      String group,
      int epoch,
      int rank,
      List<Integer> worldRanks,
      CommConfig.Options options,
      CommConfig.Order order,
      long scratchBytes,
      Store store,
      Duration timeout,
      @Nullable InetAddress localAddress,
      boolean detectsDeath) {
    /** Copies the list. */
    public Context {
      worldRanks = List.copyOf(worldRanks);
    }

    /** Returns the number of ranks in the group. */
    public int size() {
      return worldRanks.size();
    }
  }

  /** Returns the name in config strings, in lower case. */
  String name();

  /**
   * Returns which of several usable backends {@code auto} takes: the highest. 0 is never taken by
   * {@code auto}.
   */
  int priority();

  /**
   * Returns whether this backend can be had in this process, without loading anything that could
   * end it, and without noise.
   */
  Availability availability();

  /**
   * Returns whether this backend can be had in processes that are started from here, with {@link
   * #starter}.
   */
  default Availability startable() {
    return availability();
  }

  /**
   * Returns the program that has to start the ranks on this host, or null if any program may.
   *
   * @param ranks how many
   */
  default @Nullable Starter starter(int ranks) {
    return null;
  }

  /** Returns the kinds of device whose buffers it takes, such as {@code cpu}. */
  Set<String> devices();

  /** Returns the keys it understands in a config string. */
  List<Key> keys();

  /**
   * Refuses values that are of their key's type but that it cannot take. Called where a config is
   * checked, before anything is set up.
   *
   * @param options the values of this backend's keys
   * @throws dev.tutti.comm.ConfigException if one is refused
   */
  default void check(CommConfig.Options options) {}

  /** Returns how many ranks a process may hold. */
  Placement placement();

  /**
   * Joins a group: every rank of it calls, and each gets its membership.
   *
   * @param context the group as this rank sees it
   * @throws dev.tutti.comm.CommException if it could not be set up in time
   */
  Communicator connect(Context context);
}
