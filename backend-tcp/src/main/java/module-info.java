/** The CPU backend of Tutti, on Netty: a provider of the name {@code tcp}; it exports nothing. */
module dev.tutti.tcp {
  requires dev.tutti.comm;
  requires io.netty.buffer;
  requires io.netty.common;
  requires io.netty.transport;
  requires io.netty.transport.classes.epoll;
  requires io.netty.transport.unix.common;
  requires static org.jspecify;

  provides dev.tutti.comm.spi.BackendProvider with
      dev.tutti.tcp.TcpBackend;
}
