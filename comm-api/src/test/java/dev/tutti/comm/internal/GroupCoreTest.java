package dev.tutti.comm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CollectiveMismatchException;
import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.NativeCommException;
import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.Work;
import dev.tutti.comm.internal.control.Control;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A group's one failure: how it is told in this group's ranks, and to whom. */
@Timeout(30)
class GroupCoreTest {
  /** What another rank of the job hears. */
  private static final class Ear implements Control.Listener {
    final ConcurrentLinkedQueue<CommException> broken = new ConcurrentLinkedQueue<>();

    @Override
    public void broken(int worldRank, CommException cause) {
      broken.add(cause);
    }

    @Override
    public void died(int worldRank, String reason) {
      // Nobody dies here.
    }
  }

  private static FakeGroup group(Integer... worldRanks) {
    return new FakeGroup(List.of(worldRanks), FakeGroup.LONG, ForkJoinPool.commonPool());
  }

  @Test
  void aRankThatTheStoreReportsDeadIsNamedInThisGroupsRanks() {
    try (FakeGroup group = group(1, 0)) {
      Running<Boolean> splitter = Running.platform(() -> group.core.split(0, 0).isPresent());
      Eventually.until(
          "it waits for the others",
          () -> splitter.thread().getState() == Thread.State.TIMED_WAITING);
      group.store.died(0, "gone");

      assertThat(splitter.failure())
          .isInstanceOfSatisfying(PeerFailedException.class, e -> assertThat(e.rank()).isOne())
          .hasMessageContaining("split #0 of group world on rank 0/2");
    }
  }

  @Test
  void aPeersFailureIsToldInTheJobsRanks() {
    try (FakeGroup group = group(2, 3)) {
      Ear ear = new Ear();
      group.control.line(3).subscribe("world", ear);
      Work work = group.issue();
      group.backend.failNext(new PeerFailedException(1, "rank 1 hung up", null));
      assertThatThrownBy(work::join)
          .isInstanceOfSatisfying(PeerFailedException.class, e -> assertThat(e.rank()).isOne());

      Eventually.until("the peer hears of it", () -> !ear.broken.isEmpty());
      assertThat(ear.broken)
          .singleElement()
          .isInstanceOfSatisfying(
              PeerFailedException.class, e -> assertThat(e.rank()).isEqualTo(3));
    }
  }

  @Test
  void aPeersReportIsToldInThisGroupsRanks() {
    try (FakeGroup group = group(2, 3, 0)) {
      Work work = group.issue();
      group.control.line(3).sendBreak("world", new PeerFailedException(0, "it hung up", null));

      assertThatThrownBy(work::join)
          .isInstanceOfSatisfying(PeerFailedException.class, e -> assertThat(e.rank()).isEqualTo(2))
          .hasMessageContaining("barrier() #0 on rank 0/3 of group world was under way")
          .hasMessageContaining("rank 1 of group world reports: it hung up");
    }
  }

  @Test
  void aRankThatIsNotOfThisGroupIsNotBlamed() {
    try (FakeGroup group = group(2, 3)) {
      Work work = group.issue();
      group.control.line(3).sendBreak("world", new PeerFailedException(0, "rank 0 is gone", null));

      assertThatThrownBy(work::join)
          .isInstanceOf(CommAbortedException.class)
          .hasMessageContaining("rank 0 is gone");
    }
  }

  @Test
  void aStrangersReportOrDeathMeansNothing() {
    try (FakeGroup group = group(2, 3)) {
      Work work = group.issue();
      group.control.line(0).sendBreak("world", new CommAbortedException("not yours", null));
      group.control.line(3).sendBreak("other", new CommAbortedException("not yours", null));
      group.control.simulateDeath(1, "not yours");

      assertThat(work.join(Duration.ofMillis(100))).isFalse();
      group.backend.completeNext();
      work.join();
    }
  }

  @Test
  void everyKindOfReportKeepsItsType() {
    List<CommException> kinds =
        List.of(
            new CommTimeoutException("a", null),
            new CollectiveMismatchException("b", null),
            new CommAbortedException("c", null),
            new NativeCommException(7, "d", null));
    for (CommException kind : kinds) {
      try (FakeGroup group = group(0, 1)) {
        Work work = group.issue();
        group.control.line(1).sendBreak("world", kind);

        assertThatThrownBy(work::join)
            .isInstanceOf(kind.getClass())
            .hasMessageContaining("rank 1 of group world reports: " + kind.getMessage());
      }
    }
  }

  @Test
  void aReportIsNotPassedOn() {
    try (FakeGroup group = group(0, 1, 2)) {
      Ear ear = new Ear();
      group.control.line(2).subscribe("world", ear);
      Work work = group.issue();
      group.control.line(1).sendBreak("world", new CommAbortedException("enough", null));
      assertThatThrownBy(work::join).isInstanceOf(CommAbortedException.class);
      group.core.abort();

      Eventually.until("rank 2 hears it from rank 1", () -> !ear.broken.isEmpty());
      assertThat(ear.broken).extracting(Throwable::getMessage).containsExactly("enough");
    }
  }

  @Test
  void theFirstFailureIsKeptWhateverFollows() {
    try (FakeGroup group = group(0, 1)) {
      Work first = group.issue();
      Work second = group.issue();
      group.backend.next(
          () -> {
            throw new CollectiveMismatchException("the first", null);
          });
      assertThatThrownBy(first::join).isInstanceOf(CollectiveMismatchException.class);
      group.control.line(1).sendBreak("world", new CommAbortedException("the second", null));
      group.core.abort();

      assertThatThrownBy(second::join)
          .isInstanceOf(CollectiveMismatchException.class)
          .hasMessageContaining("the first");
      assertThatThrownBy(group::issue).isInstanceOf(CollectiveMismatchException.class);
    }
  }

  @Test
  void aSplitThatFailsHereIsToldToThoseWhoHaveTheirSubgroupAlready() {
    try (FakeGroup pair = group(0, 1)) {
      Ear parent = new Ear();
      Ear child = new Ear();
      pair.control.line(1).subscribe("world", parent);
      pair.control.line(1).subscribe("world/0.0", child);
      pair.backend.onSplit =
          () -> {
            throw new IllegalStateException("no more sockets");
          };
      Running<Boolean> other =
          Running.platform(
              () -> {
                byte[] zeros = new byte[8];
                pair.store
                    .view()
                    .scoped("group/world")
                    .exchange("split/0", 1, 2, zeros, Duration.ofSeconds(10));
                return true;
              });

      assertThatThrownBy(() -> pair.core.split(0, 0))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("no more sockets");

      assertThat(other.result()).isTrue();
      Eventually.until("both are told", () -> !parent.broken.isEmpty() && !child.broken.isEmpty());
      assertThat(child.broken.element()).hasMessageContaining("no more sockets");
      assertThatThrownBy(pair::issue).isInstanceOf(CommAbortedException.class);
    }
  }

  @Test
  void groupsHaveNumbersOfTheirOwn() {
    List<Integer> numbers = new ArrayList<>();
    for (int split = 0; split < 100; split++) {
      for (int color = 0; color < 10; color++) {
        numbers.add(GroupCore.epoch("job/world/%d.%d".formatted(split, color)));
      }
    }

    assertThat(numbers).doesNotHaveDuplicates();
    assertThat(GroupCore.epoch("a")).isEqualTo(GroupCore.epoch("a"));
  }
}
