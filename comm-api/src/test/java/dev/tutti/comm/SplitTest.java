package dev.tutti.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.internal.Eventually;
import dev.tutti.comm.internal.Running;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Subgroups: who is in them, in which order, and what becomes of them. */
@Timeout(60)
class SplitTest {
  private final Set<Thread> threadsBefore = Eventually.groupThreads();

  @AfterEach
  void noThreadIsLeft() {
    Eventually.noThreadLeft(threadsBefore);
  }

  /** Returns the world ranks of a group in its rank order. */
  private static List<Integer> members(ProcessGroup group, int worldRank) {
    int[] all = new int[group.size()];
    group.allGather(CommBuffer.of(new int[] {worldRank}), CommBuffer.of(all)).join();
    List<Integer> members = new ArrayList<>();
    for (int member : all) {
      members.add(member);
    }
    return members;
  }

  @Test
  void equalColorsFormAGroupInTheParentsOrder() {
    List<List<Integer>> groups =
        LocalRanks.call(
            5,
            "local",
            world -> {
              try (ProcessGroup group = world.split(world.rank() % 2, 7).orElseThrow()) {
                return members(group, world.rank());
              }
            });

    assertThat(groups)
        .containsExactly(
            List.of(0, 2, 4), List.of(1, 3), List.of(0, 2, 4), List.of(1, 3), List.of(0, 2, 4));
  }

  @Test
  void keysOrderTheRanksAndTiesKeepTheParentsOrder() {
    List<List<Integer>> groups =
        LocalRanks.call(
            4,
            "local",
            world -> {
              int key = world.rank() == 3 ? Integer.MIN_VALUE : world.rank() == 0 ? 1 : 0;
              try (ProcessGroup group = world.split(0, key).orElseThrow()) {
                assertThat(members(group, world.rank()).indexOf(world.rank()))
                    .isEqualTo(group.rank());
                return members(group, world.rank());
              }
            });

    assertThat(groups).allSatisfy(group -> assertThat(group).containsExactly(3, 1, 2, 0));
  }

  @Test
  void aNegativeColorIsNotAMemberAndOnlyMembersCallAfterwards() {
    List<Optional<String>> names =
        LocalRanks.call(
            3,
            "local",
            world -> {
              Optional<ProcessGroup> group = world.split(world.rank() == 1 ? -1 : 4, 0);
              group.ifPresent(
                  g -> {
                    assertThat(members(g, world.rank())).containsExactly(0, 2);
                    g.close();
                  });
              return group.map(ProcessGroup::name);
            });

    assertThat(names)
        .containsExactly(Optional.of("world/0.4"), Optional.empty(), Optional.of("world/0.4"));
  }

  @Test
  void everybodyMayStayOut() {
    LocalRanks.run(
        2,
        "local",
        world -> {
          assertThat(world.split(-1, 0)).isEmpty();
          world.barrier().join();
        });
  }

  @Test
  void groupsNestAndOutliveTheirParents() {
    LocalRanks.run(
        4,
        "local",
        world -> {
          ProcessGroup half = world.split(world.rank() / 2, 0).orElseThrow();
          ProcessGroup turned = half.split(0, -half.rank()).orElseThrow();
          half.close();
          int first = world.rank() / 2 * 2;
          assertThat(members(turned, world.rank())).containsExactly(first + 1, first);
          assertThat(turned.name()).isEqualTo("world/0." + world.rank() / 2 + "/0.0");
          world.close();
          assertThat(members(turned, world.rank())).containsExactly(first + 1, first);
          turned.close();
        });
  }

  @Test
  void groupsOfOneRankWork() {
    LocalRanks.run(
        3,
        "local",
        world -> {
          try (ProcessGroup alone = world.split(world.rank(), 0).orElseThrow()) {
            assertThat(members(alone, 9)).containsExactly(9);
          }
        });
  }

  @Test
  void theParentsOperationsAreDrainedFirst() {
    LocalRanks.run(
        2,
        "local",
        world -> {
          int[] sum = {1};
          Work work = world.allReduce(CommBuffer.of(sum), ReduceOp.SUM);
          try (ProcessGroup group = world.split(0, 0).orElseThrow()) {
            assertThat(work.isDone()).isTrue();
            assertThat(sum).containsExactly(2);
            group.barrier().join();
          }
        });
  }

