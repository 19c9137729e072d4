package dev.tutti.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every transport promises, of both. */
@Timeout(60)
class TransportTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final InetAddress LOCALHOST = InetAddress.ofLiteral("127.0.0.1");

  /** What {@link Transports} chooses from. */
  enum Kind {
    EPOLL,
    NIO;

    Transport open() throws IOException {
      if (this == EPOLL) {
        Assumptions.assumeTrue(Epoll.isAvailable(), () -> "" + Epoll.unavailabilityCause());
        return new EpollTransport();
      }
      return new NioTransport();
    }
  }

  private final Arena arena = Arena.ofShared();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Transport> opened = new ArrayList<>();

  private Transport open(Kind kind) throws IOException {
    Transport transport = kind.open();
    opened.add(transport);
    return transport;
  }

  @AfterEach
  void closeAll() throws InterruptedException {
    opened.forEach(Transport::close);
    threads.shutdownNow();
    assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    arena.close();
  }

  private static InetSocketAddress listen(Transport transport) throws IOException {
    return transport.listen(LOCALHOST);
  }

  private static Wire accept(Transport transport) throws IOException {
    long end = System.nanoTime() + 5 * SECOND;
    while (true) {
      Wire wire = transport.accept();
      if (wire != null) {
        return wire;
      }
      assertThat(System.nanoTime()).as("nobody connected").isLessThan(end);
      transport.await(SECOND);
    }
  }

  private int readSome(Transport transport, Wire wire, MemorySegment into) throws IOException {
    wire.interest(true, false);
    long end = System.nanoTime() + 5 * SECOND;
    while (true) {
      int n = wire.read(into.address(), into.byteSize());
      if (n != 0) {
        return n;
      }
      assertThat(System.nanoTime()).as("nothing came").isLessThan(end);
      transport.await(SECOND);
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void twoPiecesArriveAsOneStream(Kind kind) throws Exception {
    Transport server = open(kind);
    Transport client = open(kind);
    InetSocketAddress address = listen(server);
    Wire out = client.connect(address, true);
    Wire in = accept(server);
    server.preferSameHost(in);
    MemorySegment first = arena.allocate(3);
    MemorySegment second = arena.allocate(5);
    first.fill((byte) 1);
    second.fill((byte) 2);
    out.interest(false, true);
    long written = 0;
    while (written < 8) {
      long head = Math.min(written, 3);
      long body = Math.max(0, written - 3);
      long n = out.write(first.address() + head, 3 - head, second.address() + body, 5 - body);
      if (n == 0) {
        client.await(SECOND);
      }
      written += n;
    }
    MemorySegment got = arena.allocate(16);
    int read = 0;
    while (read < 8) {
      read += readSome(server, in, got.asSlice(read));
    }
    assertThat(got.asSlice(0, read).toArray(ValueLayout.JAVA_BYTE))
        .containsExactly(1, 1, 1, 2, 2, 2, 2, 2);
    out.close();
    assertThat(readSome(server, in, got)).as("end of the stream").isEqualTo(-1);
    in.close();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aFullSocketTakesNothingAndIsAwaitedUntilItIsRead(Kind kind) throws Exception {
    Transport server = open(kind);
    Transport client = open(kind);
    Wire out = client.connect(listen(server), false);
    Wire in = accept(server);
    MemorySegment block = arena.allocate(1 << 20);
    long written = 0;
    int misses = 0;
    while (misses < 20) {
      long n = out.write(block.address(), block.byteSize(), block.address(), block.byteSize());
      written += n;
      misses = n == 0 ? misses + 1 : 0;
      if (n == 0) {
        out.interest(false, true);
        client.await(TimeUnit.MILLISECONDS.toNanos(5));
      }
    }
    assertThat(written).isPositive();
    Future<Boolean> writable =
        threads.submit(
            () -> {
              long end = System.nanoTime() + 10 * SECOND;
              while (System.nanoTime() < end) {
                if (out.write(block.address(), 1, 0, 0) > 0) {
                  return true;
                }
                client.await(SECOND);
              }
              return false;
            });
    long read = 0;
    while (read < written) {
      read += readSome(server, in, block);
    }
    assertThat(writable.get()).isTrue();
    out.close();
    in.close();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aRefusedConnectionThrowsOnUse(Kind kind) throws Exception {
    InetSocketAddress nobody;
    try (ServerSocket closed = new ServerSocket(0, 1, LOCALHOST)) {
      nobody = (InetSocketAddress) closed.getLocalSocketAddress();
    }
    Transport client = open(kind);
    MemorySegment memory = arena.allocate(8);
    assertThatThrownBy(
            () -> {
              Wire wire = client.connect(nobody, false);
              wire.interest(true, true);
              long end = System.nanoTime() + 5 * SECOND;
              while (System.nanoTime() < end) {
                assertThat(wire.write(memory.address(), 8, 0, 0)).isZero();
                client.await(SECOND);
              }
            })
        .isInstanceOf(IOException.class)
        .hasMessageContaining("refused");
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void listensOnTheGivenAddressOnly(Kind kind) throws Exception {
    Transport server = open(kind);
    InetSocketAddress bound = listen(server);
    assertThat(bound.getAddress()).isEqualTo(LOCALHOST);
    InetAddress another = InetAddress.ofLiteral("127.0.0.2");
    try (Socket toAnother = new Socket()) {
      // All of 127/8 is this host's, but only one address was asked for.
      assertThatThrownBy(
              () -> toAnother.connect(new InetSocketAddress(another, bound.getPort()), 2000))
          .isInstanceOf(IOException.class);
    }
    server.closeListener();
    server.closeListener();
    long end = System.nanoTime() + 5 * SECOND;
    while (connects(bound)) {
      // A selector closes descriptors when it is used next.
      assertThat(System.nanoTime()).as("the listener is still there").isLessThan(end);
      server.await(1);
    }
  }

  private static boolean connects(InetSocketAddress address) {
    try (Socket socket = new Socket()) {
      socket.connect(address, 2000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void awaitEndsInTime(Kind kind) throws Exception {
    Transport transport = open(kind);
    listen(transport);
    long longest = 0;
    for (int i = 0; i < 40; i++) {
      long nanos = i * 100_000L;
      long begin = System.nanoTime();
      transport.await(nanos);
      longest = Math.max(longest, System.nanoTime() - begin - nanos);
    }
    // The machine may be busy; a second would be a wait that was not bounded by the time given.
    assertThat(longest).isLessThan(SECOND / 2);
    long begin = System.nanoTime();
    int rounds = 0;
    while (System.nanoTime() - begin < SECOND / 5) {
      transport.await(SECOND / 5 - (System.nanoTime() - begin));
      rounds++;
    }
    assertThat(rounds).as("await waits").isLessThan(1000);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aWakeupBeforeAwaitEndsIt(Kind kind) throws Exception {
    Transport transport = open(kind);
    for (int i = 0; i < 100; i++) {
      transport.wakeup();
      long begin = System.nanoTime();
      transport.await(20 * SECOND);
      assertThat(System.nanoTime() - begin).isLessThan(10 * SECOND);
    }
  }

  /** Two threads, 10,000 times back and forth: a lost wake-up would cost 20 s. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  @SuppressWarnings("ThreadPriorityCheck") // lets the two meet in different places
  void noWakeupIsLost(Kind kind) throws Exception {
    Transport transport = open(kind);
    int rounds = 10_000;
    AtomicInteger asked = new AtomicInteger();
    AtomicInteger answered = new AtomicInteger();
    Future<Boolean> waiter =
        threads.submit(
            () -> {
              for (int i = 1; i <= rounds; i++) {
                while (asked.get() < i && !Thread.currentThread().isInterrupted()) {
                  transport.await(20 * SECOND);
                }
                answered.set(i);
              }
              return true;
            });
    long begin = System.nanoTime();
    for (int i = 1; i <= rounds; i++) {
      if (i % 3 == 0) {
        Thread.yield();
      }
      asked.set(i);
      transport.wakeup();
      while (answered.get() < i) {
        assertThat(System.nanoTime() - begin).as("round %d", i).isLessThan(15 * SECOND);
        Thread.yield();
      }
    }
    assertThat(waiter.get()).isTrue();
  }

  /**
   * The group's lock does not keep a waiting thread from its wait, so sockets come and go
   * meanwhile.
   */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void socketsComeAndGoWhileAnotherThreadWaits(Kind kind) throws Exception {
    Transport server = open(kind);
    Transport client = open(kind);
    AtomicBoolean done = new AtomicBoolean();
    AtomicInteger waits = new AtomicInteger();
    Future<Boolean> waiter =
        threads.submit(
            () -> {
              while (!done.get() && !Thread.currentThread().isInterrupted()) {
                server.await(20 * SECOND);
                waits.incrementAndGet();
              }
              return true;
            });
    InetSocketAddress address = listen(server);
    MemorySegment memory = arena.allocate(8);
    long begin = System.nanoTime();
    int rounds = 200;
    for (int i = 0; i < rounds; i++) {
      Wire out = client.connect(address, true);
      Wire in = null;
      while (in == null) {
        in = server.accept();
        Thread.onSpinWait();
      }
      while (out.write(memory.address(), 8, 0, 0) == 0) {
        client.await(SECOND);
      }
      in.interest(true, false);
      while (in.read(memory.address(), 8) == 0) {
        Thread.onSpinWait();
      }
      in.close();
      in.close();
      out.close();
    }
    // A quarter of a second as a rule; a waiting thread that would not give way made it half a
    // minute.
    assertThat(System.nanoTime() - begin).isLessThan(8 * SECOND);
    done.set(true);
    server.wakeup();
    assertThat(waiter.get(10, TimeUnit.SECONDS)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void dataThatCameBeforeTheWaitEndsIt(Kind kind) throws Exception {
    Transport server = open(kind);
    Transport client = open(kind);
    InetSocketAddress address = listen(server);
    Wire out = client.connect(address, true);
    Wire in = accept(server);
    in.interest(true, false);
    MemorySegment memory = arena.allocate(8);
    Semaphore turn = new Semaphore(0);
    int rounds = 2_000;
    Future<Boolean> echo =
        threads.submit(
            () -> {
              for (int i = 0; i < rounds; i++) {
                turn.acquire();
                while (out.write(memory.address(), 8, 0, 0) == 0) {
                  client.await(SECOND);
                }
              }
              return true;
            });
    MemorySegment into = arena.allocate(8);
    for (int i = 0; i < rounds; i++) {
      turn.release();
      int read = 0;
      long begin = System.nanoTime();
      while (read < 8) {
        int n = in.read(into.address() + read, 8 - read);
        read += n;
        if (n == 0) {
          server.await(20 * SECOND);
        }
      }
      assertThat(System.nanoTime() - begin).as("round %d", i).isLessThan(10 * SECOND);
    }
    assertThat(echo.get()).isTrue();
    out.close();
    in.close();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void closeEndsTheWaitOfAnotherThread(Kind kind) throws Exception {
    for (int i = 0; i < 50; i++) {
      Transport transport = kind.open();
      listen(transport);
      Semaphore waits = new Semaphore(0);
      Future<Duration> waiter =
          threads.submit(
              () -> {
                waits.release();
                long begin = System.nanoTime();
                // One that returns at once, since it is closed, is well too.
                transport.await(20 * SECOND);
                return Duration.ofNanos(System.nanoTime() - begin);
              });
      waits.acquire();
      transport.close();
      transport.close();
      assertThat(waiter.get(15, TimeUnit.SECONDS)).isLessThan(Duration.ofSeconds(10));
      transport.wakeup();
      transport.await(SECOND);
    }
  }
}
