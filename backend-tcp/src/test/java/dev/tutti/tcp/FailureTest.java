package dev.tutti.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tutti.comm.CollectiveMismatchException;
import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.LocalRanks;
import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.Work;
import dev.tutti.comm.internal.control.InMemoryControl;
import dev.tutti.comm.internal.control.NoControl;
import dev.tutti.comm.spi.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong is named, on every rank, in time. */
@Timeout(60)
class FailureTest {
  private static CommBuffer floats(int count) {
    return CommBuffer.of(new float[count]);
  }

  /** Calls that do not belong together, by rank; the group has three ranks. */
  static Stream<Arguments> mismatches() {
    return Stream.of(
        mismatch("operator", (g, odd) -> g.allReduce(floats(8), odd ? ReduceOp.MAX : ReduceOp.SUM)),
        mismatch("count", (g, odd) -> g.allReduce(floats(odd ? 9 : 8), ReduceOp.SUM)),
        mismatch(
            "count, with another algorithm",
            (g, odd) -> g.allReduce(floats(odd ? 100_000 : 8), ReduceOp.SUM)),
        mismatch(
            "type of the same size",
            (g, odd) ->
                odd
                    ? g.allReduce(CommBuffer.of(new int[8]), ReduceOp.SUM)
                    : g.allReduce(floats(8), ReduceOp.SUM)),
        mismatch(
            "type and count with the same bytes",
            (g, odd) ->
                odd ? g.broadcast(CommBuffer.of(new double[4]), 0) : g.broadcast(floats(8), 0)),
        mismatch("root", (g, odd) -> g.broadcast(floats(8), odd ? 1 : 0)),
        mismatch(
            "kind",
            (g, odd) ->
                odd ? g.allReduce(floats(8), ReduceOp.SUM) : g.allGather(floats(8), floats(24))),
        mismatch(
            "kind, one without data",
            (g, odd) -> odd ? g.barrier() : g.allReduce(floats(8), ReduceOp.SUM)),
        mismatch(
            "order",
            (g, odd) -> {
              Work first =
                  odd ? g.allGather(floats(8), floats(24)) : g.allReduce(floats(8), ReduceOp.SUM);
              if (odd) {
                g.allReduce(floats(8), ReduceOp.SUM);
              } else {
                g.allGather(floats(8), floats(24));
              }
              return first;
            }),
        mismatch(
            "count of a transfer",
            (g, odd) ->
                g.rank() == 0
                    ? g.send(floats(8), 1)
                    : g.rank() == 1 ? g.recv(floats(9), 0) : g.barrier()),
        mismatch(
            "type of a transfer",
            (g, odd) ->
                g.rank() == 0
                    ? g.send(floats(8), 1)
                    : g.rank() == 1 ? g.recv(CommBuffer.of(new int[8]), 0) : g.barrier()),
        mismatch(
            "a transfer where a collective is due",
            (g, odd) ->
                g.rank() == 0 ? g.send(floats(8), 1) : g.allReduce(floats(8), ReduceOp.SUM)));
  }

