package dev.tutti.tcp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Everywhere else: the JDK's channels and selector. */
final class NioTransport implements Transport {
  /** What a wire waits for may change while a thread waits; it looks again after this time. */
  private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final Selector selector;
  private final List<NioWire> wires = new CopyOnWriteArrayList<>();
  private @Nullable ServerSocketChannel listener;

  NioTransport() throws IOException {
    selector = Selector.open();
  }

  @Override
  public String name() {
    return "nio";
  }

  @Override
  public InetSocketAddress listen(InetAddress address) throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open();
    try {
      channel.bind(new InetSocketAddress(address, 0), 1024);
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_ACCEPT);
      listener = channel;
      return (InetSocketAddress) channel.getLocalAddress();
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public @Nullable Wire accept() throws IOException {
    ServerSocketChannel from = listener;
    SocketChannel channel = from == null ? null : from.accept();
    return channel == null ? null : wire(channel);
  }

  @Override
  public Wire connect(InetSocketAddress peer, boolean sameHost) throws IOException {
    SocketChannel channel = SocketChannel.open();
    try {
      channel.configureBlocking(false);
      channel.connect(peer);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
    return wire(channel);
  }

  private Wire wire(SocketChannel channel) throws IOException {
    try {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      NioWire wire = new NioWire(channel, channel.register(selector, 0));
      wires.add(wire);
      return wire;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public void preferSameHost(Wire wire) {
    // The JDK's channels have no such setting.
  }

  @Override
  public void await(long nanos) {
    try {
      for (NioWire wire : wires) {
        wire.arm();
      }
      selector.select(
          Math.max(1, TimeUnit.NANOSECONDS.toMillis(Math.min(nanos, LONGEST_WAIT_NANOS))));
      Iterator<SelectionKey> selected = selector.selectedKeys().iterator();
      while (selected.hasNext()) {
        selected.next();
        selected.remove();
      }
    } catch (ClosedSelectorException | CancelledKeyException e) {
      // Closed by another thread: there is nothing to wait for.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void wakeup() {
    selector.wakeup();
  }

  @Override
  public void closeListener() {
    try {
      if (listener != null) {
        listener.close();
      }
    } catch (IOException e) {
      // The descriptor is gone either way.
    }
  }

  @Override
  public void close() {
    closeListener();
    try {
      selector.close();
    } catch (IOException e) {
      // The descriptors are gone either way.
    }
  }

  private final class NioWire implements Wire {
    private static final int MOST_PER_WRITE = 512 << 10;
    private static final int MOST_PER_READ = 1 << 20;

    private final SocketChannel channel;
    private final SelectionKey key;
    private boolean connected;
    private volatile int interest;

    NioWire(SocketChannel channel, SelectionKey key) {
      this.channel = channel;
      this.key = key;
      this.connected = channel.isConnected();
    }

    @Override
    public long write(long address1, long length1, long address2, long length2) throws IOException {
      if (!isConnected()) {
        return 0;
      }
      ByteBuffer[] pieces = {
        at(address1, Math.min(length1, MOST_PER_WRITE)),
        at(address2, Math.min(length2, MOST_PER_WRITE))
      };
      return length1 <= MOST_PER_WRITE ? channel.write(pieces) : channel.write(pieces[0]);
    }

    @Override
    public int read(long address, long length) throws IOException {
      return isConnected() ? channel.read(at(address, Math.min(length, MOST_PER_READ))) : 0;
    }

    private boolean isConnected() throws IOException {
      if (!connected) {
        connected = channel.finishConnect();
      }
      return connected;
    }

    @SuppressWarnings("restricted") // the callers vouch for the memory, see Wire
    private static ByteBuffer at(long address, long length) {
      return MemorySegment.ofAddress(address).reinterpret(length).asByteBuffer();
    }

    @Override
    public void interest(boolean read, boolean write) {
      interest = (read ? SelectionKey.OP_READ : 0) | (write ? SelectionKey.OP_WRITE : 0);
    }

    void arm() {
      if (key.isValid()) {
        key.interestOps(connected ? interest : SelectionKey.OP_CONNECT);
      }
    }

    @Override
    public void close() {
      wires.remove(this);
      key.cancel();
      try {
        channel.close();
      } catch (IOException e) {
        // The descriptor is gone either way.
      }
    }
  }
}
