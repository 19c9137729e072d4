package dev.tutti.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import dev.tutti.comm.LocalRanks;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.Work;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every collective through the engine: all places of memory, odd counts, and settings so small that
 * everything goes piece by piece.
 */
@Timeout(60)
class CollectivesTest {
  /**
   * The least of everything: 8 slots of 64 bytes, 512 bytes for schedules, messages of 64 bytes.
   */
  private static final String TINY = "scratch=1024&chunk=64B&slot=64B&small=0";

  private static final List<Integer> COUNTS = List.of(0, 1, 7, 39, 1001, 5003);

  static Stream<Arguments> settings() {
    return Stream.of(
            "tcp?transport=epoll",
            "tcp?transport=nio",
            "tcp?transport=epoll&" + TINY,
            "tcp?transport=nio&" + TINY,
            "tcp?scratch=1024&slot=64B&small=0",
            "tcp?small=0&chunk=1KiB",
            "tcp?chunk=1KiB&algo=allReduce:direct+reduce:reduceScatterGather+reduceScatter:direct",
            "tcp?chunk=64B&algo=allReduce:halvingDoubling+reduceScatter:recursiveHalving",
            "tcp?algo=allReduce:oneShot+reduce:linear&" + TINY)
        .flatMap(config -> Stream.of(1, 2, 3, 5).map(size -> Arguments.of(config, size)));
  }

  private static int element(int rank, long i) {
    return (rank + 1) * 100_003 + (int) i * 7;
  }

  private static int sum(int size, long i) {
    int sum = 0;
    for (int rank = 0; rank < size; rank++) {
      sum += element(rank, i);
    }
    return sum;
  }

  @ParameterizedTest
  @MethodSource("settings")
  void everyCollective(String config, int size) {
    LocalRanks.run(
        size,
        config,
        group -> {
          for (Placed place : Placed.values()) {
            for (int count : config.endsWith(TINY) ? COUNTS.subList(0, 5) : COUNTS) {
              new Round(group, place, place.next(), count).all();
            }
          }
        });
  }

  /** All collectives once, from memory in one place to memory in another. */
  private record Round(ProcessGroup group, Placed from, Placed to, int count) {
    void all() {
      for (int root = 0; root < group.size(); root += 2) {
        reductions(root);
        broadcast(root);
        gatherAndScatter(root);
        unevenGatherAndScatter(root);
      }
      allGather();
      allGatherV();
      reduceScatter();
      reduceScatterV();
      allToAll();
      allToAllV();
      group.barrier().join();
    }

    private int rank() {
      return group.rank();
    }

    private int size() {
      return group.size();
    }

    private String what(String operation) {
      return "%s, %d elements, %s to %s, rank %d/%d"
          .formatted(operation, count, from, to, rank(), size());
    }

    private CommBuffer mine(long elements) {
      return from.ints(elements, i -> element(rank(), i));
    }

    private CommBuffer empty(long elements) {
      return to.ints(elements, i -> -1);
    }

    private void reductions(int root) {
      CommBuffer send = mine(count);
      CommBuffer recv = empty(count);
      group.allReduce(send, recv, ReduceOp.SUM).join();
      Placed.check(what("allReduce"), recv, i -> sum(size(), i));
      Placed.check(what("allReduce's send"), send, i -> element(rank(), i));
      group.allReduce(send, recv, ReduceOp.AVG).join();
      Placed.check(what("allReduce AVG"), recv, i -> sum(size(), i) / size());
      group.allReduce(send, ReduceOp.MAX).join();
      Placed.check(what("allReduce in place"), send, i -> element(size() - 1, i));

      CommBuffer toRoot = mine(count);
      CommBuffer reduced = empty(count);
      group.reduce(toRoot, reduced, ReduceOp.SUM, root).join();
      Placed.check(what("reduce"), reduced, i -> rank() == root ? sum(size(), i) : -1);
      Placed.check(what("reduce's send"), toRoot, i -> element(rank(), i));
      group.reduce(toRoot, rank() == root ? toRoot : null, ReduceOp.AVG, root).join();
      Placed.check(
          what("reduce in place"),
          toRoot,
          i -> rank() == root ? sum(size(), i) / size() : element(rank(), i));
    }

    private void broadcast(int root) {
      CommBuffer buffer = mine(count);
      group.broadcast(buffer, root).join();
      Placed.check(what("broadcast"), buffer, i -> element(root, i));
    }

    private int gathered(long i) {
      return element((int) (i / Math.max(1, count)), i % Math.max(1, count));
    }

