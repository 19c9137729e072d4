package dev.tutti.cli;

import dev.tutti.comm.BackendUnavailableException;
import dev.tutti.comm.CommConfig;
import dev.tutti.comm.internal.Backends;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;

/** Refuses, before anything is started, a backend that cannot be had here. */
final class Availabilities {
  private Availabilities() {}

  /**
   * @param written the config string as the user wrote it
   * @param config the same, checked
   * @param backends what there is
   * @throws BackendUnavailableException if a backend that is named cannot be had; says why
   */
  static void require(String written, CommConfig config, Backends backends) {
    for (CommConfig.Entry entry : config.entries()) {
      BackendProvider provider = backends.provider(entry.backend());
      Availability answer = provider == null ? Availability.yes() : provider.startable();
      if (!answer.isAvailable()) {
        throw new BackendUnavailableException(written + ": " + answer.describe(), null);
      }
    }
  }
}
