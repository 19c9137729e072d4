package dev.tutti.comm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.Work;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What one {@link Work} promises: waiting, polling, interrupts, futures. */
@Timeout(30)
class WorkTest {
  /** Its warnings of executors that refuse are what is to be expected here. */
  private static final Logger LOG = Logger.getLogger(Driver.class.getName());

  @BeforeAll
  static void quiet() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void loud() {
    LOG.setLevel(null);
  }

  @Test
  void joinDrivesAndReturnsOnceTheOperationHasEnded() {
    try (FakeGroup group = new FakeGroup()) {
      Work work = group.issue();
      Running<Boolean> joiner =
          Running.platform(
              () -> {
                work.join();
                return work.isDone();
              });
      Eventually.until("the joiner blocks", group.backend::isAwaited);
      group.backend.completeNext();

      assertThat(joiner.result()).isTrue();
      assertThat(group.backend.drivers).contains(joiner.thread());
    }
  }

  @Test
  void joinOfAnEndedOperationReturnsAtOnceEvenIfInterrupted() {
    try (FakeGroup group = new FakeGroup()) {
      Work work = group.issue();
      group.backend.completeNext();
      work.join();

      Thread.currentThread().interrupt();
      work.join();

      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void aJoinThatRunsOutLeavesTheOperationRunning() {
    try (FakeGroup group = new FakeGroup()) {
      Work work = group.issue();
      long begin = System.nanoTime();

      assertThat(work.join(Duration.ofMillis(50))).isFalse();

      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(49));
      assertThat(work.isDone()).isFalse();
      group.backend.completeNext();
      assertThat(work.join(Duration.ofSeconds(10))).isTrue();
    }
  }

  @Test
  void joinForNoTimeLooksOnce() {
    try (FakeGroup group = new FakeGroup()) {
      Work work = group.issue();

      assertThat(work.join(Duration.ZERO)).isFalse();
      assertThat(work.join(Duration.ofSeconds(-1))).isFalse();

      group.backend.completeNext();
      Eventually.until("a look finds the end", () -> work.join(Duration.ZERO));
    }
  }

  @Test
  void joinForeverIsNotWhatNullMeans() {
    try (FakeGroup group = new FakeGroup()) {
      Work work = group.issue();

      assertThatThrownBy(() -> work.join(nothing()))
          .isInstanceOf(NullPointerException.class)
          .hasMessage("timeout");
    }
  }

  @SuppressWarnings("NullAway") // what a careless caller does
  private static Duration nothing() {
    return null;
  }

  @Test
  void anInterruptLeavesTheOperationRunningAndTheThreadInterrupted() {
    try (FakeGroup group = new FakeGroup()) {
      Work work = group.issue();
      AtomicBoolean stillInterrupted = new AtomicBoolean();
      Running<Boolean> joiner =
          Running.platform(
              () -> {
                try {
                  work.join();
                } finally {
                  stillInterrupted.set(Thread.interrupted());
                }
                return true;
              });
      Eventually.until("the joiner blocks", group.backend::isAwaited);
      joiner.thread().interrupt();

      assertThat(joiner.failure())
          .isInstanceOf(CancellationException.class)
          .hasMessageContaining("barrier() #0")
          .hasMessageContaining("may be joined again");
      assertThat(stillInterrupted).isTrue();
      assertThat(work.isDone()).isFalse();
      group.backend.completeNext();
      work.join();
    }
  }

  @Test
  void anInterruptedVirtualThreadLeavesTheOperationRunning() {
    try (FakeGroup group = new FakeGroup()) {
      Work work = group.issue();
      Running<Boolean> joiner =
          Running.virtual(
              () -> {
                work.join();
                return true;
              });
      Eventually.until("the helper drives for it", group.backend::isAwaited);
      joiner.thread().interrupt();

      assertThat(joiner.failure()).isInstanceOf(CancellationException.class);
      group.backend.completeNext();
      work.join();
    }
  }

  @Test
  void aVirtualThreadParksAndTheHelperDrives() {
    try (FakeGroup group = new FakeGroup()) {
      group.backend.deafToTime = true;
      Work work = group.issue();
      Running<Boolean> joiner = Running.virtual(() -> work.join(Duration.ofSeconds(20)));
      Eventually.until("the helper drives for it", group.backend::isAwaited);
      group.backend.completeNext();

      assertThat(joiner.result()).isTrue();
      assertThat(group.backend.drivers).containsExactly(group.helper());
    }
  }

  @Test
  void aVirtualThreadsJoinRunsOutToo() {
    try (FakeGroup group = new FakeGroup()) {
      Work work = group.issue();

      assertThat(Running.virtual(() -> work.join(Duration.ofMillis(30))).result()).isFalse();
    }
  }

  @Test
  void pollingMakesProgress() {
    try (FakeGroup group = new FakeGroup()) {
      Work work = group.issue();
      group.backend.completeNextSilently();

      Eventually.until("the operation ends", work::isDone);

      assertThat(group.backend.drivers).contains(Thread.currentThread());
    }
  }

  @Test
  void aFailureIsThrownByEveryJoin() {
    try (FakeGroup group = new FakeGroup()) {
      Work work = group.issue();
      PeerFailedException cause = new PeerFailedException(1, "rank 1 is gone", null);
      group.backend.failNext(cause);

      for (int i = 0; i < 2; i++) {
        // Not the very exception, which may be another thread's: one with this thread's stack.
        assertThatThrownBy(work::join)
            .isNotSameAs(cause)
            .isInstanceOfSatisfying(PeerFailedException.class, e -> assertThat(e.rank()).isOne())
            .hasMessage("rank 1 is gone");
      }
      assertThatThrownBy(() -> work.join(Duration.ZERO)).hasMessage("rank 1 is gone");
      assertThat(work.isDone()).isTrue();
    }
  }

  @Test
  void anAbortFromAnotherThreadEndsEveryJoin() {
    try (FakeGroup group = new FakeGroup()) {
      group.backend.deafToTime = true;
      Work first = group.issue();
      Work second = group.issue();
      Running<Boolean> leader = Running.platform(() -> first.join(Duration.ofSeconds(20)));
      Eventually.until("the joiner blocks", group.backend::isAwaited);
      Running<Boolean> follower = Running.platform(() -> second.join(Duration.ofSeconds(20)));
      Running<Boolean> virtual = Running.virtual(() -> second.join(Duration.ofSeconds(20)));
      group.core.abort();

      assertThat(leader.failure()).isInstanceOf(CommAbortedException.class);
      assertThat(follower.failure()).isInstanceOf(CommAbortedException.class);
      assertThat(virtual.failure()).isInstanceOf(CommAbortedException.class);
    }
  }

  @Test
  void completionsRunOnTheExecutorAndNeverUnderTheLock() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor(r -> new Thread(r, "mine"));
    try (FakeGroup group = new FakeGroup(FakeGroup.LONG, executor)) {
      Work work = group.issue();
      AtomicReference<Thread> thread = new AtomicReference<>();
      AtomicBoolean underLock = new AtomicBoolean(true);
      CompletableFuture<Boolean> stage =
          work.completion()
              .thenApply(
                  ignored -> {
                    thread.set(Thread.currentThread());
                    underLock.set(group.core.driver().holdsLock());
                    return group.issue().isDone();
                  });
      group.backend.completeNext();

      assertThat(stage.get(10, TimeUnit.SECONDS)).isFalse();
      assertThat(thread.get().getName()).isEqualTo("mine");
      assertThat(underLock).isFalse();
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void aCompletionThatIsAskedForAfterTheEndIsDoneToo() throws Exception {
    try (FakeGroup group = new FakeGroup()) {
      Work work = group.issue();
      group.backend.completeNext();
      work.join();

      assertThat(work.completion().get(10, TimeUnit.SECONDS)).isNull();
      assertThat(work.completion().get(10, TimeUnit.SECONDS)).isNull();
    }
  }

  @Test
  void aCompletionWaitsForNobodyToJoin() throws Exception {
    try (FakeGroup group = new FakeGroup()) {
      Work work = group.issue();
      CompletableFuture<Void> completion = work.completion();
      group.backend.completeNext();

      assertThat(completion.get(10, TimeUnit.SECONDS)).isNull();
    }
  }

  @Test
  void aCompletionCarriesTheFailure() {
    try (FakeGroup group = new FakeGroup()) {
      Work work = group.issue();
      CompletableFuture<Void> completion = work.completion();
      CommAbortedException cause = new CommAbortedException("it was not to be", null);
      group.backend.failNext(cause);

      assertThat(catchThrowable(() -> completion.get(10, TimeUnit.SECONDS))).hasCause(cause);
    }
  }

  @Test
  void completingTheFutureByHandDoesNothingToTheOperation() throws Exception {
    try (FakeGroup group = new FakeGroup()) {
      Work work = group.issue();
      work.completion().cancel(true);
      assertThat(work.completion().complete(null)).isTrue();

      assertThat(work.isDone()).isFalse();
      group.backend.completeNext();
      assertThat(work.completion().get(10, TimeUnit.SECONDS)).isNull();
    }
  }

  @Test
  void anExecutorThatRefusesNeitherLosesTheCompletionNorHurtsTheJoiner() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    executor.shutdown();
    try (FakeGroup group = new FakeGroup(FakeGroup.LONG, executor)) {
      Work work = group.issue();
      CompletableFuture<Void> completion = work.completion();
      group.backend.completeNext();

      work.join();

      assertThat(completion.get(10, TimeUnit.SECONDS)).isNull();
    }
  }

  @Test
  void anExecutorWithoutThreadsDoesNotKillTheHelper() throws Exception {
    try (FakeGroup group =
        new FakeGroup(
            FakeGroup.LONG,
            task -> {
              throw new OutOfMemoryError("unable to create native thread");
            })) {
      CompletableFuture<Void> first = group.issue().completion();
      group.backend.completeNext();
      assertThat(first.get(10, TimeUnit.SECONDS)).isNull();

      CompletableFuture<Void> second = group.issue().completion();
      group.backend.completeNext();
      assertThat(second.get(10, TimeUnit.SECONDS)).isNull();
    }
  }
}
