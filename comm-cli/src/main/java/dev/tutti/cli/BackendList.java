package dev.tutti.cli;

import dev.tutti.comm.internal.Backends;
import dev.tutti.comm.internal.config.ConfigDocs;
import dev.tutti.comm.spi.BackendProvider;
import java.util.Locale;
import java.util.Objects;

/** The backends that are on the class path, and the keys that a config string may give them. */
final class BackendList {
  private BackendList() {}

  /** Returns the topic's text. */
  static String describe(Backends backends) {
    StringBuilder text =
        new StringBuilder(
            """
            A config string says which backend a group uses, and how:

              auto                              the best backend that every rank can have
              tcp?iface=eth0&timeout=30s        one backend, with options
              cpu:tcp,cuda:nccl                 a backend for each kind of device

            It is looked for in the argument of ProcessGroup.init, then in the system property
            tutti.backend, then in the variable TUTTI_BACKEND ('tutti run --backend' sets that),
            else it is "auto". A backend that is named but cannot be had is an error.

            Backends here, the one that auto prefers first:
            """);
    var answers = backends.startable();
    for (BackendProvider provider : backends.providers()) {
      text.append(
          "  %-10s %s\n  %-10s %s\n"
              .formatted(
                  provider.name(),
                  about(provider),
                  "",
                  Objects.requireNonNull(answers.get(provider.name())).describe()));
    }
    return text.append('\n').append(ConfigDocs.plainText(backends.providers())).toString();
  }

  /** Returns what a backend takes and how many ranks of it a process may hold, in one line. */
  static String about(BackendProvider provider) {
    String placement =
        switch (provider.placement()) {
          case MANY_PER_PROCESS -> "any number of ranks in a process";
          case ONE_PER_PROCESS -> "one rank in each process";
          case ONE_PER_DEVICE -> "one rank for each device";
        };
    String choice =
        provider.priority() == 0
            ? "taken only when named"
            : "auto's priority " + provider.priority();
    return "buffers on %s; %s; %s"
        .formatted(
            String.join(", ", provider.devices()).toLowerCase(Locale.ROOT), placement, choice);
  }
}
