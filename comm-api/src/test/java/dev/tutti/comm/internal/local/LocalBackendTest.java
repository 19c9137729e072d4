package dev.tutti.comm.internal.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.BackendUnavailableException;
import dev.tutti.comm.CollectiveMismatchException;
import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommConfig;
import dev.tutti.comm.DataType;
import dev.tutti.comm.LocalRanks;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.Store;
import dev.tutti.comm.Work;
import dev.tutti.comm.internal.store.InMemoryStore;
import dev.tutti.comm.spi.BackendProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What each operation leaves where, in and out of place; and what ranks that disagree are told. */
@Timeout(60)
class LocalBackendTest {
  private static final String CONFIG = "local?timeout=30s";

  /** Element i of rank r's input. */
  private static int x(int rank, int i) {
    return 1000 * (rank + 1) + i;
  }

  private static int[] input(int rank, int count) {
    return IntStream.range(0, count).map(i -> x(rank, i)).toArray();
  }

  private static int sum(int size, int i) {
    return IntStream.range(0, size).map(rank -> x(rank, i)).sum();
  }

  private static CommBuffer buffer(int... elements) {
    return CommBuffer.of(elements);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void allReduce(int size) {
    LocalRanks.run(
        size,
        CONFIG,
        group -> {
          int[] send = input(group.rank(), 7);
          int[] recv = new int[7];
          group.allReduce(CommBuffer.of(send), CommBuffer.of(recv), ReduceOp.SUM).join();
          int[] expected = IntStream.range(0, 7).map(i -> sum(size, i)).toArray();
          assertThat(recv).containsExactly(expected);
          assertThat(send).containsExactly(input(group.rank(), 7));
          group.allReduce(CommBuffer.of(send), ReduceOp.SUM).join();
          assertThat(send).containsExactly(expected);

          int[] most = input(group.rank(), 2);
          group.allReduce(CommBuffer.of(most), ReduceOp.MAX).join();
          assertThat(most).containsExactly(input(size - 1, 2));
          float[] mean = {group.rank(), 1};
          group.allReduce(CommBuffer.of(mean), ReduceOp.AVG).join();
          assertThat(mean).containsExactly((size - 1) / 2f, 1f);
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void reduceLeavesOtherRanksAlone(int size) {
    LocalRanks.run(
        size,
        CONFIG,
        group -> {
          for (int root = 0; root < size; root++) {
            int[] recv = {-1, -1};
            boolean atRoot = group.rank() == root;
            int[] send = input(group.rank(), 2);
            group.reduce(CommBuffer.of(send), CommBuffer.of(recv), ReduceOp.SUM, root).join();
            assertThat(recv)
                .containsExactly(atRoot ? sum(size, 0) : -1, atRoot ? sum(size, 1) : -1);
            group
                .reduce(
                    CommBuffer.of(send), atRoot ? CommBuffer.of(send) : null, ReduceOp.SUM, root)
                .join();
            assertThat(send)
                .containsExactly(
                    atRoot ? new int[] {sum(size, 0), sum(size, 1)} : input(group.rank(), 2));
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void broadcast(int size) {
    LocalRanks.run(
        size,
        CONFIG,
        group -> {
          for (int root = 0; root < size; root++) {
            int[] data = input(group.rank(), 3);
            MemorySegment memory = MemorySegment.ofArray(data);
            boolean atRoot = group.rank() == root;
            group
                .broadcast(
                    CommBuffer.of(atRoot ? memory.asReadOnly() : memory, DataType.INT32), root)
                .join();
            assertThat(data).containsExactly(input(root, 3));
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void gathers(int size) {
    LocalRanks.run(
        size,
        CONFIG,
        group -> {
          int rank = group.rank();
          int[] expected = IntStream.range(0, 2 * size).map(i -> x(i / 2, i % 2)).toArray();
          int[] all = new int[2 * size];
          group.allGather(CommBuffer.of(input(rank, 2)), CommBuffer.of(all)).join();
          assertThat(all).containsExactly(expected);

          Arrays.fill(all, -1);
          CommBuffer whole = CommBuffer.of(all);
          all[2 * rank] = x(rank, 0);
          all[2 * rank + 1] = x(rank, 1);
          group.allGather(whole.slice(2L * rank, 2), whole).join();
          assertThat(all).containsExactly(expected);

          for (int root = 0; root < size; root++) {
            int[] recv = new int[2 * size];
            group.gather(CommBuffer.of(input(rank, 2)), CommBuffer.of(recv), root).join();
            assertThat(recv).containsExactly(rank == root ? expected : new int[2 * size]);
          }
        });
  }

  /** Rank r has r elements: so rank 0 has none. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void unevenForms(int size) {
    long[] counts = IntStream.range(0, size).asLongStream().toArray();
    int total = size * (size - 1) / 2;
    int[] expected =
        IntStream.range(0, size).flatMap(r -> IntStream.range(0, r).map(i -> x(r, i))).toArray();
    LocalRanks.run(
        size,
        CONFIG,
        group -> {
          int rank = group.rank();
          int begin = rank * (rank - 1) / 2;
          int[] all = new int[total];
          group.allGatherV(CommBuffer.of(input(rank, rank)), CommBuffer.of(all), counts).join();
          assertThat(all).containsExactly(expected);

          int[] block = new int[rank];
          group
              .reduceScatterV(
                  CommBuffer.of(input(rank, total)), CommBuffer.of(block), ReduceOp.SUM, counts)
              .join();
          assertThat(block)
              .containsExactly(
                  IntStream.range(begin, begin + rank).map(i -> sum(size, i)).toArray());

          int root = size - 1;
          int[] gathered = new int[total];
          group
              .gatherV(
                  CommBuffer.of(input(rank, rank)),
                  rank == root ? CommBuffer.of(gathered) : null,
                  root,
                  counts)
              .join();
          assertThat(gathered).containsExactly(rank == root ? expected : new int[total]);

          int[] scattered = new int[rank];
          group
              .scatterV(
                  rank == root ? CommBuffer.of(expected) : null,
                  CommBuffer.of(scattered),
                  root,
                  counts)
              .join();
          assertThat(scattered).containsExactly(input(rank, rank));

          // Rank r sends q elements to rank q, and so receives r from everyone.
          long[] mine = new long[size];
          Arrays.fill(mine, rank);
          int[] came = new int[rank * size];
          group
              .allToAllV(CommBuffer.of(input(rank, total)), counts, CommBuffer.of(came), mine)
              .join();
          assertThat(came)
              .containsExactly(
                  IntStream.range(0, size)
                      .flatMap(q -> IntStream.range(begin, begin + rank).map(i -> x(q, i)))
                      .toArray());
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void scatters(int size) {
    LocalRanks.run(
        size,
        CONFIG,
        group -> {
          int rank = group.rank();
          int[] block = new int[2];
          group
              .reduceScatter(
                  CommBuffer.of(input(rank, 2 * size)), CommBuffer.of(block), ReduceOp.SUM)
              .join();
          assertThat(block).containsExactly(sum(size, 2 * rank), sum(size, 2 * rank + 1));

          int[] send = input(rank, 2 * size);
          CommBuffer whole = CommBuffer.of(send);
          group.reduceScatter(whole, whole.slice(2L * rank, 2), ReduceOp.SUM).join();
          int[] expected = input(rank, 2 * size);
          expected[2 * rank] = sum(size, 2 * rank);
          expected[2 * rank + 1] = sum(size, 2 * rank + 1);
          assertThat(send).containsExactly(expected);

          for (int root = 0; root < size; root++) {
            int[] recv = new int[2];
            group
                .scatter(
                    rank == root ? CommBuffer.of(input(rank, 2 * size)) : null,
                    CommBuffer.of(recv),
                    root)
                .join();
            assertThat(recv).containsExactly(x(root, 2 * rank), x(root, 2 * rank + 1));
          }

          int[] came = new int[2 * size];
          group.allToAll(CommBuffer.of(input(rank, 2 * size)), CommBuffer.of(came)).join();
          assertThat(came)
              .containsExactly(
                  IntStream.range(0, 2 * size).map(i -> x(i / 2, 2 * rank + i % 2)).toArray());
        });
  }

  @Test
  void transfersBetweenAPairMatchInTheirOrder() {
    LocalRanks.run(
        2,
        CONFIG,
        group -> {
          int other = 1 - group.rank();
          int[][] came = new int[4][1];
          if (group.rank() == 0) {
            group.send(buffer(1), other);
            group.send(buffer(2), other);
            group.batch(b -> b.send(buffer(3), other).send(buffer(4), other)).join();
          } else {
            group.batch(
                b -> b.recv(CommBuffer.of(came[0]), other).recv(CommBuffer.of(came[1]), other));
            group.recv(CommBuffer.of(came[2]), other);
            group.recv(CommBuffer.of(came[3]), other).join();
            assertThat(came).isEqualTo(new int[][] {{1}, {2}, {3}, {4}});
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void exchangesThatCross(int size) {
    LocalRanks.run(
        size,
        CONFIG,
        group -> {
          int rank = group.rank();
          int next = (rank + 1) % size;
          int previous = (rank + size - 1) % size;
          int[] came = new int[1];
          group.sendRecv(buffer(rank), next, CommBuffer.of(came), previous).join();
          assertThat(came).containsExactly(previous);

          int[][] all = new int[size][1];
          group
              .batch(
                  b -> {
                    for (int peer = 0; peer < size; peer++) {
                      b.recv(CommBuffer.of(all[peer]), peer);
                      b.send(buffer(10 * rank + peer), peer);
                    }
                  })
              .join();
          for (int peer = 0; peer < size; peer++) {
            assertThat(all[peer]).containsExactly(10 * peer + rank);
          }
          group.batch(b -> {}).join();
        });
  }

  @Test
  void emptyBuffersAndNativeMemoryAndOddAddresses() {
    LocalRanks.run(
        3,
        CONFIG,
        group -> {
          group.allReduce(CommBuffer.of(new float[0]), ReduceOp.SUM).join();
          group.allGather(CommBuffer.of(new int[0]), CommBuffer.of(new int[0])).join();
          group.broadcast(CommBuffer.of(new byte[0]), 2).join();
          try (Arena arena = Arena.ofShared()) {
            MemorySegment odd = arena.allocate(17).asSlice(1);
            odd.set(ValueLayout.JAVA_INT_UNALIGNED, 8, group.rank());
            group.allReduce(CommBuffer.of(odd, DataType.INT32), ReduceOp.SUM).join();
            assertThat(odd.get(ValueLayout.JAVA_INT_UNALIGNED, 8)).isEqualTo(3);
          }
        });
  }

  @Test
  void aBarrierCompletesOnNobodyBeforeEverybodyCame() {
    LocalRanks.run(
        3,
        CONFIG,
        group -> {
          if (group.rank() == 2) {
            // Told by way of another group, so that this one has not been used before.
            ProcessGroup side = group.split(0, 0).orElseThrow();
            side.barrier().join();
            side.barrier().join();
            group.barrier().join();
            side.close();
          } else {
            ProcessGroup side = group.split(0, 0).orElseThrow();
            Work barrier = group.barrier();
            side.barrier().join();
            assertThat(barrier.join(Duration.ofMillis(20))).isFalse();
            side.barrier().join();
            barrier.join();
            side.close();
          }
        });
  }

  @Test
  void operationsEndInTheirOrder() {
    LocalRanks.run(
        2,
        CONFIG,
        group -> {
          int[] a = {1};
          Work first = group.allReduce(CommBuffer.of(a), ReduceOp.SUM);
          Work second = group.allReduce(CommBuffer.of(a), ReduceOp.SUM);
          Work third =
              group.rank() == 0 ? group.send(CommBuffer.of(a), 1) : group.recv(CommBuffer.of(a), 0);
          third.join();
          assertThat(first.isDone()).isTrue();
          assertThat(second.isDone()).isTrue();
          assertThat(a).containsExactly(4);
        });
  }

  @Test
  void aSendBufferIsFreeOnceItsSendIsComplete() {
    LocalRanks.run(
        2,
        CONFIG,
        group -> {
          if (group.rank() == 0) {
            int[] data = {5};
            group.send(CommBuffer.of(data), 1).join();
            data[0] = 6;
            group.barrier().join();
          } else {
            int[] came = new int[1];
            Work recv = group.recv(CommBuffer.of(came), 0);
            group.barrier().join();
            recv.join();
            assertThat(came).containsExactly(5);
          }
        });
  }

  private static void assertMismatch(
      Consumer<ProcessGroup> zero, Consumer<ProcessGroup> one, String... texts) {
    LocalRanks.run(
        2,
        CONFIG,
        group ->
            assertThatThrownBy(() -> (group.rank() == 0 ? zero : one).accept(group))
                .isInstanceOf(CollectiveMismatchException.class)
                .hasMessageContainingAll(texts)
                .hasMessageContaining("all ranks must make the same calls in the same order"));
  }

  @Test
  void anotherOperationTypeCountOperatorOrRootIsAMismatchThatNamesBothCalls() {
    assertMismatch(
        g -> g.barrier().join(),
        g -> g.allReduce(buffer(1), ReduceOp.SUM).join(),
        "barrier()",
        "allReduce(1 INT32, SUM)");
    assertMismatch(
        g -> g.allReduce(buffer(1), ReduceOp.SUM).join(),
        g -> g.allReduce(CommBuffer.of(new float[1]), ReduceOp.SUM).join(),
        "allReduce(1 INT32, SUM)",
        "allReduce(1 FLOAT32, SUM)");
    assertMismatch(
        g -> g.allReduce(buffer(1), ReduceOp.SUM).join(),
        g -> g.allReduce(buffer(1, 2), ReduceOp.SUM).join(),
        "allReduce(1 INT32, SUM)",
        "allReduce(2 INT32, SUM)");
    assertMismatch(
        g -> g.allReduce(buffer(1), ReduceOp.MIN).join(),
        g -> g.allReduce(buffer(1), ReduceOp.MAX).join(),
        "allReduce(1 INT32, MIN)",
        "allReduce(1 INT32, MAX)");
    assertMismatch(
        g -> g.broadcast(buffer(1), 0).join(),
        g -> g.broadcast(buffer(1), 1).join(),
        "broadcast(1 INT32, root 0)",
        "broadcast(1 INT32, root 1)");
    assertMismatch(
        g -> g.recv(buffer(0), 1).join(),
        g -> {
          g.send(buffer(1, 2), 0).join();
          g.barrier().join();
        },
        "recv(1 INT32, from rank 1)",
        "send(2 INT32, to rank 0)",
        "2 INT32 on cpu for 1 INT32 on cpu");
  }

  @Test
  void countsOfTheUnevenFormsThatDoNotFitAreAMismatch() {
    assertMismatch(
        g -> g.gatherV(buffer(1), CommBuffer.of(new int[3]), 0, 1, 2).join(),
        g -> {
          g.gatherV(buffer(1, 2, 3), null, 0).join();
          g.barrier().join();
        },
        "gatherV(",
        "3 INT32 on cpu for 2 INT32 on cpu");
  }

  @Test
  void ranksInDifferentProcessesAreToldSo() {
    LocalBackend backend = new LocalBackend();
    Store real = new InMemoryStore(1).view();
    Store lying =
        (Store)
            Proxy.newProxyInstance(
                Store.class.getClassLoader(),
                new Class<?>[] {Store.class},
                (proxy, method, args) -> {
                  if (method.getName().equals("exchange")) {
                    return List.of((byte[]) args[3], "elsewhere".getBytes(StandardCharsets.UTF_8));
                  }
                  try {
                    return method.invoke(real, args);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    CommConfig config = CommConfig.parse("local");
    BackendProvider.Context context =
        new BackendProvider.Context(
            "world",
            1,
            0,
            List.of(0, 1),
            config.options(config.entries().getFirst(), backend.keys()),
            config.order(),
            1 << 20,
            lying,
            Duration.ofSeconds(5),
            null,
            true);

    assertThatThrownBy(() -> backend.connect(context))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessage(
            "the ranks of group world are in different processes; local works within one, tcp"
                + " between them");
  }

  @Test
  void itIsTakenOnlyByNameAndHoldsNothing() {
    LocalBackend backend = new LocalBackend();

    assertThat(backend.name()).isEqualTo("local");
    assertThat(backend.priority()).isZero();
    assertThat(backend.availability().isAvailable()).isTrue();
    assertThat(backend.devices()).containsExactly("cpu");
    assertThat(backend.keys()).isEmpty();
    assertThat(backend.placement()).isEqualTo(BackendProvider.Placement.MANY_PER_PROCESS);
    assertThat(LocalRanks.call(2, CONFIG, group -> group.memory().allocatedBytes()))
        .containsExactly(0L, 0L);
  }
}