  private static Arguments mismatch(String what, BiFunction<ProcessGroup, Boolean, Work> call) {
    return Arguments.of(what, call);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mismatches")
  void aMismatchFailsOnAllRanksAlike(String what, BiFunction<ProcessGroup, Boolean, Work> call) {
    List<CommException> failures =
        LocalRanks.call(
            3,
            "tcp?timeout=10s",
            group -> {
              // Also what went through, such as a broadcast without a receiver, is found by the
              // next exchange.
              CommException failure =
                  catchThrowableOfType(
                      CommException.class,
                      () -> {
                        call.apply(group, group.rank() == 1).join();
                        group.barrier().join();
                        group.barrier().join();
                      });
              assertThatThrownBy(group::barrier).isInstanceOf(CollectiveMismatchException.class);
              return failure;
            });
    assertThat(failures).hasOnlyElementsOfType(CollectiveMismatchException.class);
    assertThat(failures)
        .anySatisfy(
            failure -> assertThat(failure).hasMessageContaining("same calls in the same order"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void anAbsentRankIsNamedWhenTheTimeIsOver(String transport) throws Exception {
    CountDownLatch failed = new CountDownLatch(2);
    JobRanks.run(
        3,
        "tcp?timeout=300ms&transport=" + transport,
        group -> {
          if (group.rank() == 1) {
            failed.await();
            return;
          }
          long begin = System.nanoTime();
          CommException failure =
              catchThrowableOfType(
                  CommException.class,
                  () ->
                      group
                          .submit(
                              new Operation.Gather(
                                  floats(8), group.rank() == 0 ? floats(24) : null, 0))
                          .join());
          Duration took = Duration.ofNanos(System.nanoTime() - begin);
          failed.countDown();
          if (group.rank() == 0) {
            assertThat(failure)
                .isInstanceOf(CommTimeoutException.class)
                .hasMessageContaining("gather(8 FLOAT32, root 0) #0 on rank 0/3 of group world")
                .hasMessageContaining("timeout=300")
                .hasMessageContaining("32 of 32 bytes from rank 1, which has not connected");
            assertThat(took).isBetween(Duration.ofMillis(290), Duration.ofSeconds(5));
          } else {
            // A rank that only sends is done before.
            assertThat(failure == null || failure instanceof CommTimeoutException).isTrue();
          }
        });
  }

  @Test
  void aSendThatNobodyReceivesEndsWithTheTimeout() throws Exception {
    CountDownLatch failed = new CountDownLatch(1);
    JobRanks.run(
        2,
        "tcp?timeout=300ms",
        group -> {
          if (group.rank() == 1) {
            // A first use, so that they are connected.
            group.submit(new Operation.Recv(floats(1), 0)).join();
            failed.await();
            return;
          }
          group.submit(new Operation.Send(floats(1), 1)).join();
          Work stuck =
              group.submit(new Operation.Send(Placed.NATIVE.buffer(DataType.FLOAT32, 8 << 20), 1));
          assertThatThrownBy(stuck::join)
              .isInstanceOf(CommTimeoutException.class)
              .hasMessageContaining("send(8388608 FLOAT32, to rank 1) #1")
              .hasMessageContaining("waits for rank 1 to take");
          failed.countDown();
        });
  }

  @Test
  void closeWithASendThatNobodyReceivesIsBoundedAndSaysSo() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    JobRanks.run(
        2,
        "tcp?timeout=400ms",
        group -> {
          if (group.rank() == 1) {
            group.submit(new Operation.Recv(floats(1), 0)).join();
            closed.await();
            return;
          }
          group.submit(new Operation.Send(floats(1), 1)).join();
          // A few bytes go without a receiver; more than the kernel takes does not.
          group.submit(new Operation.Send(floats(2), 1)).join();
          group.submit(new Operation.Send(Placed.HEAP.buffer(DataType.FLOAT32, 8 << 20), 1));
          long begin = System.nanoTime();
          CommException left = catchThrowableOfType(CommException.class, group::close);
          closed.countDown();
          assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
          if (left != null) {
            assertThat(left)
                .isInstanceOf(CommTimeoutException.class)
                .hasMessageContaining("send(8388608 FLOAT32, to rank 1) #2");
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void withoutAControlLineALostConnectionNamesThePeer(String transport) throws Exception {
    CyclicBarrier connected = new CyclicBarrier(3);
    CountDownLatch failed = new CountDownLatch(2);
    JobRanks.run(
        3,
        "tcp?timeout=20s&transport=" + transport,
        rank -> new NoControl(),
        group -> {
          group.submit(new Operation.Barrier()).join();
          connected.await();
          if (group.rank() == 2) {
            group.abort();
            failed.await();
            return;
          }
          long begin = System.nanoTime();
          CommException failure =
              catchThrowableOfType(
                  CommException.class, () -> group.submit(new Operation.Recv(floats(8), 2)).join());
          failed.countDown();
          assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
          assertThat(failure).isInstanceOf(PeerFailedException.class);
          assertThat(((PeerFailedException) failure).rank()).isEqualTo(2);
          assertThat(failure).hasMessageContaining("connection to rank 2 is lost");
          assertThat(failure)
              .hasMessageContaining(
                  "recv(8 FLOAT32, from rank 2) #1 on rank " + group.rank() + "/3");
        });
  }

  /**
   * The messenger is not blamed: rank 1 fails because of rank 2, and rank 0 hears of rank 1's end
   * first.
   */
  @Test
  void theControlLinesVerdictGoesBeforeALostConnection() throws Exception {
    InMemoryControl control = new InMemoryControl(3);
    List<JobRanks.Muted> lines = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      lines.add(new JobRanks.Muted(control.line(rank)));
    }
    CyclicBarrier connected = new CyclicBarrier(3);
    CountDownLatch cut = new CountDownLatch(1);
    CountDownLatch failed = new CountDownLatch(1);
    JobRanks.run(
        3,
        "tcp?timeout=20s",
        lines::get,
        group -> {
          group.submit(new Operation.Barrier()).join();
          connected.await();
          switch (group.rank()) {
            case 0 -> {
              Work waiting = group.submit(new Operation.Recv(floats(8), 1));
              cut.await();
              assertThat(waiting.join(Duration.ofMillis(400)))
                  .as("waits for the verdict")
                  .isFalse();
              control.simulateDeath(2, "killed by signal 9");
              CommException failure = catchThrowableOfType(CommException.class, waiting::join);
              failed.countDown();
              assertThat(failure)
                  .isInstanceOf(PeerFailedException.class)
                  .hasMessageContaining("died (killed by signal 9)");
              assertThat(((PeerFailedException) failure).rank()).isEqualTo(2);
            }
            case 1 -> {
              // Its sockets close without a word.
              lines.get(1).mute();
              group.abort();
              cut.countDown();
              failed.await();
            }
            default -> failed.await();
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void anInterruptLeavesConnectionsAndOperationAlone(String transport) {
    CountDownLatch interrupted = new CountDownLatch(1);
    LocalRanks.run(
        2,
        "tcp?transport=" + transport,
        group -> {
          group.barrier().join();
          float[] x = {group.rank() + 1};
          if (group.rank() == 1) {
            interrupted.await();
            group.send(CommBuffer.of(x), 0).join();
          } else {
            Work work = group.recv(CommBuffer.of(x), 1);
            Thread.currentThread().interrupt();
            assertThatThrownBy(work::join).isInstanceOf(CancellationException.class);
            assertThat(Thread.interrupted()).isTrue();
            interrupted.countDown();
            work.join();
            assertThat(x).containsExactly(2);
          }
          group.barrier().join();
        });
  }

  @Test
  void whatCannotBeIsRefusedByName() {
    for (String config : List.of("tcp?chunk=0", "tcp?slot=1")) {
      assertThatThrownBy(() -> LocalRanks.run(2, config, ProcessGroup::barrier))
          .as(config)
          .rootCause()
          .hasMessageContaining(config.substring(4, config.indexOf('=')));
    }
  }
}
