package dev.tutti.tcp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What tells this host from others: the kernel's boot identity where there is one, else the host's
 * name.
 */
final class HostIdentity {
  private static final String IDENTITY = find();

  private HostIdentity() {}

  static String get() {
    return IDENTITY;
  }

  private static String find() {
    try {
      // Network namespaces and containers of one host share the boot identity but not their
      // loopback interface.
      return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip()
          + "/"
          + Files.readSymbolicLink(Path.of("/proc/self/ns/net"));
    } catch (IOException | SecurityException e) {
      try {
        return InetAddress.getLocalHost().getHostName();
      } catch (UnknownHostException unknown) {
        return "localhost";
      }
    }
  }
}
