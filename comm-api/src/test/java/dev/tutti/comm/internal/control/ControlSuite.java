package dev.tutti.comm.internal.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CollectiveMismatchException;
import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.NativeCommException;
import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.internal.store.LogCapture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every control line does that has deaths to tell. */
@Timeout(20)
abstract class ControlSuite {
  static final int SIZE = 4;

  private List<Control> lines = List.of();

  /** Opens one line for each rank. */
  abstract List<Control> open(int size) throws Exception;

  /** Ends a rank's line without a goodbye. */
  abstract void kill(int rank) throws Exception;

  @BeforeEach
  void openLines() throws Exception {
    lines = open(SIZE);
  }

  @AfterEach
  void closeLines() {
    lines.forEach(Control::close);
  }

  @Test
  void aBreakReachesAllOthersInMilliseconds() throws Exception {
    List<Heard> heard = subscribeAll("g");
    Heard otherGroup = new Heard();
    line(1).subscribe("other", otherGroup);
    line(0).sendBreak("g", new CommTimeoutException("warm up", null));
    for (int rank = 1; rank < SIZE; rank++) {
      heard.get(rank).next();
    }
    long start = System.nanoTime();
    line(2).sendBreak("g", new PeerFailedException(3, "rank 3 is gone", null));
    for (int rank : new int[] {0, 1, 3}) {
      Heard.News news = heard.get(rank).next();
      assertThat(news.rank()).isEqualTo(2);
      assertThat(news.text()).isEqualTo("rank 3 is gone");
      assertThat(((PeerFailedException) news.cause()).rank()).isEqualTo(3);
    }
    // Milliseconds; the bound leaves room for a machine that does other things.
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(250));
    assertThat(heard.get(2).quiet()).isTrue();
    assertThat(otherGroup.quiet()).isTrue();
  }

  @Test
  void everyKindOfCauseArrivesAsWhatItWas() throws Exception {
    List<CommException> causes =
        List.of(
            new CommTimeoutException("timeout ä€", null),
            new PeerFailedException(7, "peer", new IllegalStateException("not sent")),
            new CollectiveMismatchException("mismatch", null),
            new CommAbortedException("aborted", null),
            new NativeCommException(-42, "x".repeat(20_000), null));
    for (int i = 0; i < causes.size(); i++) {
      String group = "g" + i;
      Heard heard = new Heard();
      line(1).subscribe(group, heard);
      line(0).sendBreak(group, causes.get(i));
      Heard.News news = heard.next();
      assertThat(news.kind()).isEqualTo(causes.get(i).getClass());
      assertThat(causes.get(i).getMessage()).startsWith(news.text().replaceAll("\\.\\.\\.$", ""));
    }
  }

  @Test
  void aDeathReachesAllOthersWithinASecondAndOnce() throws Exception {
    List<Heard> heard = subscribeAll("g");
    long start = System.nanoTime();
    kill(3);
    for (int rank = 0; rank < 3; rank++) {
      Heard.News news = heard.get(rank).next();
      assertThat(news.death()).isTrue();
      assertThat(news.rank()).isEqualTo(3);
      assertThat(news.text()).isNotBlank();
    }
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
    line(0).sendBreak("g", new CommAbortedException("after", null));
    assertThat(heard.get(1).next().death()).isFalse();
    assertThat(line(0).detectsDeath()).isTrue();
  }

  @Test
  void whoSubscribesLateHearsWhatWasSaidBefore() throws Exception {
    Heard early = new Heard();
    line(1).subscribe("early", early);
    line(0).sendBreak("late", new CommAbortedException("first", null));
    line(2).sendBreak("late", new CommAbortedException("second", null));
    kill(3);
    assertThat(early.next().death()).isTrue();
    Heard late = new Heard();
    line(1).subscribe("late", late);
    List<Heard.News> news = List.of(late.next(), late.next(), late.next());
    assertThat(news).extracting(Heard.News::rank).containsExactlyInAnyOrder(0, 2, 3);
    assertThat(news.stream().filter(Heard.News::death)).hasSize(1);
  }

  @Test
  void aGoodbyeIsNoDeath() throws Exception {
    List<Heard> heard = subscribeAll("g");
    line(3).close();
    line(3).close();
    line(3).sendBreak("g", new CommAbortedException("nobody hears this", null));
    line(0).sendBreak("g", new CommAbortedException("end", null));
    assertThat(heard.get(1).next().text()).isEqualTo("end");
    assertThat(heard.get(1).quiet()).isTrue();
    assertThat(heard.get(2).next().text()).isEqualTo("end");
    assertThat(heard.get(3).quiet()).isTrue();
  }

  @Test
  void whoUnsubscribesHearsNothing() throws Exception {
    Heard gone = new Heard();
    Heard there = new Heard();
    line(1).subscribe("gone", gone);
    line(1).subscribe("there", there);
    assertThatThrownBy(() -> line(1).subscribe("gone", there))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("\"gone\"");
    line(1).unsubscribe("gone");
    line(0).sendBreak("gone", new CommAbortedException("x", null));
    line(0).sendBreak("there", new CommAbortedException("y", null));
    assertThat(there.next().text()).isEqualTo("y");
    assertThat(gone.quiet()).isTrue();
  }

  @Test
  void aListenerThatWaitsOrFailsHoldsUpNobodyElse() throws Exception {
    try (LogCapture log = new LogCapture(Announcements.class)) {
      aListenerWaitsAndFails();
      assertThat(log.lines()).containsExactly("A group's control listener failed");
    }
  }

  private void aListenerWaitsAndFails() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch entered = new CountDownLatch(1);
    line(1)
        .subscribe(
            "g",
            new Control.Listener() {
              @Override
              public void broken(int worldRank, CommException cause) {
                entered.countDown();
                try {
                  release.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
                throw new IllegalStateException("a listener's own fault, expected in this test");
              }

              @Override
              public void died(int worldRank, String reason) {}
            });
    Heard other = new Heard();
    line(2).subscribe("g", other);
    Heard later = new Heard();
    line(1).subscribe("later", later);
    long start = System.nanoTime();
    line(0).sendBreak("g", new CommAbortedException("x", null));
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
    entered.await();
    assertThat(other.next().text()).isEqualTo("x");
    release.countDown();
    line(0).sendBreak("later", new CommAbortedException("z", null));
    assertThat(later.next().text()).isEqualTo("z");
  }

  final Control line(int rank) {
    return lines.get(rank);
  }

  private List<Heard> subscribeAll(String group) {
    return lines.stream()
        .map(
            line -> {
              Heard heard = new Heard();
              line.subscribe(group, heard);
              return heard;
            })
        .toList();
  }
}
