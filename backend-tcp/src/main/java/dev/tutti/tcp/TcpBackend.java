package dev.tutti.tcp;

import dev.tutti.comm.CommConfig;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.tcp.schedule.Overrides;
import java.util.List;
import java.util.Set;

/** The backend {@code tcp}: CPU buffers, over TCP connections. */
public final class TcpBackend implements BackendProvider {
  private static final List<Key> KEYS =
      List.of(
          Key.of(
              "algo",
              Type.LIST,
              null,
              "algorithms to use instead of the chosen ones, such as allReduce:ring; see docs/ALGORITHMS.md"),
          Key.of(
              "chunk",
              Type.BYTES,
              "512KiB",
              "length of the pieces in which large messages are pipelined"),
          Key.of(
              "iface",
              Type.LIST,
              null,
              "interfaces to use: names, prefixes with *, addresses, CIDR blocks; ^ in front excludes; default: the one routed to the rendezvous"),
          Key.of("slot", Type.BYTES, "256KiB", "length of a slot of the group's fixed pool"),
          Key.of(
              "small",
              Type.BYTES,
              "64KiB",
              "up to this length the algorithm with the fewest steps is taken"),
          new Key(
              "transport",
              Type.CHOICE,
              "auto",
              List.of("auto", "epoll", "nio"),
              "how sockets are driven; auto takes epoll where it can be had"));

  /** Creates the provider; does nothing else. */
  public TcpBackend() {}

  @Override
  public String name() {
    return "tcp";
  }

  @Override
  public int priority() {
    return 10;
  }

  @Override
  public Availability availability() {
    return Availability.yes();
  }

  @Override
  public Set<String> devices() {
    return Set.of("cpu");
  }

  @Override
  public List<Key> keys() {
    return KEYS;
  }

  @Override
  public void check(CommConfig.Options options) {
    TcpMemory.check(options);
    Overrides.parse(options.list("algo"));
  }

  @Override
  public Placement placement() {
    return Placement.MANY_PER_PROCESS;
  }

  @Override
  public Communicator connect(Context context) {
    return TcpCommunicator.connect(context, AdvertisedAddress.choose(context));
  }
}
