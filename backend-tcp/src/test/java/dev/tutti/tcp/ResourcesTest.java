package dev.tutti.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import dev.tutti.comm.LocalRanks;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.Work;
import dev.tutti.comm.spi.SlotPool;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a group holds, and that it leaves nothing behind. */
@Timeout(60)
class ResourcesTest {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  private static void everything(String config) {
    LocalRanks.run(
        4,
        config,
        group -> {
          for (Placed place : Placed.values()) {
            group.allReduce(place.buffer(DataType.FLOAT32, 10_000), ReduceOp.SUM).join();
          }
          group.allToAll(CommBuffer.of(new int[4000]), CommBuffer.of(new int[4000])).join();
          group.split(group.rank() % 2, 0).orElseThrow().close();
        });
  }

  private static void aborted(String config) {
    assertThatThrownBy(
            () ->
                LocalRanks.run(
                    3,
                    config,
                    group -> {
                      group.barrier().join();
                      if (group.rank() == 1) {
                        throw new IllegalStateException("this rank gives up");
                      }
                      group.allReduce(CommBuffer.of(new float[200_000]), ReduceOp.SUM).join();
                    }))
        .hasStackTraceContaining("this rank gives up");
  }

  private static void refused(String config) {
    for (String wrong : List.of("&chunk=0", "&slot=3", "&iface=203.0.113.1")) {
      assertThatThrownBy(() -> everything(config + wrong))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  /** Sockets, pipes and whatever epoll needs; a class loader's jars come and go on their own. */
  private static List<String> descriptors() throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> all = Files.list(DESCRIPTORS)) {
      for (Path each : all.toList()) {
        try {
          String target = Files.readSymbolicLink(each).toString();
          if (target.startsWith("socket:")
              || target.startsWith("anon_inode:")
              || target.startsWith("pipe:")) {
            found.add(target.replaceAll("[0-9]+", ""));
          }
        } catch (IOException e) {
          // The one that lists them is gone.
        }
      }
    }
    found.sort(null);
    return found;
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("tutti-") || name.startsWith("rank-"))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp?transport=epoll", "tcp?transport=nio"})
  void nothingIsLeftBehind(String config) throws Exception {
    Assumptions.assumeTrue(Files.isDirectory(DESCRIPTORS), "no /proc here");
    everything(config);
    aborted(config);
    refused(config);
    List<String> before = descriptors();
    for (int i = 0; i < 5; i++) {
      everything(config);
      aborted(config);
      refused(config);
    }
    long end = System.nanoTime() + 10_000_000_000L;
    while (!threads().isEmpty() || descriptors().size() > before.size()) {
      assertThat(System.nanoTime())
          .as("threads %s, descriptors %s, before %s", threads(), descriptors(), before)
          .isLessThan(end);
      Thread.sleep(10);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "tcp?scratch=1024&slot=64B&chunk=64B&small=0", "tcp?scratch=3MiB"})
  void aGroupsMemoryIsBoundedAndStaysTheSame(String config) {
    long bound = config.contains("1024") ? 1024 : config.contains("3MiB") ? 3 << 20 : 16 << 20;
    LocalRanks.run(
        3,
        config,
        group -> {
          SlotPool.Usage before = null;
          for (int i = 0; i < 1_000; i++) {
            int count = i % 100 == 99 ? 60_000 : i % 50;
            Placed place = Placed.nth(i);
            group.allReduce(place.buffer(DataType.FLOAT32, count), ReduceOp.SUM).join();
            if (i % 7 == 0) {
              group
                  .allToAll(
                      place.buffer(DataType.INT8, 3L * count),
                      place.buffer(DataType.INT8, 3L * count))
                  .join();
            }
            SlotPool.Usage usage = group.memory();
            assertThat(usage.allocatedBytes()).isLessThanOrEqualTo(bound);
            assertThat(usage.inUse()).isZero();
            if (i == 500) {
              before = usage;
            } else if (before != null) {
              assertThat(usage.allocatedBytes()).isEqualTo(before.allocatedBytes());
            }
          }
        });
  }

  /** What a small operation costs the garbage collector, on the thread that drives it. */
  @Test
  void aSmallOperationAllocatesLittle() {
    int operations = 20_000;
    List<Long> each =
        LocalRanks.call(
            2,
            "tcp",
            group -> {
              ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
              CommBuffer send = Placed.NATIVE.buffer(DataType.FLOAT32, 2);
              CommBuffer recv = Placed.NATIVE.buffer(DataType.FLOAT32, 2);
              for (int i = 0; i < operations; i++) {
                group.allReduce(send, recv, ReduceOp.SUM).join();
              }
              long before = threads.getCurrentThreadAllocatedBytes();
              for (int i = 0; i < operations; i++) {
                group.allReduce(send, recv, ReduceOp.SUM).join();
              }
              return (threads.getCurrentThreadAllocatedBytes() - before) / operations;
            });
    System.out.println("allReduce of 8 bytes, 2 ranks: bytes allocated " + each);
    assertThat(each).allSatisfy(bytes -> assertThat(bytes).isLessThan(2_000L));
  }

  @Test
  void manyGroupsAtOnce() {
    LocalRanks.run(
        2,
        "tcp",
        group -> {
          List<ProcessGroup> groups = new ArrayList<>();
          try {
            for (int i = 0; i < 63; i++) {
              groups.add(group.split(0, i % 2 == 0 ? group.rank() : -group.rank()).orElseThrow());
            }
            groups.add(group);
            List<Work> works = new ArrayList<>();
            List<CommBuffer> buffers = new ArrayList<>();
            for (int i = 0; i < groups.size(); i++) {
              // The ranks begin in opposite orders, and join in the same one.
              ProcessGroup next = groups.get(group.rank() == 0 ? i : groups.size() - 1 - i);
              int mine = next.rank();
              CommBuffer buffer = Placed.nth(i).ints(5_000, e -> mine + (int) e);
              buffers.add(buffer);
              works.add(next.allReduce(buffer, ReduceOp.SUM));
            }
            works.forEach(Work::join);
            for (CommBuffer buffer : buffers) {
              Placed.check("one of 64 groups", buffer, e -> 1 + 2 * (int) e);
            }
          } finally {
            groups.remove(group);
            groups.forEach(ProcessGroup::close);
          }
        });
  }

  /** Neither a group's lock nor its buffers keep another group waiting. */
  @ParameterizedTest
  @ValueSource(strings = {"tcp?transport=epoll", "tcp?transport=nio"})
  void groupsJoinedInOppositeOrdersDoNotWaitForEachOther(String config) {
    LocalRanks.run(
        2,
        config,
        group -> {
          try (ProcessGroup other = group.split(0, 0).orElseThrow()) {
            for (int round = 0; round < 3; round++) {
              for (Placed place : List.of(Placed.NATIVE, Placed.ODD_HEAP)) {
                CommBuffer a = place.ints(1 << 20, i -> group.rank() + (int) i);
                CommBuffer b = place.ints(1 << 20, i -> group.rank() - (int) i);
                if (group.rank() == 0) {
                  Work first = group.allReduce(a, ReduceOp.SUM);
                  Work second = other.allReduce(b, ReduceOp.SUM);
                  first.join();
                  second.join();
                } else {
                  Work second = other.allReduce(b, ReduceOp.SUM);
                  Work first = group.allReduce(a, ReduceOp.SUM);
                  second.join();
                  first.join();
                }
                Placed.check("group", a, i -> 1 + 2 * (int) i);
                Placed.check("other", b, i -> 1 - 2 * (int) i);
              }
            }
          }
        });
  }
}
