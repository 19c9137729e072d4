package dev.tutti.tcp;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.NativeCommException;
import dev.tutti.comm.spi.BackendProvider;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;

/** Chooses the transport. */
final class Transports {
  private Transports() {}

  static Transport create(BackendProvider.Context group) {
    String wanted = group.options().text("transport");
    if (!wanted.equals("nio") && Epoll.isAvailable()) {
      return new EpollTransport();
    }
    if (wanted.equals("epoll")) {
      throw new ConfigException(
          "tcp?transport=epoll cannot be had here: %s; use transport=nio or auto"
              .formatted(Epoll.unavailabilityCause()));
    }
    try {
      return new NioTransport();
    } catch (IOException e) {
      throw new NativeCommException(
          0,
          "backend tcp cannot open a selector: "
              + e.getMessage()
              + "; is the limit of open files reached (ulimit -n)?",
          e);
    }
  }
}
