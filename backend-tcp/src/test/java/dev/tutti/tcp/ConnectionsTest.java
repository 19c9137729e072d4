package dev.tutti.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.LocalRanks;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is let in, when, and where; raw sockets are the strangers. */
@Timeout(60)
class ConnectionsTest {
  private static final Logger LOG = Logger.getLogger(Connections.class.getName());

  private final List<LogRecord> logged = Collections.synchronizedList(new ArrayList<>());
  private final List<Socket> strangers = new ArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          logged.add(line);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listenToTheLog() {
    LOG.addHandler(handler);
    LOG.setUseParentHandlers(false);
  }

  @AfterEach
  void leave() throws IOException {
    LOG.removeHandler(handler);
    LOG.setUseParentHandlers(true);
    for (Socket stranger : strangers) {
      stranger.close();
    }
  }

  private Socket stranger(EngineRanks.Rank of, byte[] says) throws IOException {
    Socket socket =
        new Socket(of.transport.listening().getAddress(), of.transport.listening().getPort());
    socket.setSoTimeout(10_000);
    strangers.add(socket);
    socket.getOutputStream().write(says);
    return socket;
  }

  private static byte[] hello(int epoch, long secret, int from, int size) {
    byte[] bytes = new byte[Frame.BYTES];
    Frame.writeHello(MemorySegment.ofArray(bytes), epoch, secret, from, size);
    return bytes;
  }