  @Test
  void twoGroupsAreIndependentHoweverTheyAreJoined() {
    LocalRanks.run(
        2,
        "local?timeout=20s",
        world -> {
          try (ProcessGroup a = world.split(0, 0).orElseThrow();
              ProcessGroup b = world.split(0, 0).orElseThrow()) {
            for (int i = 0; i < 200; i++) {
              ProcessGroup first = world.rank() == 0 ? a : b;
              ProcessGroup second = world.rank() == 0 ? b : a;
              int[] x = {i};
              int[] y = {-i};
              Work one = first.allReduce(CommBuffer.of(world.rank() == 0 ? x : y), ReduceOp.SUM);
              Work two = second.allReduce(CommBuffer.of(world.rank() == 0 ? y : x), ReduceOp.SUM);
              (i % 2 == 0 ? one : two).join();
              (i % 2 == 0 ? two : one).join();
              assertThat(x).containsExactly(2 * i);
              assertThat(y).containsExactly(-2 * i);
            }
          }
        });
  }

  @Test
  void manyGroupsAtOnce() {
    LocalRanks.run(
        2,
        "local",
        world -> {
          List<ProcessGroup> groups = new ArrayList<>();
          for (int i = 0; i < 64; i++) {
            groups.add(world.split(0, i % 2 == 0 ? world.rank() : -world.rank()).orElseThrow());
          }
          List<Work> works = new ArrayList<>();
          List<int[]> sums = new ArrayList<>();
          for (ProcessGroup group : groups) {
            int[] sum = {world.rank() + 1};
            sums.add(sum);
            works.add(group.allReduce(CommBuffer.of(sum), ReduceOp.SUM));
          }
          works.reversed().forEach(Work::join);
          assertThat(sums).allSatisfy(sum -> assertThat(sum).containsExactly(3));
          groups.forEach(ProcessGroup::close);
        });
  }

  @Test
  void aDeathWhileOthersSplitEndsTheSplitQuickly() {
    LocalJob job = new LocalJob(3);
    CountDownLatch splitting = new CountDownLatch(2);
    CountDownLatch over = new CountDownLatch(1);
    List<Running<Duration>> ranks =
        job.start(
            rank -> "local?timeout=30s",
            world -> {
              if (world.rank() == 2) {
                over.await();
                return Duration.ZERO;
              }
              splitting.countDown();
              return LocalJob.time(
                  () ->
                      assertThatThrownBy(() -> world.split(0, 0))
                          .isInstanceOfSatisfying(
                              PeerFailedException.class, e -> assertThat(e.rank()).isEqualTo(2))
                          .hasMessageContaining("killed by the test"));
            });
    await(splitting);
    job.kill(2);

    assertThat(ranks.get(0).result()).isLessThan(Duration.ofSeconds(5));
    assertThat(ranks.get(1).result()).isLessThan(Duration.ofSeconds(5));
    over.countDown();
    ranks.get(2).result();
  }

  @Test
  void aRankThatDoesNotSplitIsNamedWhenTimeIsUp() {
    LocalJob job = new LocalJob(2);
    AtomicInteger timedOut = new AtomicInteger();
    List<Running<Boolean>> ranks =
        job.start(
            rank -> "local?timeout=800ms",
            world -> {
              if (world.rank() == 0) {
                assertThatThrownBy(() -> world.split(0, 0))
                    .isInstanceOf(CommTimeoutException.class)
                    .hasMessageContaining("split #0 of group world on rank 0/2")
                    .hasMessageContaining("rank 1 has not arrived");
                timedOut.incrementAndGet();
                // The group is broken: the ranks no longer agree on what comes next.
                assertThatThrownBy(world::barrier).isInstanceOf(CommTimeoutException.class);
              } else {
                Eventually.until("rank 0 gave up", () -> timedOut.get() == 1);
                assertThatThrownBy(() -> world.barrier().join())
                    .isInstanceOf(CommTimeoutException.class)
                    .hasMessageContaining("rank 0 of group world reports");
              }
              return true;
            });

    ranks.forEach(Running::result);
  }

  @Test
  void anAbortEndsASplitInProgress() {
    LocalJob job = new LocalJob(2);
    CountDownLatch done = new CountDownLatch(1);
    List<Running<Boolean>> ranks =
        job.start(
            rank -> "local?timeout=30s",
            world -> {
              if (world.rank() == 1) {
                done.await();
                return true;
              }
              Running<Throwable> splitter =
                  Running.platform(
                      () -> {
                        try {
                          world.split(0, 0);
                          throw new AssertionError("the split succeeded");
                        } catch (CommException e) {
                          return e;
                        }
                      });
              Eventually.until(
                  "the split is under way",
                  () -> splitter.thread().getState() == Thread.State.TIMED_WAITING);
              world.abort();
              assertThat(splitter.result()).isInstanceOf(CommAbortedException.class);
              done.countDown();
              return true;
            });

    ranks.forEach(Running::result);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
