package dev.tutti.comm.internal.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CommException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.internal.Deadline;
import dev.tutti.comm.internal.control.Control;
import dev.tutti.comm.internal.store.Dialer;
import dev.tutti.comm.internal.store.FrameLink;
import dev.tutti.comm.internal.store.Hello;
import dev.tutti.comm.internal.store.LogCapture;
import dev.tutti.comm.internal.store.RankThreads;
import dev.tutti.comm.internal.store.TcpStore;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class JobServerTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
  private static final Duration LONG = Duration.ofSeconds(10);

  @Test
  void aThousandRanksExchangeInOneRound() throws Exception {
    int size = 1000;
    List<TcpStore> stores = Collections.synchronizedList(new ArrayList<>());
    try (TestJob job = new TestJob(size, -1)) {
      List<Integer> sums =
          RankThreads.run(
              size,
              Duration.ofSeconds(25),
              rank -> {
                Hello hello = Hello.of(Hello.STORE, rank, size, "test", "here");
                Dialer.Dialed dialed =
                    Dialer.dial("127.0.0.1", job.server.port(), hello, Deadline.after(LONG));
                TcpStore store = new TcpStore(dialed, "test", LONG, () -> {});
                stores.add(store);
                byte[] mine = text("10.0.0.1:" + rank);
                List<byte[]> all =
                    store.exchange("addresses", rank, size, mine, Duration.ofSeconds(20));
                return all.stream().mapToInt(value -> value.length).sum();
              });
      int expected = 0;
      for (int rank = 0; rank < size; rank++) {
        expected += ("10.0.0.1:" + rank).length();
      }
      assertThat(sums).hasSize(size).containsOnly(expected);
    } finally {
      stores.forEach(TcpStore::close);
    }
  }

  @Test
  void strangersLoseTheirConnectionAndNothingElseIsLost() throws Exception {
    try (LogCapture log = new LogCapture(JobServer.class);
        TestJob job = new TestJob(2, -1)) {
      Membership zero = job.join(0);
      Membership one = job.join(1);
      Random random = new Random(4711);
      byte[] noise = new byte[4096];
      List<byte[]> greetings =
          List.of(
              text("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
              new byte[64],
              new byte[] {0x16, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3},
              new byte[] {0x7f, -1, -1, -1, 1, 0, 0, 0, 0, 0, 0, 0, 0},
              new byte[] {0, 0, 0, 12, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3});
      for (int i = 0; i < 40; i++) {
        random.nextBytes(noise);
        byte[] greeting = i < greetings.size() ? greetings.get(i) : noise;
        try (Socket socket = new Socket(LOOPBACK, job.server.port())) {
          socket.setSoTimeout(5000);
          socket.getOutputStream().write(greeting);
          socket.shutdownOutput();
          assertThat(readToEnd(socket)).as("greeting %d", i).isZero();
        }
      }
      zero.store().set("k", text("v"));
      assertThat(one.store().get("k", LONG)).isEqualTo(text("v"));
      assertThat(log.lines()).hasSize(1);
      assertThat(log.lines().getFirst()).contains("dropped a connection").contains("127.0.0.1");
    }
  }

  @Test
  void aConnectionThatSaysNothingIsClosedInTime() throws Exception {
    ServerSocketChannel listener =
        ServerSocketChannel.open().bind(new InetSocketAddress(LOOPBACK, 0));
    try (LogCapture log = new LogCapture(JobServer.class);
        JobServer server = JobServer.start(listener, 2, "test", -1, Duration.ofMillis(300));
        Socket silent = new Socket(LOOPBACK, server.port());
        Socket slow = new Socket(LOOPBACK, server.port())) {
      slow.getOutputStream().write(new byte[] {0, 0, 0});
      silent.setSoTimeout(5000);
      slow.setSoTimeout(5000);
      assertThat(readToEnd(silent)).isZero();
      assertThat(readToEnd(slow)).isZero();
      while (log.lines().isEmpty()) {
        Thread.sleep(1);
      }
      assertThat(log.lines()).hasSize(1);
      assertThat(log.lines().getFirst()).contains("no hello within");
    }
  }

  @Test
  void anOversizedRequestEndsThatRankOnly() throws Exception {
    try (LogCapture log = new LogCapture(JobServer.class);
        TestJob job = new TestJob(3, -1);
        Socket bad = new Socket(LOOPBACK, job.server.port())) {
      Heard heard = new Heard();
      Membership zero = job.join(0);
      zero.control().subscribe("g", heard);
      RawHello.send(bad, 2, 3, "test");
      DataOutputStream out = new DataOutputStream(bad.getOutputStream());
      out.writeInt(1 << 30);
      out.writeByte(16);
      out.writeLong(1);
      out.flush();
      assertThat(heard.died.get(5, TimeUnit.SECONDS))
          .startsWith("2: ")
          .contains("1073741824 bytes");
      zero.store().set("k", text("v"));
      assertThat(job.join(1).store().get("k", LONG)).isEqualTo(text("v"));
      assertThat(log.lines()).hasSize(1);
    }
  }

  @Test
  void anExchangeOfTheWholeJobFailsAtOnceWhenARankDies() throws Exception {
    try (TestJob job = new TestJob(3, -1);
        Socket dying = new Socket(LOOPBACK, job.server.port())) {
      Membership zero = job.join(0);
      RawHello.send(dying, 2, 3, "test");
      CompletableFuture<List<byte[]>> waiting =
          CompletableFuture.supplyAsync(
              () -> zero.store().exchange("init", 0, 3, text("v"), Duration.ofSeconds(20)));
      while (job.server.waiterCount() == 0) {
        Thread.sleep(1);
      }
      dying.shutdownOutput();
      assertThat(waiting)
          .failsWithin(Duration.ofSeconds(1))
          .withThrowableThat()
          .havingCause()
          .isInstanceOf(PeerFailedException.class)
          .withMessageContaining("\"init\"")
          .withMessageContaining("rank 2 died")
          .withMessageContaining("process 4711 on host");
      assertThatThrownBy(() -> job.join(1).store().exchange("late", 1, 3, text("v"), LONG))
          .isInstanceOfSatisfying(
              PeerFailedException.class, e -> assertThat(e.rank()).isEqualTo(2));
      assertThat(job.server.firstFailure()).hasValue(2);
    }
  }

  @Test
  void whoDoesNotReadHoldsUpNobodyElse() throws Exception {
    try (TestJob job = new TestJob(3, -1);
        Socket deaf = new Socket(LOOPBACK, job.server.port())) {
      Membership zero = job.join(0);
      Membership one = job.join(1);
      zero.store().set("big", new byte[8 << 20]);
      RawHello.send(deaf, 2, 3, "test");
      DataOutputStream out = new DataOutputStream(deaf.getOutputStream());
      // 160 MiB of answers, of which not one is read.
      for (int i = 1; i <= 20; i++) {
        out.writeInt(9 + 4 + 3 + 8);
        out.writeByte(17);
        out.writeLong(i);
        out.writeInt(3);
        out.writeBytes("big");
        out.writeLong(0);
      }
      out.flush();
      long start = System.nanoTime();
      for (int i = 0; i < 20; i++) {
        zero.store().set("k" + i, text("v"));
        assertThat(one.store().get("k" + i, LONG)).isEqualTo(text("v"));
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
    }
  }

  @Test
  void theSameRankTwiceIsRefusedAndTheOthersGoOn() {
    try (LogCapture log = new LogCapture(JobServer.class);
        TestJob job = new TestJob(2, -1)) {
      Membership zero = job.join(0);
      assertThatThrownBy(() -> job.join(0))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("refuses rank 0")
          .hasMessageContaining(
              "rank 0 is taken by rank 0 (process " + ProcessHandle.current().pid());
      zero.store().set("k", text("v"));
      assertThat(job.join(1).store().get("k", LONG)).isEqualTo(text("v"));
      assertThat(log.lines()).hasSize(1);
    }
  }

  @Test
  void anotherSizeOrJobIsRefusedWithBothSidesNamed() {
    try (LogCapture log = new LogCapture(JobServer.class);
        TestJob job = new TestJob(2, -1)) {
      String address = "tcp://127.0.0.1:" + job.server.port() + "?hosted=launcher&job=";
      assertThatThrownBy(() -> joinAt(address + "test&rank=1&size=3"))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("the job has 2 ranks, but this process was told 3");
      assertThatThrownBy(() -> joinAt(address + "other&rank=1&size=2"))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("job \"test\"")
          .hasMessageContaining("job \"other\"");
      assertThat(log.lines()).hasSize(1);
      assertThat(job.join(1).rank()).isEqualTo(1);
    }
  }

  @Test
  void aPortThatIsTakenIsNamed() throws Exception {
    try (TestJob job = new TestJob(2, 0);
        ServerSocket other = new ServerSocket(0, 1, LOOPBACK)) {
      for (int port : new int[] {job.server.port(), other.getLocalPort()}) {
        String url = "tcp://127.0.0.1:" + port + "?rank=0&size=2";
        long start = System.nanoTime();
        assertThatThrownBy(() -> joinAt(url))
            .isInstanceOf(ConfigException.class)
            .hasMessageContaining("127.0.0.1:" + port)
            .hasMessageContaining("MASTER_PORT");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
      }
    }
  }

  @Test
  void whatIsNoStoreIsSaidToBeNone() throws Exception {
    try (ServerSocket web = new ServerSocket(0, 5, LOOPBACK)) {
      Thread answering =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try (Socket socket = web.accept()) {
                      socket.getOutputStream().write(text("HTTP/1.1 400 Bad Request\r\n\r\n"));
                      readToEnd(socket);
                    } catch (IOException e) {
                      // The client hangs up.
                    }
                  });
      String url = "tcp://127.0.0.1:" + web.getLocalPort() + "?rank=1&size=2";
      assertThatThrownBy(() -> joinAt(url))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("is not the store of a Tutti job");
      answering.join();
    }
  }

  @Test
  void aListenerThatNeverAnswersIsATimeoutThatSaysSo() throws Exception {
    try (ServerSocket mute = new ServerSocket(0, 5, LOOPBACK)) {
      String url = "tcp://127.0.0.1:" + mute.getLocalPort() + "?rank=1&size=2";
      long start = System.nanoTime();
      assertThatThrownBy(
              () -> Rendezvous.join(url, Map.of(), Deadline.after(Duration.ofSeconds(1))))
          .isInstanceOf(CommTimeoutException.class)
          .hasMessageContaining("Rank 1 of 2")
          .hasMessageContaining("does not answer");
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isBetween(Duration.ofMillis(900), Duration.ofMillis(1500));
    }
  }

  @Test
  void nobodyListeningIsATimeoutOfTheGivenLength() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, LOOPBACK)) {
      port = free.getLocalPort();
    }
    long start = System.nanoTime();
    String url = "tcp://127.0.0.1:" + port + "?rank=1&size=2";
    assertThatThrownBy(() -> Rendezvous.join(url, Map.of(), Deadline.after(Duration.ofSeconds(1))))
        .isInstanceOf(CommTimeoutException.class)
        .hasMessageContaining("refused");
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(Duration.ofMillis(400), Duration.ofMillis(1300));
  }

  @Test
  void theServerMayComeLater() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, LOOPBACK)) {
      port = free.getLocalPort();
    }
    String url = "tcp://127.0.0.1:" + port + "?size=2&rank=";
    CompletableFuture<Membership> early = CompletableFuture.supplyAsync(() -> joinAt(url + 1));
    assertThatThrownBy(() -> early.get(100, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    try (Membership zero = joinAt(url + 0);
        Membership one = early.get(5, TimeUnit.SECONDS)) {
      assertThat(one.jobId()).isEqualTo(zero.jobId());
      assertThat(one.localAddress()).isEqualTo(LOOPBACK);
    }
  }

  @Test
  void aRankThatClosesItsStoreFirstCanStillDie() throws Exception {
    try (TestJob job = new TestJob(2, -1)) {
      Heard heard = new Heard();
      job.join(0).control().subscribe("g", heard);
      Hello hello = Hello.of(Hello.CONTROL, 1, 2, "test", "here");
      FrameLink line =
          Dialer.dial("127.0.0.1", job.server.port(), hello, Deadline.after(LONG)).link();
      try (Socket store = new Socket(LOOPBACK, job.server.port())) {
        RawHello.send(store, 1, 2, "test");
        new DataOutputStream(store.getOutputStream())
            .write(new byte[] {0, 0, 0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0});
        assertThat(store.getInputStream().readAllBytes()).hasSize(13);
      }
      assertThat(heard.died).isNotDone();
      line.close();
      assertThat(heard.died.get(5, TimeUnit.SECONDS)).startsWith("1: ");
    }
  }

  @Test
  void theHostMayLeaveFirstWithoutADeath() throws Exception {
    try (TestJob job = new TestJob(2, 0)) {
      Heard heard = new Heard();
      Membership one = job.join(1);
      one.control().subscribe("g", heard);
      assertThat(one.control().detectsDeath()).isTrue();
      job.server.close();
      assertThatThrownBy(() -> one.store().get("k", LONG))
          .isInstanceOfSatisfying(PeerFailedException.class, e -> assertThat(e.rank()).isZero())
          .hasMessageContaining("rank 0, which hosts the job's store")
          .hasMessageContaining("left in good order");
      while (one.control().detectsDeath()) {
        Thread.sleep(1);
      }
      assertThat(heard.died).isNotDone();
      assertThat(heard.broken).isNotDone();
    }
  }

  @Test
  void theServerOutlivesItsHostsGoodbyeAndThePortIsUsedAgain() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, LOOPBACK)) {
      port = free.getLocalPort();
    }
    String url = "tcp://127.0.0.1:" + port + "?size=2&rank=";
    String formerJob = null;
    for (int round = 0; round < 3; round++) {
      List<Membership> ranks = RankThreads.run(2, LONG, rank -> joinAt(url + rank));
      assertThat(ranks.get(0).jobId()).isEqualTo(ranks.get(1).jobId()).isNotEqualTo(formerJob);
      formerJob = ranks.get(0).jobId();
      ranks.get(0).close();
      ranks.get(1).store().set("still", text("there"));
      assertThat(ranks.get(1).store().get("still", LONG)).isEqualTo(text("there"));
      // Rank 0 is already in the next round: its new server waits for the end of the old one.
      CompletableFuture<Membership> next = CompletableFuture.supplyAsync(() -> joinAt(url + 0));
      assertThatThrownBy(() -> next.get(50, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      ranks.get(1).close();
      try (Membership zero = next.get(5, TimeUnit.SECONDS);
          Membership one = joinAt(url + 1)) {
        assertThat(one.jobId()).isEqualTo(zero.jobId()).isNotEqualTo(formerJob);
      }
    }
    // And with that, the port is free.
    awaitFree(port);
  }

  @Test
  void aRankThatLeftAndComesAgainWaitsForTheNextJob() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, LOOPBACK)) {
      port = free.getLocalPort();
    }
    String url = "tcp://127.0.0.1:" + port + "?size=2&rank=";
    List<Membership> first = RankThreads.run(2, LONG, rank -> joinAt(url + rank));
    first.get(1).close();
    assertThatThrownBy(
            () -> Rendezvous.join(url + 1, Map.of(), Deadline.after(Duration.ofMillis(300))))
        .isInstanceOf(CommTimeoutException.class)
        .hasMessageContaining("an earlier job at this address has not ended")
        .hasMessageContaining("rank 0 is still in it");
    CompletableFuture<Membership> again = CompletableFuture.supplyAsync(() -> joinAt(url + 1));
    first.get(0).close();
    try (Membership zero = joinAt(url + 0);
        Membership one = again.get(5, TimeUnit.SECONDS)) {
      assertThat(one.jobId()).isEqualTo(zero.jobId()).isNotEqualTo(first.get(0).jobId());
    }
    awaitFree(port);
  }

  @Test
  void aStoreThatHangsIsATimeoutToo() throws Exception {
    ServerSocketChannel listener =
        ServerSocketChannel.open().bind(new InetSocketAddress(LOOPBACK, 0));
    try (Relay relay = new Relay(listener)) {
      String url = "tcp://127.0.0.1:" + relay.port() + "?rank=1&size=2&hosted=launcher&job=test";
      try (Membership one = Rendezvous.join(url, Map.of(), Deadline.after(Duration.ofSeconds(1)))) {
        one.store().set("k", text("v"));
        relay.stall();
        long start = System.nanoTime();
        assertThatThrownBy(() -> one.store().get("k", Duration.ofMillis(500)))
            .isInstanceOf(CommTimeoutException.class)
            .hasMessageContaining("did not answer");
        assertThat(Duration.ofNanos(System.nanoTime() - start))
            .isBetween(Duration.ofMillis(500), Duration.ofMillis(1200));
      }
    }
  }

  static Membership joinAt(String url) {
    return Rendezvous.join(url, Map.of(), Deadline.after(LONG));
  }

  private static void awaitFree(int port) throws Exception {
    while (true) {
      try (ServerSocket free = new ServerSocket(port, 1, LOOPBACK)) {
        assertThat(free.getLocalPort()).isEqualTo(port);
        return;
      } catch (IOException e) {
        Thread.sleep(5);
      }
    }
  }

  private static int readToEnd(Socket socket) {
    try {
      return socket.getInputStream().readAllBytes().length;
    } catch (SocketTimeoutException e) {
      throw new AssertionError("The server kept the connection", e);
    } catch (IOException e) {
      // Reset: closed as well.
      return 0;
    }
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** What a group's listener heard first. */
  private static final class Heard implements Control.Listener {
    final CompletableFuture<String> died = new CompletableFuture<>();
    final CompletableFuture<CommException> broken = new CompletableFuture<>();

    @Override
    public void broken(int worldRank, CommException cause) {
      broken.complete(cause);
    }

    @Override
    public void died(int worldRank, String reason) {
      died.complete(worldRank + ": " + reason);
    }
  }

  /**
   * A job server behind a relay that can stop relaying, as a stopped process or a lost network
   * does.
   */
  private static final class Relay implements AutoCloseable {
    private final ServerSocketChannel listener;
    private final JobServer server;
    private final List<Socket> sockets = new ArrayList<>();
    private volatile boolean stalled;

    Relay(ServerSocketChannel listener) throws IOException {
      this.listener = listener;
      ServerSocketChannel inner =
          ServerSocketChannel.open().bind(new InetSocketAddress(LOOPBACK, 0));
      this.server = JobServer.adopt(inner, 2, "test", -1);
      Thread.ofVirtual().start(this::accept);
    }

    int port() {
      return listener.socket().getLocalPort();
    }

    void stall() {
      stalled = true;
    }

    private void accept() {
      try {
        while (true) {
          Socket outside = listener.accept().socket();
          Socket inside = new Socket(LOOPBACK, server.port());
          synchronized (sockets) {
            sockets.add(outside);
            sockets.add(inside);
          }
          Thread.ofVirtual().start(() -> copy(outside, inside));
          Thread.ofVirtual().start(() -> copy(inside, outside));
        }
      } catch (IOException e) {
        // Closed.
      }
    }

    private void copy(Socket from, Socket to) {
      byte[] bytes = new byte[8192];
      try {
        int count;
        while ((count = from.getInputStream().read(bytes)) >= 0) {
          if (!stalled) {
            to.getOutputStream().write(bytes, 0, count);
          }
        }
      } catch (IOException e) {
        // Closed.
      }
    }

    @Override
    public void close() throws IOException {
      listener.close();
      synchronized (sockets) {
        for (Socket socket : sockets) {
          socket.close();
        }
      }
      server.close();
    }
  }
}
