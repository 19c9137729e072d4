package dev.tutti.comm.internal.config;

import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import java.util.List;
import java.util.Set;

/**
 * A provider that declares keys and can do nothing else.
 *
 * @param name the backend's name
 * @param keys the keys it declares
 */
public record DeclaredKeys(String name, List<Key> keys) implements BackendProvider {
  /** A backend with one key of each type, and one without a default. */
  public static final DeclaredKeys DEMO =
      new DeclaredKeys(
          "demo",
          List.of(
              Key.of("label", Type.STRING, "plain", "a text"),
              Key.of("iface", Type.LIST, null, "interfaces"),
              Key.of("nodelay", Type.BOOLEAN, "on", "whether small messages leave at once"),
              Key.of("channels", Type.INTEGER, "2", "connections to each peer"),
              Key.of("buffer", Type.BYTES, "1MiB", "size of a slot"),
              Key.of("linger", Type.DURATION, "2s", "how long closing may take"),
              new Key(
                  "algorithm", Type.CHOICE, "ring", List.of("ring", "tree"), "which | algorithm"),
              Key.of("token", Type.STRING, null, "has to be given")));

  /** A backend without keys. */
  public static final DeclaredKeys PLAIN = new DeclaredKeys("plain", List.of());

  @Override
  public int priority() {
    return 0;
  }

  @Override
  public Availability availability() {
    throw new AssertionError("reading a config asks no backend whether it can be had");
  }

  @Override
  public Set<String> devices() {
    return Set.of("cpu");
  }

  @Override
  public Placement placement() {
    return Placement.MANY_PER_PROCESS;
  }

  @Override
  public Communicator connect(Context context) {
    throw new AssertionError("reading a config connects nothing");
  }
}
