package dev.tutti.comm.internal.store;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/** This host's name, found without asking a name server where the system knows it. */
public final class HostName {
  private static final String NAME = find();

  private HostName() {}

  /** Returns the name. */
  public static String get() {
    return NAME;
  }

  private static String find() {
    try {
      String name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
      if (!name.isEmpty()) {
        return name;
      }
    } catch (IOException | SecurityException e) {
      // Not Linux: ask the resolver.
    }
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }
}
