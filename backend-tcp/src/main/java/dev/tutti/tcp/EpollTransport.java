package dev.tutti.tcp;

import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Linux: Netty's native sockets, read and written straight from and to user memory, without a
 * pipeline.
 *
 * <p>Netty's epoll handler serves for waiting only. All sockets are registered edge-triggered for
 * everything, once; readers and writers try the socket directly, and what epoll reports merely ends
 * the wait. The handler belongs to whichever thread waits: {@code waiting} is its owner, {@code
 * handlerLock} keeps the others out.
 */
final class EpollTransport implements Transport {
  private static final EpollIoOps EVERYTHING =
      EpollIoOps.EPOLLIN
          .with(EpollIoOps.EPOLLOUT)
          .with(EpollIoOps.EPOLLRDHUP)
          .with(EpollIoOps.EPOLLET);

  /** Few are reported at once, since a report only ends a wait. */
  private static final int EVENTS_AT_ONCE = 64;

  private static final int BACKLOG = 1024;
  private static final int IPPROTO_TCP = 6;
  private static final int TCP_CONGESTION = 13;

  /** Loopback runs twice as fast under cubic as under bbr, which some systems default to. */
  private static final String SAME_HOST_CONGESTION = "cubic";

  private final ReentrantLock handlerLock = new ReentrantLock();
  private final IoHandler handler;
  private final AtomicInteger guests = new AtomicInteger();
  private volatile @Nullable Thread waiting;
  private volatile boolean woken;
  private boolean closed;
  private @Nullable Socket listener;
  private @Nullable IoRegistration listenerRegistration;
  private final byte[] acceptedAddress = new byte[26];

  EpollTransport() {
    handler =
        EpollIoHandler.newFactory(EVENTS_AT_ONCE, DefaultSelectStrategyFactory.INSTANCE)
            .newHandler(
                new ThreadAwareExecutor() {
                  @Override
                  public boolean isExecutorThread(Thread thread) {
                    return thread == waiting;
                  }

                  @Override
                  public void execute(Runnable task) {
                    withHandler(
                        () -> {
                          task.run();
                          return true;
                        });
                  }
                });
    handler.initialize();
  }

  @Override
  public String name() {
    return "epoll";
  }

