package dev.tutti.cli.doctor;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.NetworkInterface;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The machine and the Java runtime. */
public final class Machine {
  private static final int NEEDED_JAVA = 25;
  private static final long FEW_FILES = 1024;
  private static final long SMALL_SHARED_MEMORY = 256L << 20;
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final Path CONGESTION = Path.of("/proc/sys/net/ipv4");

  private Machine() {}

  /** Returns what a measurement is good to know by: versions, system, processor, cores. */
  public static Map<String, Object> facts() {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("java", "JDK " + System.getProperty("java.version"));
    facts.put("system", system());
    String processor = processor();
    if (processor != null) {
      facts.put("processor", processor);
    }
    facts.put("cores", Runtime.getRuntime().availableProcessors());
    return facts;
  }

  /** Looks at everything. */
  static List<Finding> examine() {
    List<Finding> findings = new ArrayList<>();
    findings.add(Finding.ok("system", system()));
    findings.add(java());
    findings.add(nativeAccess());
    findings.add(processors());
    findings.add(memory());
    findings.add(sharedMemory());
    findings.add(openFiles());
    findings.add(congestionControl());
    findings.add(interfaces());
    return findings;
  }

  private static String system() {
    return "%s %s %s"
        .formatted(
            System.getProperty("os.name"),
            System.getProperty("os.version"),
            System.getProperty("os.arch"));
  }

  private static Finding java() {
    String text =
        "%s (%s) in %s"
            .formatted(
                System.getProperty("java.runtime.version"),
                System.getProperty("java.vendor"),
                System.getProperty("java.home"));
    return Runtime.version().feature() >= NEEDED_JAVA
        ? Finding.ok("java", text)
        : Finding.missing(
            "java", text, "install a JDK " + NEEDED_JAVA + " and set JAVA_HOME to it");
  }

  private static Finding nativeAccess() {
    return Machine.class.getModule().isNativeAccessEnabled()
        ? Finding.ok("native access", "granted")
        : Finding.note(
            "native access",
            "not granted: Java will print warnings",
            "start java with --enable-native-access=ALL-UNNAMED");
  }

  private static Finding processors() {
    String processor = processor();
    int cores = Runtime.getRuntime().availableProcessors();
    return Finding.ok(
        "cores",
        cores + (processor == null ? "" : ", " + processor) + "; more ranks than that take turns");
  }

  private static @Nullable String processor() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
        if (line.startsWith("model name")) {
          return line.substring(line.indexOf(':') + 1).strip();
        }
      }
    } catch (IOException e) {
      // Not Linux.
    }
    return null;
  }

  private static Finding memory() {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
      return Finding.ok(
          "memory",
          "%s, %s of it free; a Java heap takes %s at most"
              .formatted(
                  gibibytes(system.getTotalMemorySize()),
                  gibibytes(system.getFreeMemorySize()),
                  gibibytes(Runtime.getRuntime().maxMemory())));
    }
    return Finding.note("memory", "unknown to this Java runtime", null);
  }

  private static Finding sharedMemory() {
    String name = SHARED_MEMORY.toString();
    if (!Files.isWritable(SHARED_MEMORY)) {
      return Finding.note(name, "there is none that can be written", null);
    }
    try {
      FileStore store = Files.getFileStore(SHARED_MEMORY);
      String text =
          "%s, %s of it free"
              .formatted(gibibytes(store.getTotalSpace()), gibibytes(store.getUsableSpace()));
      return store.getUsableSpace() >= SMALL_SHARED_MEMORY
          ? Finding.ok(name, text)
          : Finding.note(name, text, "in a container, give it more: docker run --shm-size=1g");
    } catch (IOException e) {
      return Finding.note(name, "cannot be examined: " + e.getMessage(), null);
    }
  }

  private static Finding openFiles() {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix) {
      long most = unix.getMaxFileDescriptorCount();
      String text = most + " at most, " + unix.getOpenFileDescriptorCount() + " now";
      return most >= FEW_FILES
          ? Finding.ok("open files", text)
          : Finding.note(
              "open files", text, "each rank needs one for each peer: raise it with ulimit -n");
    }
    return Finding.note("open files", "the limit is unknown to this Java runtime", null);
  }

  private static Finding congestionControl() {
    String name = "congestion control";
    try {
      String current = read("tcp_congestion_control");
      return Finding.ok(name, current + "; available: " + read("tcp_available_congestion_control"));
    } catch (IOException e) {
      return Finding.note(name, "the system does not say which TCP uses", null);
    }
  }

  private static String read(String setting) throws IOException {
    return Files.readString(CONGESTION.resolve(setting)).strip();
  }

  private static Finding interfaces() {
    List<String> found = new ArrayList<>();
    try {
      for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
        if (each.isUp() && !each.isLoopback()) {
          List<String> addresses =
              each.inetAddresses()
                  .filter(address -> !address.isLinkLocalAddress())
                  .map(address -> address.getHostAddress().replaceFirst("%.*", ""))
                  .toList();
          found.add(each.getName() + " " + String.join(" ", addresses));
        }
      }
    } catch (IOException e) {
      return Finding.note("network", "cannot be examined: " + e.getMessage(), null);
    }
    return found.isEmpty()
        ? Finding.note("network", "loopback only: all ranks must be on this host", null)
        : Finding.ok("network", String.join(", ", found).strip());
  }

  private static String gibibytes(long bytes) {
    return "%.1f GiB".formatted(bytes / (double) (1L << 30));
  }
}
