package dev.tutti.comm.internal.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CollectiveMismatchException;
import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommException;
import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.internal.Eventually;
import dev.tutti.comm.internal.Running;
import dev.tutti.comm.spi.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The gate before the data: when it opens, what keeps it shut, and what is left behind. */
@Timeout(30)
class CheckedTest {
  private static final Duration SOON = Duration.ofMillis(60);
  private static final Operation BARRIER = new Operation.Barrier();

  private final Set<Thread> threadsBefore = Eventually.groupThreads();
  private final CheckedRanks ranks = new CheckedRanks(3);

  @AfterEach
  void nothingIsLeft() {
    ranks.abort();
    ranks.close();
    Eventually.noThreadLeft(threadsBefore);
    assertThat(ranks.keys).isEmpty();
    assertThat(ranks.store.waiterCount()).isZero();
  }

  private static CommBuffer floats(int count) {
    return CommBuffer.of(new float[count]);
  }

  private static Operation allReduce(int count) {
    return new Operation.AllReduce(floats(count), floats(count), ReduceOp.SUM);
  }

  private static Operation send(int count, int peer) {
    return new Operation.Send(floats(count), peer);
  }

  private static Operation recv(int count, int peer) {
    return new Operation.Recv(floats(count), peer);
  }

  @Test
  void nothingGoesDownBeforeAllRanksHaveCalled() {
    ranks.call(0, BARRIER);
    ranks.call(1, BARRIER);
    ranks.advanceFor(SOON);
    assertThat(ranks.below).allSatisfy(below -> assertThat(below).isEmpty());
    assertThat(ranks.layer(0).awaited()).isEqualTo("all ranks to make the same call");

    ranks.call(2, BARRIER);
    ranks.until("all go down", () -> ranks.below.stream().allMatch(below -> below.size() == 1));
  }

  @Test
  void operationsGoDownInTheirOrder() {
    List<Operation> calls = List.of(allReduce(1), BARRIER, allReduce(2), BARRIER);
    for (int rank = 0; rank < 3; rank++) {
      for (Operation call : calls) {
        ranks.call(rank, call);
      }
    }
    ranks.until("all go down", () -> ranks.below.stream().allMatch(below -> below.size() == 4));
    assertThat(ranks.below).allSatisfy(below -> assertThat(below).isEqualTo(calls));
  }

  @Test
  void aVerdictWakesWhoeverWaits() {
    ranks.backend(0).deafToTime = true;
    ranks.call(0, BARRIER);
    Running<Boolean> waiter =
        Running.platform(
            () -> {
              ranks.layer(0).await(Duration.ofSeconds(50).toNanos());
              return true;
            });
    Eventually.until("it waits", ranks.backend(0)::isAwaited);
    ranks.call(1, BARRIER);
    ranks.call(2, BARRIER);
    assertThat(waiter.result()).isTrue();
  }

  @Test
  void aMismatchFailsTheCallOnEveryRankAndMovesNothing() {
    ranks.call(0, allReduce(4));
    ranks.call(1, allReduce(4));
    ranks.call(2, allReduce(5));
    for (int rank = 0; rank < 3; rank++) {
      assertThat(ranks.failureOf(rank))
          .isInstanceOf(CollectiveMismatchException.class)
          .hasMessageStartingWith("allReduce(")
          .hasMessageContaining(") #0 on rank " + rank + "/3 of group world: ")
          .hasMessageContaining(
              "ranks 0, 1 called #0 allReduce(4 FLOAT32, SUM); rank 2 called #0 allReduce(5 FLOAT32, SUM)");
      assertThat(ranks.below.get(rank)).isEmpty();
    }
  }

  @Test
  void messagesAreBetweenTheirEndsOnly() {
    ranks.call(0, send(3, 1));
    ranks.advanceFor(SOON);
    assertThat(ranks.below.get(0)).isEmpty();
    assertThat(ranks.layer(0).awaited()).isEqualTo("rank 1 to call recv");

    ranks.call(1, recv(3, 0));
    ranks.until(
        "both go down", () -> ranks.below.get(0).size() == 1 && ranks.below.get(1).size() == 1);
    Eventually.until("no word is left in the store", ranks.keys::isEmpty);
  }

  @Test
  void messagesAreNumberedByPairAndDirection() {
    ranks.call(0, send(1, 1));
    ranks.call(0, send(2, 2));
    ranks.call(0, send(3, 1));
    ranks.call(0, recv(4, 1));
    ranks.call(2, recv(2, 0));
    ranks.call(1, recv(1, 0));
    ranks.call(1, recv(3, 0));
    ranks.call(1, send(4, 0));
    ranks.until("all go down", () -> ranks.below.stream().mapToInt(List::size).sum() == 8);
  }

  @Test
  void theTwoEndsOfAMessageMustNameTheSame() {
    ranks.call(0, send(20, 1));
    ranks.call(1, recv(10, 0));
    String told =
        "message #0 from rank 0 to rank 1 differ: rank %d called #0 %s; rank %d called #0 %s; both must";
    String out = "send(20 FLOAT32, to rank 1)";
    String in = "recv(10 FLOAT32, from rank 0)";
    assertThat(ranks.failureOf(0))
        .isInstanceOf(CollectiveMismatchException.class)
        .hasMessageContaining(told, 0, out, 1, in);
    assertThat(ranks.failureOf(1))
        .isInstanceOf(CollectiveMismatchException.class)
        .hasMessageContaining(told, 1, in, 0, out);
  }