    private void gatherAndScatter(int root) {
      CommBuffer recv = empty((long) count * size());
      group.gather(mine(count), rank() == root ? recv : null, root).join();
      Placed.check(what("gather"), recv, i -> rank() == root ? gathered(i) : -1);
      if (rank() == root) {
        CommBuffer whole = from.ints((long) count * size(), i -> gathered(i));
        group.gather(whole.slice((long) count * root, count), whole, root).join();
        Placed.check(what("gather in place"), whole, this::gathered);
      } else {
        group.gather(mine(count), null, root).join();
      }
      CommBuffer block = empty(count);
      CommBuffer send = from.ints((long) count * size(), i -> (int) i * 3 + root);
      group.scatter(rank() == root ? send : null, block, root).join();
      Placed.check(what("scatter"), block, i -> (int) (i + (long) count * rank()) * 3 + root);
    }

    /** Rank r has {@code r * count / 2} elements: the first one none. */
    private long[] counts() {
      long[] counts = new long[size()];
      for (int r = 0; r < size(); r++) {
        counts[r] = (long) r * count / 2;
      }
      return counts;
    }

    /** What only the root has to know. */
    private long @Nullable [] counts(int root) {
      return rank() == root ? counts() : null;
    }

    private int uneven(long i) {
      long[] counts = counts();
      int r = 0;
      long rest = i;
      while (rest >= counts[r]) {
        rest -= counts[r++];
      }
      return element(r, rest);
    }

    private long total() {
      return Stream.of(counts()).flatMapToLong(Arrays::stream).sum();
    }

    private long offset() {
      return Arrays.stream(counts(), 0, rank()).sum();
    }

    private void unevenGatherAndScatter(int root) {
      CommBuffer recv = empty(total());
      boolean here = rank() == root;
      group.gatherV(mine(counts()[rank()]), here ? recv : null, root, counts(root)).join();
      Placed.check(what("gatherV"), recv, i -> here ? uneven(i) : -1);
      CommBuffer block = empty(counts()[rank()]);
      CommBuffer send = from.ints(total(), i -> (int) i + root);
      group.scatterV(here ? send : null, block, root, counts(root)).join();
      Placed.check(what("scatterV"), block, i -> (int) (i + offset()) + root);
    }

    private void allGather() {
      CommBuffer recv = empty((long) count * size());
      group.allGather(mine(count), recv).join();
      Placed.check(what("allGather"), recv, this::gathered);
      CommBuffer whole = empty((long) count * size());
      CommBuffer block = whole.slice((long) count * rank(), count);
      for (long i = 0; i < count; i++) {
        Placed.set(block, i, element(rank(), i));
      }
      group.allGather(block, whole).join();
      Placed.check(what("allGather in place"), whole, this::gathered);
    }

    private void allGatherV() {
      CommBuffer recv = empty(total());
      group.allGatherV(mine(counts()[rank()]), recv, counts()).join();
      Placed.check(what("allGatherV"), recv, this::uneven);
    }

    private void reduceScatter() {
      CommBuffer send = mine((long) count * size());
      CommBuffer recv = empty(count);
      group.reduceScatter(send, recv, ReduceOp.SUM).join();
      long begin = (long) count * rank();
      Placed.check(what("reduceScatter"), recv, i -> sum(size(), begin + i));
      group.reduceScatter(send, send.slice(begin, count), ReduceOp.MIN).join();
      Placed.check(
          what("reduceScatter in place"), send.slice(begin, count), i -> element(0, begin + i));
    }

    private void reduceScatterV() {
      CommBuffer recv = empty(counts()[rank()]);
      group.reduceScatterV(mine(total()), recv, ReduceOp.SUM, counts()).join();
      Placed.check(what("reduceScatterV"), recv, i -> sum(size(), offset() + i));
    }

    private void allToAll() {
      CommBuffer recv = empty((long) count * size());
      group.allToAll(mine((long) count * size()), recv).join();
      Placed.check(
          what("allToAll"),
          recv,
          i -> element((int) (i / count), i % count + (long) count * rank()));
    }

    /** Rank a sends {@code (a + b) % 3 * count / 3} elements to rank b. */
    private long[] between(int a) {
      long[] counts = new long[size()];
      for (int b = 0; b < size(); b++) {
        counts[b] = (a + b) % 3 * (long) count / 3;
      }
      return counts;
    }

