/**
 * The CPU backend of Tutti, on Netty: a provider of the name {@code tcp}. It exports nothing but
 * what prices its algorithms, to the command.
 */
@SuppressWarnings("module") // a friend that is not there when this module is compiled
module dev.tutti.tcp {
  requires dev.tutti.comm;
  requires io.netty.buffer;
  requires io.netty.common;
  requires io.netty.transport;
  requires io.netty.transport.classes.epoll;
  requires io.netty.transport.unix.common;
  requires static org.jspecify;

  exports dev.tutti.tcp.schedule to
      dev.tutti.cli;
  exports dev.tutti.tcp.simulate to
      dev.tutti.cli;

  provides dev.tutti.comm.spi.BackendProvider with
      dev.tutti.tcp.TcpBackend;
}