  @Test
  void batchesMayCrossInAnyOrderAndTalkToThemselves() {
    for (int rank = 0; rank < 3; rank++) {
      List<Operation> transfers = new ArrayList<>();
      for (int step = 0; step < 3; step++) {
        int peer = (rank + step) % 3;
        transfers.add(send(1 + peer, peer));
        transfers.add(recv(1 + rank, 2 - step));
      }
      ranks.call(rank, new Operation.Batch(transfers));
    }
    ranks.until("all go down", () -> ranks.below.stream().allMatch(below -> below.size() == 1));
    Eventually.until("no word is left in the store", ranks.keys::isEmpty);
  }

  @Test
  void aTransferOfABatchIsNamed() {
    ranks.call(0, new Operation.Batch(List.of(send(1, 2), send(7, 1))));
    ranks.call(2, recv(1, 0));
    ranks.call(1, new Operation.SendRecv(floats(2), 0, floats(8), 0));
    assertThat(ranks.failureOf(0))
        .isInstanceOf(CollectiveMismatchException.class)
        .hasMessageContaining("rank 0 called #0 batch(2 transfers) with send(7 FLOAT32)")
        .hasMessageContaining(
            "rank 1 called #0 sendRecv(2 FLOAT32 to rank 0, 8 FLOAT32 from rank 0)");
  }

  @Test
  void beforeTheTimeoutItIsKnownWhoIsMissing() {
    for (int rank = 0; rank < 3; rank++) {
      ranks.call(rank, BARRIER);
    }
    ranks.until("all go down", () -> ranks.below.stream().allMatch(below -> below.size() == 1));
    for (int rank = 0; rank < 3; rank++) {
      ranks.backend(rank).completeNext();
    }
    ranks.timeout = Duration.ofMillis(400);
    ranks.call(0, allReduce(4));
    ranks.call(2, allReduce(4));
    ranks.until(
        "rank 1 is named",
        () ->
            ranks
                .layer(0)
                .awaited()
                .equals("rank 1 to call, since the last call of all ranks, barrier() #0"));
    // Whoever comes late is not too late for the check.
    ranks.call(1, allReduce(4));
    ranks.until("all go down", () -> ranks.below.stream().allMatch(below -> below.size() == 2));
  }

  @Test
  void anAbortEndsAllThatIsCheckedAtOnce() {
    ranks.call(0, send(1, 1));
    ranks.call(0, BARRIER);
    Eventually.until("the first is in the store", () -> ranks.keys.size() == 1);
    CommException cause = new CommAbortedException("enough", null);
    long begin = System.nanoTime();

    ranks.layer(0).abort(cause);

    assertThat(ranks.failureOf(0)).isSameAs(cause);
    assertThat(Objects.requireNonNull(ranks.calls.get(0).getLast().failure())).isSameAs(cause);
    Eventually.noThreadLeft(threadsBefore);
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(2));
    assertThat(ranks.keys).isEmpty();
  }

  @Test
  void aRankThatTheStoreReportsDeadIsNamed() {
    ranks.call(0, BARRIER);
    ranks.store.died(2, "killed");
    assertThat(ranks.failureOf(0))
        .isInstanceOfSatisfying(PeerFailedException.class, e -> assertThat(e.rank()).isEqualTo(2))
        .hasMessageContaining("barrier() #0 on rank 0/3 of group world");
  }

  @Test
  void aSplitIsSeenWhereTheOthersCallSomethingElse() {
    Agreement splitting = ((Checked) ranks.layer(1)).agreement();
    Running<List<byte[]>> split =
        Running.platform(() -> splitting.split(new byte[] {7}, Duration.ofSeconds(20)));
    ranks.call(0, BARRIER);
    ranks.call(2, BARRIER);
    String told = "ranks 0, 2 called #0 barrier(); rank 1 called split";
    assertThat(split.failure())
        .isInstanceOf(CollectiveMismatchException.class)
        .hasMessageContaining(told);
    assertThat(ranks.failureOf(0))
        .isInstanceOf(CollectiveMismatchException.class)
        .hasMessageContaining(told);
    assertThatThrownBy(() -> splitting.split(new byte[0], Duration.ofMillis(10)))
        .hasMessageContaining("ranks 0, 2 have not arrived");
  }

  @Test
  void aCallMoreThanTheOthersMakeIsSeenWhenTheyClose() {
    Running<Boolean> one = ranks.closing(0);
    Running<Boolean> other = ranks.closing(1);
    ranks.call(2, BARRIER);
    assertThat(ranks.failureOf(2))
        .isInstanceOf(CollectiveMismatchException.class)
        .hasMessageContaining("ranks 0, 1 called close; rank 2 called #0 barrier()");
    assertThat(one.result()).isTrue();
    assertThat(other.result()).isTrue();
  }
}