  private static boolean isClosed(Socket socket) {
    try {
      socket.setSoTimeout(1);
      InputStream in = socket.getInputStream();
      return in.read() < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  private static void until(BooleanSupplier condition, Runnable step) {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited too long").isLessThan(end);
      step.run();
    }
  }

  private static void barrier(EngineRanks ranks, int size) {
    List<OpContext> all = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      all.add(ranks.rank(rank).issue(new Operation.Barrier()));
    }
    ranks.finish(all);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void aPairConnectsOnFirstUse(String transport) throws Exception {
    try (EngineRanks ranks = EngineRanks.open(4, "tcp?transport=" + transport, true)) {
      ranks.step(0, 1, 2, 3);
      for (int rank = 0; rank < 4; rank++) {
        assertThat(ranks.rank(rank).transport.connected()).isZero();
        assertThat(ranks.rank(rank).transport.accepted()).isZero();
      }
      float[] from = {7};
      float[] to = new float[1];
      for (int i = 0; i < 3; i++) {
        ranks.finish(
            List.of(
                ranks.rank(1).issue(new Operation.Send(CommBuffer.of(from), 3)),
                ranks.rank(3).issue(new Operation.Recv(CommBuffer.of(to), 1))));
      }
      assertThat(to).containsExactly(7);
      assertThat(ranks.rank(3).transport.connected()).as("the higher rank connects").isEqualTo(1);
      assertThat(ranks.rank(1).transport.accepted()).isEqualTo(1);
      assertThat(ranks.rank(1).transport.connected()).isZero();
      assertThat(ranks.rank(0).transport.accepted() + ranks.rank(2).transport.accepted()).isZero();

      for (int i = 0; i < 3; i++) {
        barrier(ranks, 4);
      }
      int connections = 0;
      for (int rank = 0; rank < 4; rank++) {
        connections += ranks.rank(rank).transport.connected();
      }
      assertThat(connections).as("one for each pair of the barrier").isEqualTo(6);
    }
  }

  /**
   * The accepting rank does not wait for ever, so a rank that waits for a third one greets first.
   */
  @Test
  void aRankGreetsBeforeItsFirstStepIsReady() throws Exception {
    try (EngineRanks ranks = EngineRanks.open(4, "tcp", true)) {
      float[] x = {1};
      float[] y = {0};
      // Rank 2 has to hear from rank 3, which is late, before it sends to rank 0.
      ranks
          .rank(0)
          .issue(new Operation.Reduce(CommBuffer.of(x), CommBuffer.of(y), ReduceOp.SUM, 0));
      ranks.rank(2).issue(new Operation.Reduce(CommBuffer.of(x), null, ReduceOp.SUM, 0));
      until(() -> ranks.rank(0).connections.link(2).isConnected(), () -> ranks.step(0, 2));
    }
  }

  @Test
  void theListenerIsClosedOnceAllAreConnected() throws Exception {
    try (EngineRanks ranks = EngineRanks.open(3, "tcp", true)) {
      EngineRanks.Rank last = ranks.rank(2);
      assertThatThrownBy(() -> stranger(last, new byte[0]))
          .as("nobody connects to the highest rank")
          .isInstanceOf(IOException.class);
      EngineRanks.Rank first = ranks.rank(0);
      Socket waiting = stranger(first, new byte[0]);
      until(() -> first.transport.accepted() == 1, () -> ranks.step(0));
      barrier(ranks, 3);
      assertThat(isClosed(waiting)).as("a stranger that waited").isTrue();
      assertThatThrownBy(() -> stranger(first, new byte[0])).isInstanceOf(IOException.class);
      assertThat(first.transport.acceptedOpen()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void strangersAreTurnedAwayAndHurtNobody(String transport) throws Exception {
    try (EngineRanks ranks = EngineRanks.open(4, "tcp?transport=" + transport, true)) {
      EngineRanks.Rank victim = ranks.rank(0);
      int epoch = victim.context.epoch();
      byte[] garbage = new byte[4096];
      new Random(1).nextBytes(garbage);
      byte[] otherVersion = hello(epoch, 1, 1, 4);
      otherVersion[2] = 9;
      List<Socket> refused = new ArrayList<>();
      for (byte[] says :
          List.of(
              garbage,
              "GET / HTTP/1.1\r\nHost: localhost\r\nAccept: text/html,*/*\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII),
              otherVersion,
              hello(epoch, 1, 1, 4),
              hello(epoch + 1, 1, 1, 4),
              hello(epoch, 1, 1, 5),
              hello(epoch, 1, 0, 4),
              hello(epoch, 1, 4, 4),
              hello(epoch, 1, -1, 4),
              hello(epoch, 1, Integer.MIN_VALUE, 4))) {
        refused.add(stranger(victim, says));
      }
      Socket half = stranger(victim, Arrays.copyOf(hello(epoch, 1, 1, 4), 30));
      half.shutdownOutput();
      refused.add(half);
      until(
          () ->
              victim.transport.accepted() == refused.size() && victim.transport.acceptedOpen() == 0,
          () -> ranks.step(0));
      for (Socket socket : refused) {
        assertThat(isClosed(socket)).isTrue();
      }
      List<Socket> silent = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        silent.add(stranger(victim, i % 2 == 0 ? new byte[0] : new byte[] {0x75, 0x54}));
      }
      until(() -> victim.transport.accepted() >= 211, () -> ranks.step(0));
      assertThat(victim.transport.acceptedOpen()).as("of 200 silent ones").isLessThanOrEqualTo(64);
      assertThat(silent.stream().filter(ConnectionsTest::isClosed).count())
          .isGreaterThanOrEqualTo(136);

      barrier(ranks, 4);
      assertThat(victim.connections.link(1).isConnected()).isTrue();
      assertThat(logged).as("a line a minute").hasSize(1);
      assertThat(logged.getFirst().getMessage()).contains("group {0}, rank {1}/{2}");
    }
  }

  @Test
  void aRankIsLetInOnce() throws Exception {
    try (EngineRanks ranks = EngineRanks.open(3, "tcp", true)) {
      // Rank 1 connects twice with the right secret, as a restarted process would.
      Connections first = ranks.rank(0).connections;
      ranks.rank(1).issue(new Operation.Barrier());
      ranks.rank(0).issue(new Operation.Barrier());
      until(() -> first.link(1).isConnected(), () -> ranks.step(0, 1));
      Socket duplicate =
          stranger(ranks.rank(0), hello(ranks.rank(0).context.epoch(), first.secret(), 1, 3));
      until(() -> isClosed(duplicate), () -> ranks.step(0, 1));
      assertThat(logged).hasSize(1);
      assertThat(logged.getFirst().getParameters()[3])
          .asString()
          .contains("rank 1", "not expected");
      ranks.finish(List.of(ranks.rank(2).issue(new Operation.Barrier())));
      barrier(ranks, 3);
    }
  }

  /** Who came first has had the most time: a peer that has just come is not sent away for those. */
  @Test
  void aPeerThatComesLateIsLetInThoughManyAreSilent() throws Exception {
    try (EngineRanks ranks = EngineRanks.open(3, "tcp", true)) {
      EngineRanks.Rank victim = ranks.rank(0);
      for (int i = 0; i < 100; i++) {
        stranger(victim, new byte[0]);
      }
      until(() -> victim.transport.accepted() == 100, () -> ranks.step(0));
      Socket peer = stranger(victim, new byte[0]);
      until(() -> victim.transport.accepted() == 101, () -> ranks.step(0));
      peer.getOutputStream()
          .write(hello(victim.context.epoch(), victim.connections.secret(), 1, 3));
      until(() -> victim.connections.link(1).isConnected(), () -> ranks.step(0));
    }
  }

  @Test
  void whoSaysNothingIsTurnedAwayInTime() throws Exception {
    try (EngineRanks ranks = EngineRanks.open(3, "tcp", true, Duration.ofMillis(200))) {
      List<Socket> slow = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        slow.add(stranger(ranks.rank(0), new byte[i]));
      }
      long begin = System.nanoTime();
      until(() -> slow.stream().allMatch(ConnectionsTest::isClosed), () -> ranks.step(0));
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(150));
      assertThat(ranks.rank(0).transport.acceptedOpen()).isZero();
      barrier(ranks, 3);
    }
  }

  /** A flood is no progress: it must not keep an operation from its timeout. */
  @Test
  void strangersAreNoProgress() throws Exception {
    try (EngineRanks ranks = EngineRanks.open(3, "tcp", true)) {
      EngineRanks.Rank victim = ranks.rank(0);
      victim.issue(new Operation.Barrier());
      int before = victim.transport.accepted();
      stranger(victim, new byte[0]);
      stranger(victim, new byte[200]);
      until(
          () -> victim.transport.accepted() == before + 2,
          () -> {
            boolean progressed = victim.connections.acceptPending();
            assertThat(progressed).isFalse();
          });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1", "lo"})
  void listensOnTheChosenAddressOnly(String iface) throws Exception {
    boolean six = iface.equals("::1");
    Assumptions.assumeTrue(!six || hasIpv6(), "this host has no IPv6 loopback");
    String config = "tcp?iface=" + iface;
    try (EngineRanks ranks = EngineRanks.open(3, config, true)) {
      InetAddress address = ranks.rank(0).transport.listening().getAddress();
      assertThat(address.isLoopbackAddress()).isTrue();
      assertThat(address).isInstanceOf(six ? Inet6Address.class : Inet4Address.class);
      int port = ranks.rank(0).transport.listening().getPort();
      for (String other : six ? List.of("127.0.0.1") : List.of("127.0.0.2", "::1")) {
        assertThatThrownBy(() -> new Socket(other, port).close())
            .as("from %s to %s", other, address)
            .isInstanceOf(IOException.class);
      }
      barrier(ranks, 3);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void worksOverIpv6(String transport) throws Exception {
    Assumptions.assumeTrue(hasIpv6(), "this host has no IPv6 loopback");
    LocalRanks.run(
        3,
        "tcp?iface=::1&transport=" + transport,
        group -> {
          float[] x = {group.rank()};
          group.allReduce(CommBuffer.of(x), ReduceOp.SUM).join();
          assertThat(x).containsExactly(3);
        });
  }

  private static boolean hasIpv6() throws IOException {
    return NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .anyMatch(InetAddress.ofLiteral("::1")::equals);
  }

  @Test
  void anAddressThatIsNotHereIsRefusedByName() {
    assertThatThrownBy(() -> EngineRanks.open(2, "tcp?iface=203.0.113.7", true))
        .isInstanceOf(CompletionException.class)
        .hasMessageContaining("iface=203.0.113.7 leaves no interface");
  }
}