    private void allToAllV() {
      long[] counts = between(rank());
      long all = Arrays.stream(counts).sum();
      CommBuffer recv = empty(all);
      group.allToAllV(mine(all), counts, recv, counts).join();
      Placed.check(
          what("allToAllV"),
          recv,
          i -> {
            int r = 0;
            long rest = i;
            while (rest >= counts[r]) {
              rest -= counts[r++];
            }
            return element(r, Arrays.stream(between(r), 0, rank()).sum() + rest);
          });
    }
  }

  /** Elements of every size are cut up by slots of 64 bytes and reads of any length. */
  @ParameterizedTest
  @MethodSource("settings")
  void everyElementSize(String config, int size) {
    LocalRanks.run(
        size,
        config,
        group -> {
          for (DataType type : DataType.values()) {
            for (Placed place : Placed.values()) {
              CommBuffer buffer = place.buffer(type, 2503);
              // Zeros but on one rank: the sum is that rank's bytes, whatever the type.
              if (group.rank() == size - 1) {
                for (long i = 0; i < buffer.byteSize(); i++) {
                  buffer.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i % 53 + 1));
                }
              }
              group.allReduce(buffer, ReduceOp.SUM).join();
              for (long i = 0; i < buffer.byteSize(); i++) {
                assertThat(buffer.segment().get(ValueLayout.JAVA_BYTE, i))
                    .isEqualTo((byte) (i % 53 + 1));
              }
            }
          }
        });
  }

  /**
   * Many slots' worth between ranks that all send and all receive, from arrays: nobody may hold
   * what another waits for.
   */
  @Test
  void twoSlotsAreEnough() {
    LocalRanks.run(
        4,
        "tcp?timeout=30s&scratch=1024&slot=256B",
        group -> {
          int count = 150_000;
          int[] send = new int[4 * count];
          int[] recv = new int[4 * count];
          for (int i = 0; i < send.length; i++) {
            send[i] = element(group.rank(), i);
          }
          group.allToAll(CommBuffer.of(send), CommBuffer.of(recv)).join();
          for (int i = 0; i < recv.length; i++) {
            int block = i / count;
            if (recv[i] != element(block, i % count + (long) count * group.rank())) {
              throw new AssertionError("element " + i + " is wrong");
            }
          }
          group.allReduce(CommBuffer.of(send), ReduceOp.SUM).join();
          for (int i = 0; i < send.length; i++) {
            if (send[i] != sum(4, i)) {
              throw new AssertionError("element " + i + " of the sum is wrong");
            }
          }
        });
  }

  /** More than the kernel's buffers, and more than an int of bits, on the way at once. */
  @Test
  void aBigMessage() {
    long count = (300L << 20) / Integer.BYTES;
    LocalRanks.run(
        2,
        "tcp",
        group -> {
          try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(count * Integer.BYTES, 64);
            CommBuffer buffer = CommBuffer.of(memory, DataType.INT32);
            if (group.rank() == 0) {
              for (long i = 0; i < count; i++) {
                memory.setAtIndex(ValueLayout.JAVA_INT, i, (int) (i * 0x9e3779b9L));
              }
              group.send(buffer, 1).join();
            } else {
              group.recv(buffer, 0).join();
              for (long i = 0; i < count; i++) {
                if (memory.getAtIndex(ValueLayout.JAVA_INT, i) != (int) (i * 0x9e3779b9L)) {
                  throw new AssertionError("element " + i + " is wrong");
                }
              }
            }
            assertThat(group.memory().allocatedBytes()).isZero();
          }
        });
  }

  /** Works are joined in no order; their operations run in the order they were issued in. */
  @Test
  void manyOperationsAtOnce() {
    LocalRanks.run(
        3,
        "tcp",
        group -> {
          Random random = new Random(5);
          int outstanding = 1_000;
          CommBuffer[] buffers = new CommBuffer[outstanding];
          Work[] works = new Work[outstanding];
          for (int k = 0; k < outstanding; k++) {
            int count = random.nextInt(k % 100 == 0 ? 20_000 : 50);
            buffers[k] = Placed.nth(k).ints(count, i -> element(group.rank(), i));
            works[k] =
                switch (k % 3) {
                  case 0 -> group.allReduce(buffers[k], ReduceOp.SUM);
                  case 1 -> group.broadcast(buffers[k], k % 2);
                  default -> group.barrier();
                };
          }
          for (int k = outstanding - 1; k >= 0; k--) {
            works[k].join();
            int number = k;
            if (k % 3 < 2) {
              Placed.check(
                  "operation " + k,
                  buffers[k],
                  i -> number % 3 == 0 ? sum(3, i) : element(number % 2, i));
            }
          }
        });
  }
}
