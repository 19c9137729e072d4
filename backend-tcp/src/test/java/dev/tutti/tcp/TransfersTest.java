package dev.tutti.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import dev.tutti.comm.LocalRanks;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.Work;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sends and receives: their order, their numbering, batches. */
@Timeout(60)
class TransfersTest {
  private static final int MIB = 1 << 20;

  private static int element(int from, int number, long i) {
    return from * 1_000_003 + number * 1009 + (int) i;
  }

  /** Both directions of every pair count for themselves, whatever lies between. */
  @ParameterizedTest
  @ValueSource(strings = {"tcp?transport=epoll", "tcp?transport=nio", "tcp?scratch=1024&slot=64B"})
  void transfersMatchInOrder(String config) {
    LocalRanks.run(
        3,
        config,
        group -> {
          // The same on all ranks: who sends to whom, how much, and the collectives between.
          Random script = new Random(11);
          int[][] sent = new int[3][3];
          List<Work> works = new ArrayList<>();
          List<Runnable> checks = new ArrayList<>();
          for (int step = 0; step < 400; step++) {
            int from = script.nextInt(3);
            int to = (from + 1 + script.nextInt(2)) % 3;
            int count =
                script.nextInt(10) == 0 ? 0 : script.nextInt(script.nextBoolean() ? 9 : 4000);
            int number = sent[from][to]++;
            Placed place = Placed.nth(script.nextInt(4));
            if (group.rank() == from) {
              works.add(group.send(place.ints(count, i -> element(from, number, i)), to));
            } else if (group.rank() == to) {
              CommBuffer buffer = place.ints(count, i -> -1);
              works.add(group.recv(buffer, from));
              checks.add(
                  () ->
                      Placed.check(
                          "transfer %d from %d to %d".formatted(number, from, to),
                          buffer,
                          i -> element(from, number, i)));
            }
            if (step % 37 == 0) {
              works.add(group.allReduce(CommBuffer.of(new float[] {1, 2}), ReduceOp.SUM));
            }
            if (step % 50 == 49) {
              // All but the last, so that the works of a step are joined while others are queued.
              works.getLast().join();
            }
          }
          works.forEach(Work::join);
          checks.forEach(Runnable::run);
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp?transport=epoll", "tcp?transport=nio"})
  void crossingTransfersLargerThanAnyBuffer(String config) {
    LocalRanks.run(
        3,
        config,
        group -> {
          int next = (group.rank() + 1) % 3;
          int previous = (group.rank() + 2) % 3;
          for (Placed place : List.of(Placed.ODD_NATIVE, Placed.HEAP)) {
            CommBuffer send = place.ints(2 * MIB, i -> element(group.rank(), 0, i));
            CommBuffer recv = place.ints(2 * MIB, i -> -1);
            group.sendRecv(send, next, recv, previous).join();
            Placed.check("sendRecv", recv, i -> element(previous, 0, i));
            group.sendRecv(recv, group.rank(), send, group.rank()).join();
            Placed.check("sendRecv with itself", send, i -> element(previous, 0, i));
          }
        });
  }

  /** What a batch is to bring: from whom, of what. */
  private record Expected(int from, CommBuffer buffer) {
    void check(int rank) {
      for (long i = 0; i < buffer.byteSize(); i++) {
        assertThat(buffer.segment().get(ValueLayout.JAVA_BYTE, i))
            .isEqualTo(content(from, rank, buffer.type(), i));
      }
    }
  }

  private static byte content(int from, int to, DataType type, long i) {
    return (byte) (from * 31 + to * 17 + type.byteSize() * 7 + i);
  }

  /** Elements of several sizes, to the others and to the rank itself, several on one pair. */
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "tcp?scratch=1024&slot=64B&transport=nio"})
  void aBatchMayHoldAnything(String config) {
    LocalRanks.run(
        4,
        config,
        group -> {
          for (int round = 0; round < 5; round++) {
            long count = 1 + round * 3001L % 5000;
            Placed place = Placed.nth(round);
            List<Expected> expected = new ArrayList<>();
            group
                .batch(
                    batch -> {
                      for (int other = 0; other < 4; other++) {
                        addBoth(batch, group.rank(), other, place, count, expected);
                      }
                    })
                .join();
            expected.forEach(each -> each.check(group.rank()));
          }
        });
  }

  private static void addBoth(
      ProcessGroup.Batch batch,
      int rank,
      int other,
      Placed place,
      long count,
      List<Expected> expected) {
    for (DataType type : List.of(DataType.INT8, DataType.FLOAT64, DataType.BFLOAT16)) {
      CommBuffer send = place.buffer(type, count);
      CommBuffer recv = place.buffer(type, count);
      for (long i = 0; i < send.byteSize(); i++) {
        send.segment().set(ValueLayout.JAVA_BYTE, i, content(rank, other, type, i));
      }
      batch.recv(recv, other).send(send, other);
      expected.add(new Expected(other, recv));
    }
  }

  /** What was sent arrives, though its sender has gone: the kernel keeps it. */
  @ParameterizedTest
  @ValueSource(strings = {"tcp?transport=epoll", "tcp?transport=nio"})
  void aRankMayCloseWhileItsPeerStillReads(String config) {
    int messages = 8;
    LocalRanks.run(
        2,
        config,
        group -> {
          if (group.rank() == 0) {
            for (int m = 0; m < messages; m++) {
              int number = m;
              group.send(Placed.NATIVE.ints(MIB / 4, i -> element(0, number, i)), 1);
            }
            // close() drains, then the connection ends with megabytes still in the kernel.
            return;
          }
          for (int m = 0; m < messages; m++) {
            int number = m;
            CommBuffer buffer = Placed.HEAP.ints(MIB / 4, i -> -1);
            group.recv(buffer, 0).join();
            Placed.check("message " + m, buffer, i -> element(0, number, i));
            Thread.sleep(5);
          }
        });
  }
}
