package dev.tutti.comm.internal.rendezvous;

import dev.tutti.comm.internal.Deadline;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A server in the test's own process, and memberships that join it. */
final class TestJob implements AutoCloseable {
  final JobServer server;
  final int size;
  private final List<Membership> memberships = new ArrayList<>();

  /** Starts a server; with host rank 0 it passes for rank 0's. */
  TestJob(int size, int hostRank) {
    this.size = size;
    this.server =
        JobServer.bind(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            size,
            "test",
            hostRank,
            Deadline.after(Duration.ofSeconds(5)));
  }

  /** Joins a rank, as one of a process that does not host the server. */
  synchronized Membership join(int rank) {
    Membership membership =
        Rendezvous.join(url(rank), Map.of(), Deadline.after(Duration.ofSeconds(10)));
    memberships.add(membership);
    return membership;
  }

  String url(int rank) {
    return "tcp://127.0.0.1:%d?rank=%d&size=%d&hosted=launcher&job=test"
        .formatted(server.port(), rank, size);
  }

  @Override
  public void close() {
    memberships.forEach(Membership::close);
    server.close();
  }
}
