package dev.tutti.comm.internal.layers;

import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import java.util.Map;

/**
 * The one place where the layers above a group's backends are stacked. A subgroup's stack is made
 * by splitting this one.
 */
public final class Layers {
  private Layers() {}

  /**
   * Returns the stack, outermost first: recorded, dispatched, backends.
   *
   * @param backends the communicator for each kind of device
   * @param group the group as this rank sees it
   */
  public static Communicator stack(
      Map<String, Communicator> backends, BackendProvider.Context group) {
    return new Recorded(new Dispatched(backends), group);
  }
}
