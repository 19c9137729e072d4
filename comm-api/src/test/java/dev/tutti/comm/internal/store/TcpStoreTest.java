package dev.tutti.comm.internal.store;

import dev.tutti.comm.Store;
import dev.tutti.comm.internal.Deadline;
import dev.tutti.comm.internal.rendezvous.JobServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

class TcpStoreTest extends StoreSuite {
  private @Nullable JobServer server;

  @Override
  Duration someTime() {
    return Duration.ofSeconds(3);
  }

  @Override
  int waiting() {
    return server == null ? 0 : server.waiterCount();
  }

  @Override
  List<Store> open(int size) {
    Deadline deadline = Deadline.after(Duration.ofSeconds(5));
    InetAddress loopback = InetAddress.getLoopbackAddress();
    JobServer started =
        JobServer.bind(new InetSocketAddress(loopback, 0), size, "suite", -1, deadline);
    server = started;
    return ranks(
        size,
        rank -> {
          Hello hello = Hello.of(Hello.STORE, rank, size, "suite", "here");
          Dialer.Dialed dialed =
              Dialer.dial(loopback.getHostAddress(), started.port(), hello, deadline);
          return new TcpStore(dialed, "suite", Duration.ofSeconds(5), () -> {});
        });
  }

  @AfterEach
  void closeServer() {
    if (server != null) {
      server.close();
    }
  }
}
