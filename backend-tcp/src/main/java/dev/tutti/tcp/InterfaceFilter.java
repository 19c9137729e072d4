package dev.tutti.tcp;

import dev.tutti.comm.ConfigException;
import dev.tutti.tcp.AdvertisedAddress.Nic;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * A list of network interfaces in one grammar for all backends: each item is an interface's name,
 * the beginning of names ({@code eth} or {@code eth*}), an exact name ({@code =eth0}), an address,
 * or a block of addresses ({@code 10.0.0.0/8}); {@code ^} in front excludes. Where no item
 * includes, everything is included that is not excluded, but loopback.
 *
 * @see <a
 *     href="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-socket-ifname">NCCL_SOCKET_IFNAME</a>
 */
final class InterfaceFilter {
  private record Item(boolean excluded, Predicate<Nic> names, Predicate<InetAddress> addresses) {
    boolean matches(Nic nic, InetAddress address) {
      return names.test(nic) && addresses.test(address);
    }
  }

  private final List<Item> items;

  private InterfaceFilter(List<Item> items) {
    this.items = items;
  }

  /** Reads the config's list. */
  static InterfaceFilter of(List<String> items, String origin) {
    List<Item> read = new ArrayList<>();
    for (String item : items) {
      boolean excluded = item.startsWith("^");
      read.add(item(excluded, excluded ? item.substring(1) : item, origin));
    }
    return new InterfaceFilter(read);
  }

  /**
   * Reads a variable's list: separated by commas; a leading {@code ^} or {@code =} is for the whole
   * list, as NCCL has it.
   */
  static InterfaceFilter ofVariable(String value, String origin) {
    String list = value.strip();
    boolean excluded = list.startsWith("^");
    String rest = excluded ? list.substring(1) : list;
    String exact = rest.startsWith("=") ? "=" : "";
    List<Item> read = new ArrayList<>();
    for (String part : rest.substring(exact.length()).split(",", -1)) {
      String item = part.strip();
      boolean alone = item.startsWith("^");
      read.add(item(excluded || alone, exact + (alone ? item.substring(1) : item), origin));
    }
    return new InterfaceFilter(read);
  }

  private static Item item(boolean excluded, String text, String origin) {
    if (text.isEmpty() || text.equals("=") || text.equals("*")) {
      throw new ConfigException(
          origin
              + " has an empty item; write names, addresses or blocks, such as eth0 or 10.0.0.0/8");
    }
    if (text.startsWith("=")) {
      String name = text.substring(1);
      return new Item(excluded, nic -> nic.name().equals(name), address -> true);
    }
    if (text.endsWith("*")) {
      String prefix = text.substring(0, text.length() - 1);
      return new Item(excluded, nic -> nic.name().startsWith(prefix), address -> true);
    }
    // A colon or a leading digit with a dot: no interface is named so.
    if (text.indexOf(':') >= 0 || text.matches("[0-9]+\\..*")) {
      return new Item(excluded, nic -> true, block(text, origin));
    }
    return new Item(excluded, nic -> nic.name().startsWith(text), address -> true);
  }

  private static Predicate<InetAddress> block(String text, String origin) {
    int slash = text.indexOf('/');
    try {
      byte[] wanted =
          InetAddress.ofLiteral(slash < 0 ? text : text.substring(0, slash)).getAddress();
      int bits = slash < 0 ? 8 * wanted.length : Integer.parseInt(text.substring(slash + 1));
      if (bits < 0 || bits > 8 * wanted.length) {
        throw new IllegalArgumentException("a prefix of " + bits + " bits");
      }
      return address -> matches(address.getAddress(), wanted, bits);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(
          "%s: \"%s\" is no address or block: %s".formatted(origin, text, e.getMessage()), e);
    }
  }

  private static boolean matches(byte[] address, byte[] wanted, int bits) {
    if (address.length != wanted.length) {
      return false;
    }
    int whole = bits / 8;
    if (!Arrays.equals(address, 0, whole, wanted, 0, whole)) {
      return false;
    }
    int rest = bits % 8;
    return rest == 0
        || (address[whole] & 0xff) >> (8 - rest) == (wanted[whole] & 0xff) >> (8 - rest);
  }

  /**
   * Returns the addresses that are allowed: by the including items' order, an exact name before a
   * longer one.
   */
  List<InetAddress> select(List<Nic> interfaces) {
    boolean including = items.stream().anyMatch(item -> !item.excluded);
    List<InetAddress> allowed = new ArrayList<>();
    if (including) {
      for (Item item : items) {
        if (!item.excluded) {
          add(interfaces, item, allowed);
        }
      }
    } else {
      add(
          interfaces,
          new Item(false, nic -> true, address -> !address.isLoopbackAddress()),
          allowed);
    }
    return allowed;
  }

  private void add(List<Nic> interfaces, Item including, List<InetAddress> allowed) {
    List<Nic> shortestFirst = new ArrayList<>(interfaces);
    // The system's own order differs between hosts.
    shortestFirst.sort(
        Comparator.comparingInt((Nic nic) -> nic.name().length()).thenComparing(Nic::name));
    for (Nic nic : shortestFirst) {
      for (InetAddress address : nic.addresses()) {
        if (including.matches(nic, address)
            && !allowed.contains(address)
            && items.stream().noneMatch(item -> item.excluded && item.matches(nic, address))) {
          allowed.add(address);
        }
      }
    }
  }
}
