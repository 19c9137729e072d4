package dev.tutti.comm.internal.layers;

import dev.tutti.comm.CommConfig;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The one place where the layers above a group's backends are stacked. A subgroup's stack is made
 * by splitting this one.
 */
public final class Layers {
  private Layers() {}

  /**
   * Returns the stack, outermost first: recorded, checked with {@code debug=detail}, dispatched,
   * and over each backend: folded.
   *
   * @param backends the communicator for each kind of device
   * @param group the group as this rank sees it
   * @param debug whether ranks compare their calls
   */
  public static Communicator stack(
      Map<String, Communicator> backends, BackendProvider.Context group, CommConfig.Debug debug) {
    Map<Communicator, Communicator> folded = new HashMap<>();
    Map<String, Communicator> byDevice = new LinkedHashMap<>();
    backends.forEach(
        (device, backend) ->
            byDevice.put(device, folded.computeIfAbsent(backend, b -> new Folded(b, group))));
    Communicator dispatched = new Dispatched(byDevice);
    return new Recorded(
        debug == CommConfig.Debug.DETAIL ? new Checked(dispatched, group) : dispatched, group);
  }

  /** Returns how the ranks of a stack agree on their calls; null if they do not compare them. */
  public static @Nullable Agreement agreement(Communicator stack) {
    return stack instanceof Recorded recorded && recorded.next() instanceof Checked checked
        ? checked.agreement()
        : null;
  }
}
