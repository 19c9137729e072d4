package dev.tutti.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What of a process's belongings could be left of a group: Tutti's threads; sockets, where the
 * system lists them in {@code /proc/self/fd}; native memory, direct buffers and arenas alike.
 *
 * @param threads the threads that are Tutti's
 * @param sockets the sockets, as the system names them; null where they are not looked at
 * @param nativeBytes the native memory that was allocated and not freed
 */
record Leftovers(Set<Thread> threads, @Nullable Set<String> sockets, long nativeBytes) {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  /** What the JDK keeps for each thread that reads or writes a file. */
  private static final long CACHED_BYTES = 1 << 20;

  static {
    // The JDK keeps a socket of its own from the first one on that is closed.
    try {
      SocketChannel.open().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns what there is now. */
  static Leftovers now() {
    return new Leftovers(ownThreads(), openSockets(), allocatedBytes());
  }

  /** Returns the same without a look at sockets: MPI keeps its own until the process ends. */
  Leftovers butSockets() {
    return new Leftovers(threads, null, nativeBytes);
  }

  /**
   * Waits until there is no more than there was.
   *
   * @param limit how long ends may take that nobody waits for
   * @return what is left, as words for a message; empty if nothing is
   */
  List<String> awaitNone(Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    for (int look = 0; ; look++) {
      List<String> left = beyond(now());
      if (left.isEmpty() || System.nanoTime() - end > 0) {
        return left;
      }
      if (look % 16 == 1) {
        // The memory of automatic arenas, such as the scenarios' own buffers.
        System.gc();
      }
      Stage.pause(Duration.ofMillis(10));
    }
  }

  private List<String> beyond(Leftovers later) {
    List<String> left = new ArrayList<>();
    for (Thread thread : later.threads) {
      if (!threads.contains(thread)) {
        left.add("thread " + thread.getName());
      }
    }
    if (sockets != null && later.sockets != null) {
      later.sockets.stream().filter(socket -> !sockets.contains(socket)).forEach(left::add);
    }
    if (later.nativeBytes > nativeBytes + CACHED_BYTES) {
      left.add("%d bytes of native memory instead of %d".formatted(later.nativeBytes, nativeBytes));
    }
    return left;
  }

  private static Set<Thread> ownThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("tutti-"))
        .collect(Collectors.toSet());
  }

  private static Set<String> openSockets() {
    Set<String> sockets = new HashSet<>();
    if (Files.isDirectory(DESCRIPTORS)) {
      try (Stream<Path> all = Files.list(DESCRIPTORS)) {
        for (Path descriptor : all.toList()) {
          sockets.addAll(socket(descriptor));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return sockets;
  }

  private static List<String> socket(Path descriptor) {
    try {
      String target = Files.readSymbolicLink(descriptor).toString();
      return target.startsWith("socket:") ? List.of(target) : List.of();
    } catch (IOException e) {
      // Closed since it was listed, as the listing's own is.
      return List.of();
    }
  }

  /** Arenas count as direct buffers do: the limit is one for both. */
  private static long allocatedBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }
}
