package dev.tutti.comm.internal.config;

import dev.tutti.comm.spi.BackendProvider;
import java.util.List;

/**
 * The keys that belong to a group, whatever its backends. They may stand at any entry, and count
 * for all.
 */
public final class GroupKeys {
  /** How long an operation, and setting a group up, may take. */
  public static final BackendProvider.Key TIMEOUT =
      BackendProvider.Key.of(
          "timeout",
          BackendProvider.Type.DURATION,
          "5min",
          "how long one operation, or setting a group up, may take before it fails");

  /** In which order a reduction of floating-point numbers adds up. */
  public static final BackendProvider.Key ORDER =
      new BackendProvider.Key(
          "order",
          BackendProvider.Type.CHOICE,
          "fast",
          List.of("fast", "ranked"),
          "order of floating-point reductions: as is fastest, or by rank (the same bits on every"
              + " backend)");

  /** Whether ranks compare their calls. */
  public static final BackendProvider.Key DEBUG =
      new BackendProvider.Key(
          "debug",
          BackendProvider.Type.CHOICE,
          "off",
          List.of("off", "detail"),
          "detail: before data moves, all ranks check that they made the same call");

  /** How much memory a group may hold to move data through. */
  public static final BackendProvider.Key SCRATCH =
      BackendProvider.Key.of(
          "scratch",
          BackendProvider.Type.BYTES,
          "16MiB",
          "memory that a group may hold for chunks on their way");

  /** All of them, in the order of the tables. */
  public static final List<BackendProvider.Key> ALL = List.of(TIMEOUT, ORDER, DEBUG, SCRATCH);

  private GroupKeys() {}

  /** Returns whether a key of this name belongs to the group. */
  public static boolean contains(String name) {
    return ALL.stream().anyMatch(key -> key.name().equals(name));
  }
}
