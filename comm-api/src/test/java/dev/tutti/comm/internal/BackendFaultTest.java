package dev.tutti.comm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.Work;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a backend throws, wherever it does: nothing hangs, and the message says what it was. */
@Timeout(30)
class BackendFaultTest {
  private static final String WHAT = "disk on fire";

  /** Its warnings, with their stacks, are what is to be expected here. */
  private static final Logger LOG = Logger.getLogger(GroupCore.class.getName());

  @BeforeAll
  static void quiet() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void loud() {
    LOG.setLevel(null);
  }

  /** Throws an exception or an error. */
  private static void fail(boolean error) {
    if (error) {
      throw new StackOverflowError(WHAT);
    }
    throw new IllegalStateException(WHAT);
  }

  private static void assertFailed(FakeGroup group, Work work) {
    assertThatThrownBy(work::join)
        .isInstanceOf(CommAbortedException.class)
        .hasMessageContaining("backend fake ended with")
        .hasMessageContaining(WHAT)
        .hasMessageContaining("rank 0/2 of group world");
    assertThatThrownBy(group::issue)
        .isInstanceOf(CommAbortedException.class)
        .hasMessageContaining("was not issued")
        .hasMessageContaining(WHAT);
    assertThat(group.backend.aborted).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void advanceThrows(boolean error) {
    try (FakeGroup group = new FakeGroup()) {
      Work first = group.issue();
      Work second = group.issue();
      group.backend.next(() -> fail(error));

      assertFailed(group, first);
      assertFailed(group, second);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void advanceThrowsWhileNobodyWaits(boolean error) {
    try (FakeGroup group = new FakeGroup()) {
      Work work = group.issue();
      group.backend.next(() -> fail(error));
      Eventually.until("the helper finds out", () -> group.pending() == 0);

      assertFailed(group, work);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void enqueueThrows(boolean error) {
    try (FakeGroup group = new FakeGroup()) {
      group.backend.onEnqueue = context -> fail(error);

      assertFailed(group, group.issue());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void awaitThrows(boolean error) {
    try (FakeGroup group = new FakeGroup()) {
      group.backend.onAwait = () -> fail(error);

      assertFailed(group, group.issue());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void awaitThrowsInTheHelper(boolean error) {
    try (FakeGroup group = new FakeGroup()) {
      group.backend.onAwait = () -> fail(error);
      Work work = group.issue();
      Eventually.until("the helper finds out", () -> group.pending() == 0);

      assertFailed(group, work);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void abortThrows(boolean error) {
    try (FakeGroup group = new FakeGroup()) {
      group.backend.onAbort = cause -> fail(error);
      Work work = group.issue();

      group.core.abort();

      assertThatThrownBy(work::join)
          .isInstanceOf(CommAbortedException.class)
          .hasMessageContaining("rank 0/2 aborted group world");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void closeThrows(boolean error) {
    FakeGroup group = new FakeGroup();
    group.backend.onClose = () -> fail(error);

    group.core.close();

    assertThat(group.backend.closes).hasValue(1);
  }

  @Test
  void aCommExceptionThrownByAdvanceIsTheCause() {
    try (FakeGroup group = new FakeGroup()) {
      Work work = group.issue();
      group.backend.next(
          () -> {
            throw new PeerFailedException(1, "rank 1 hung up", null);
          });

      assertThatThrownBy(work::join)
          .isInstanceOfSatisfying(PeerFailedException.class, e -> assertThat(e.rank()).isEqualTo(1))
          .hasMessageContaining("barrier() #0 on rank 0/2 of group world")
          .hasMessageContaining("rank 1 hung up");
    }
  }

  @Test
  void anOperationThatTheBackendLosesStillEnds() {
    try (FakeGroup group = new FakeGroup()) {
      group.backend.onAbort = cause -> {};
      List<OpContext> contexts = new ArrayList<>();
      group.backend.onEnqueue = contexts::add;
      Work work = group.issue();

      group.core.abort();

      assertThatThrownBy(work::join).isInstanceOf(CommAbortedException.class);
      // Reported after all: too late to change anything.
      group.core.driver().lock();
      contexts.getFirst().complete();
      group.core.driver().unlock();
      assertThat(group.pending()).isZero();
      assertThatThrownBy(work::join).isInstanceOf(CommAbortedException.class);
    }
  }

  @Test
  void anOperationThatEndsTwiceEndsOnce() {
    try (FakeGroup group = new FakeGroup()) {
      List<OpContext> contexts = new ArrayList<>();
      group.backend.onEnqueue = contexts::add;
      Work work = group.issue();
      group.backend.completeNext();
      work.join();
      group.backend.next(() -> contexts.getFirst().fail(new CommAbortedException("again", null)));
      Work next = group.issue();
      group.backend.completeNext();

      next.join();
      work.join();
    }
  }

  @Test
  void anOperationMayEndWhileItIsIssued() {
    try (FakeGroup group = new FakeGroup()) {
      group.backend.onEnqueue = OpContext::complete;
      assertThat(group.issue().isDone()).isTrue();

      group.backend.onEnqueue =
          context -> context.fail(new CommAbortedException("not today", null));
      Work failed = group.issue();

      assertThatThrownBy(failed::join).hasMessageContaining("not today");
      assertThatThrownBy(group::issue).isInstanceOf(CommAbortedException.class);
    }
  }

  @Test
  void whatABackendDoesNotSupportIsRefusedAndTheGroupStaysUsable() {
    try (FakeGroup group = new FakeGroup()) {
      group.backend.availability = Availability.no("no barriers here", "use allReduce");

      assertThatThrownBy(group::issue)
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessage("barrier() on rank 0/2: no barriers here; use allReduce");
      assertThat(group.core.supports(new Operation.Barrier()).isAvailable()).isFalse();

      group.backend.availability = Availability.yes();
      Work work = group.issue();
      group.backend.completeNext();
      work.join();
    }
  }

  @Test
  void aBackendThatIsAlwaysBusyStillRunsIntoTheTimeout() {
    try (FakeGroup group = new FakeGroup(Duration.ofMillis(200))) {
      group.backend.alwaysBusy = true;

      assertThatThrownBy(() -> group.issue().join()).isInstanceOf(CommTimeoutException.class);
    }
  }
}