  @Override
  public InetSocketAddress listen(InetAddress address) throws IOException {
    Socket socket = Socket.newSocketStream();
    try {
      socket.bind(new InetSocketAddress(address, 0));
      socket.listen(BACKLOG);
      listenerRegistration = register(new Handle(socket));
      listener = socket;
      return new InetSocketAddress(address, socket.localAddress().getPort());
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  @Override
  public @Nullable Wire accept() throws IOException {
    Socket from = listener;
    if (from == null) {
      return null;
    }
    int fd = from.accept(acceptedAddress);
    return fd < 0 ? null : wire(new Socket(fd));
  }

  @Override
  public Wire connect(InetSocketAddress peer, boolean sameHost) throws IOException {
    Socket socket = Socket.newSocketStream();
    try {
      if (sameHost) {
        preferFastCongestionControl(socket);
      }
      socket.connect(peer);
      return wire(socket);
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private static void preferFastCongestionControl(Socket socket) {
    byte[] name = SAME_HOST_CONGESTION.getBytes(StandardCharsets.US_ASCII);
    try {
      socket.setRawOpt(
          IPPROTO_TCP, TCP_CONGESTION, ByteBuffer.allocateDirect(name.length).put(name).flip());
    } catch (IOException | RuntimeException e) {
      // Not in this kernel: its default works too, only slower.
    }
  }

  private Wire wire(Socket socket) throws IOException {
    try {
      socket.setTcpNoDelay(true);
      return new EpollWire(socket, register(new Handle(socket)));
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  @Override
  public void preferSameHost(Wire wire) {
    if (wire instanceof EpollWire w) {
      preferFastCongestionControl(w.socket);
    }
  }

  private IoRegistration register(Handle handle) throws IOException {
    try {
      return withHandler(
          () -> {
            IoRegistration registration = handler.register(handle);
            registration.submit(EVERYTHING);
            return registration;
          });
    } catch (RuntimeException e) {
      throw new IOException("epoll does not take a socket: " + e.getMessage(), e);
    }
  }

  /** Something to do on the handler by a thread that does not wait in it. */
  private interface HandlerTask<T> {
    T run() throws Exception;
  }

  /** Runs a task while no thread waits in the handler; one that does is woken. */
  @SuppressWarnings("ThreadPriorityCheck") // until the thread that waits has left
  private <T> T withHandler(HandlerTask<T> task) {
    // Who waits in a loop would take the lock again and again before this thread is there.
    guests.incrementAndGet();
    try {
      while (!handlerLock.tryLock()) {
        wakeup();
        Thread.yield();
      }
    } finally {
      guests.decrementAndGet();
    }
    Thread before = waiting;
    waiting = Thread.currentThread();
    try {
      return task.run();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    } finally {
      waiting = before;
      handlerLock.unlock();
    }
  }

  @Override
  @SuppressWarnings("ThreadPriorityCheck") // a hint only: the caller comes again
  public void await(long nanos) {
    if (guests.get() > 0) {
      Thread.yield();
      return;
    }
    handlerLock.lock();
    try {
      if (closed) {
        return;
      }
      waiting = Thread.currentThread();
      handler.run(new Wait(System.nanoTime() + nanos));
    } finally {
      woken = false;
      waiting = null;
      handlerLock.unlock();
    }
  }

  private final class Wait implements IoHandlerContext {
    private final long end;

    Wait(long end) {
      this.end = end;
    }

    @Override
    public boolean canBlock() {
      return !woken;
    }

    @Override
    public long delayNanos(long now) {
      return Math.max(0, end - now);
    }

    @Override
    public long deadlineNanos() {
      return end;
    }
  }

  @Override
  public void wakeup() {
    woken = true;
    handler.wakeup();
  }

  @Override
  public void closeListener() {
    Socket open = listener;
    listener = null;
    if (open != null && listenerRegistration != null) {
      listenerRegistration.cancel();
      close(open);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // The descriptor is gone either way.
    }
  }

  @Override
  public void close() {
    withHandler(
        () -> {
          if (!closed) {
            closed = true;
            handler.prepareToDestroy();
            handler.destroy();
          }
          return true;
        });
  }

  /** What epoll knows of a socket: being told of an event does nothing, it only ends the wait. */
  private record Handle(Socket socket) implements EpollIoHandle {
    @Override
    public FileDescriptor fd() {
      return socket;
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {}

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private static final class EpollWire implements Wire {
    /** Up to this many bytes are moved by one call: more keeps the other direction waiting. */
    private static final long MOST_PER_WRITE = 512 << 10;

    private static final int MOST_PER_READ = 1 << 30;

    private final Socket socket;
    private final IoRegistration registration;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment vectors = arena.allocate(4 * ValueLayout.JAVA_LONG.byteSize(), 8);
    private boolean closed;

    EpollWire(Socket socket, IoRegistration registration) {
      this.socket = socket;
      this.registration = registration;
    }

    @Override
    public long write(long address1, long length1, long address2, long length2) throws IOException {
      if (length1 == 0) {
        return socket.sendAddress(address2, 0, (int) Math.min(length2, MOST_PER_WRITE));
      }
      if (length2 == 0) {
        return socket.sendAddress(address1, 0, (int) Math.min(length1, MOST_PER_WRITE));
      }
      vectors.setAtIndex(ValueLayout.JAVA_LONG, 0, address1);
      vectors.setAtIndex(ValueLayout.JAVA_LONG, 1, length1);
      vectors.setAtIndex(ValueLayout.JAVA_LONG, 2, address2);
      vectors.setAtIndex(ValueLayout.JAVA_LONG, 3, Math.min(length2, MOST_PER_WRITE));
      return socket.writevAddresses(vectors.address(), 2);
    }

    @Override
    public int read(long address, long length) throws IOException {
      return socket.recvAddress(address, 0, (int) Math.min(length, MOST_PER_READ));
    }

    @Override
    public void interest(boolean read, boolean write) {}

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        registration.cancel();
        EpollTransport.close(socket);
        arena.close();
      }
    }
  }
}
