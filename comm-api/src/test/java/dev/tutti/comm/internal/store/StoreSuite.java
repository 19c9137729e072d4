package dev.tutti.comm.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.Store;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every store does. A subclass opens the stores of a job's ranks. */
@Timeout(20)
abstract class StoreSuite {
  private static final int SIZE = 3;
  private static final Duration LONG = Duration.ofSeconds(10);

  private List<Store> stores = List.of();

  /** Opens one store for each rank. */
  abstract List<Store> open(int size) throws Exception;

  /** Returns how many calls of all ranks the store knows to wait. */
  abstract int waiting() throws Exception;

  /** Returns a timeout that is waited for once, whole seconds. */
  Duration someTime() {
    return Duration.ofSeconds(1);
  }

  @BeforeEach
  void openStores() throws Exception {
    stores = open(SIZE);
  }

  @AfterEach
  void closeStores() {
    stores.forEach(Store::close);
  }

  @Test
  void whatOneRankSetsAnotherGets() {
    store(0).set("address", bytes("10.0.0.1:4711"));
    assertThat(store(1).get("address", LONG)).isEqualTo(bytes("10.0.0.1:4711"));
    store(2).set("address", bytes("other"));
    assertThat(store(0).get("address", Duration.ZERO)).isEqualTo(bytes("other"));
  }

  @Test
  void getWaitsForALaterSet() throws Exception {
    CompletableFuture<byte[]> value = async(() -> store(1).get("late", LONG));
    assertThat(value).isNotDone();
    store(0).set("late", bytes("x"));
    assertThat(value.get(5, TimeUnit.SECONDS)).isEqualTo(bytes("x"));
  }

  @Test
  void addAndCompareAndSetWakeWhoWaits() throws Exception {
    CompletableFuture<byte[]> counter = async(() -> store(1).get("counter", LONG));
    CompletableFuture<byte[]> swapped = async(() -> store(2).get("swapped", LONG));
    store(0).add("counter", 5);
    assertThat(store(0).compareAndSet("swapped", null, bytes("new"))).isTrue();
    assertThat(counter.get(5, TimeUnit.SECONDS)).isEqualTo(bytes("5"));
    assertThat(swapped.get(5, TimeUnit.SECONDS)).isEqualTo(bytes("new"));
  }

  @Test
  void severalThreadsWaitOnOneStore() throws Exception {
    List<CompletableFuture<byte[]>> values = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      String key = "key" + i;
      values.add(async(() -> store(1).get(key, LONG)));
    }
    for (int i = 7; i >= 0; i--) {
      store(0).set("key" + i, bytes("v" + i));
    }
    for (int i = 0; i < 8; i++) {
      assertThat(values.get(i).get(5, TimeUnit.SECONDS)).isEqualTo(bytes("v" + i));
    }
  }

  @Test
  void aTimeoutIsAsLongAsItSaysAndNamesTheKey() {
    long start = System.nanoTime();
    assertThatThrownBy(() -> store(0).get("nobody/sets it", someTime()))
        .isInstanceOf(CommTimeoutException.class)
        .hasMessageContaining("\"nobody/sets it\"")
        .hasMessageContaining(someTime().toSeconds() + ".00 s")
        .hasMessageContaining("no rank has set that key");
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(someTime().minusMillis(10), someTime().plusMillis(500));
  }

  @Test
  void aZeroTimeoutLooksOnce() {
    assertThatThrownBy(() -> store(0).get("absent", Duration.ZERO))
        .isInstanceOf(CommTimeoutException.class);
    store(0).set("present", bytes("1"));
    assertThat(store(0).get("present", Duration.ZERO)).isEqualTo(bytes("1"));
  }

  @Test
  void countersOfManyRanksLoseNothing() throws Exception {
    RankThreads.run(
        SIZE,
        LONG,
        rank -> {
          for (int i = 0; i < 20; i++) {
            store(rank).add("sum", rank + 1);
          }
          return 0;
        });
    assertThat(store(0).add("sum", 0)).isEqualTo(20 * (1 + 2 + 3));
    assertThat(store(0).add("below", -7)).isEqualTo(-7);
    assertThat(store(0).get("sum", Duration.ZERO)).isEqualTo(bytes("120"));
  }

  @Test
  void addToWhatIsNoCounterIsTheCallersError() {
    store(0).set("text", bytes("hello"));
    assertThatThrownBy(() -> store(1).add("text", 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("\"text\"")
        .hasMessageContaining("hello");
    store(0).set("most", bytes(String.valueOf(Long.MAX_VALUE)));
    assertThatThrownBy(() -> store(1).add("most", 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("overflows");
    assertThat(store(1).add("fine", 1)).isEqualTo(1);
  }

  @Test
  void compareAndSetReplacesOnlyWhatIsExpected() {
    assertThat(store(0).compareAndSet("k", bytes("x"), bytes("y"))).isFalse();
    assertThat(store(0).compareAndSet("k", null, bytes("a"))).isTrue();
    assertThat(store(1).compareAndSet("k", null, bytes("b"))).isFalse();
    assertThat(store(1).compareAndSet("k", bytes("a"), bytes("b"))).isTrue();
    assertThat(store(2).get("k", Duration.ZERO)).isEqualTo(bytes("b"));
  }

  @Test
  void onlyOneRankWinsACompareAndSet() throws Exception {
    List<Boolean> won =
        RankThreads.run(
            SIZE, LONG, rank -> store(rank).compareAndSet("leader", null, bytes("" + rank)));
    assertThat(won).containsOnlyOnce(true);
  }

  @Test
  void deleteRemoves() {
    store(0).set("k", bytes("v"));
    assertThat(store(1).delete("k")).isTrue();
    assertThat(store(1).delete("k")).isFalse();
    assertThatThrownBy(() -> store(0).get("k", Duration.ZERO))
        .isInstanceOf(CommTimeoutException.class);
  }

  @Test
  void exchangeGivesAllValuesInRankOrderAgainAndAgain() throws Exception {
    RankThreads.run(
        SIZE,
        LONG,
        rank -> {
          for (int round = 0; round < 10; round++) {
            String tag = "round" + round;
            List<byte[]> all =
                store(rank).exchange("same key", rank, SIZE, bytes(tag + "/" + rank), LONG);
            assertThat(all)
                .containsExactly(bytes(tag + "/0"), bytes(tag + "/1"), bytes(tag + "/2"));
          }
          return 0;
        });
  }

  @Test
  void exchangeTimesOutWithTheMissingRanksAndCanBeTriedAgain() throws Exception {
    long start = System.nanoTime();
    assertThatThrownBy(() -> store(1).exchange("init", 1, SIZE, bytes("b"), Duration.ofMillis(500)))
        .isInstanceOf(CommTimeoutException.class)
        .hasMessageContaining("\"init\"")
        .hasMessageContaining("rank 1 of 3")
        .hasMessageContaining("ranks 0, 2 have not arrived");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(900));
    List<List<byte[]>> all =
        RankThreads.run(
            SIZE, LONG, rank -> store(rank).exchange("init", rank, SIZE, bytes("" + rank), LONG));
    assertThat(all.get(1)).containsExactly(bytes("0"), bytes("1"), bytes("2"));
  }

  @Test
  void exchangeOfOneAndOfASubset() throws Exception {
    assertThat(store(2).exchange("self", 0, 1, bytes("x"), LONG)).containsExactly(bytes("x"));
    List<List<byte[]>> pair =
        RankThreads.run(
            2, LONG, rank -> store(rank + 1).exchange("pair", rank, 2, bytes("" + rank), LONG));
    assertThat(pair.get(0)).containsExactly(bytes("0"), bytes("1"));
  }

  @Test
  void theSameRankTwiceOrAnotherSizeIsAnErrorOfTheOneWhoDoesIt() throws Exception {
    CompletableFuture<List<byte[]>> first =
        async(() -> store(0).exchange("k", 0, 2, bytes("a"), LONG));
    awaitWaiting(1);
    assertThatThrownBy(() -> store(1).exchange("k", 0, 2, bytes("b"), LONG))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Rank 0 takes part twice");
    assertThatThrownBy(() -> store(1).exchange("k", 1, 3, bytes("b"), LONG))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("with size 3")
        .hasMessageContaining("wait for 2");
    assertThat(store(1).exchange("k", 1, 2, bytes("b"), LONG))
        .containsExactly(bytes("a"), bytes("b"));
    assertThat(first.get(5, TimeUnit.SECONDS)).containsExactly(bytes("a"), bytes("b"));
  }

  private void awaitWaiting(int calls) throws Exception {
    while (waiting() < calls) {
      Thread.sleep(1);
    }
  }

  @Test
  void scopesKeepKeysApart() throws Exception {
    Store left = store(0).scoped("left");
    Store inner = left.scoped("inner");
    left.set("k", bytes("l"));
    inner.set("k", bytes("i"));
    store(0).set("k", bytes("whole"));
    assertThat(store(1).get("left/k", Duration.ZERO)).isEqualTo(bytes("l"));
    assertThat(store(1).get("left/inner/k", Duration.ZERO)).isEqualTo(bytes("i"));
    assertThat(store(1).scoped("left").get("k", Duration.ZERO)).isEqualTo(bytes("l"));
    assertThat(left.add("n", 2)).isEqualTo(2);
    assertThat(left.compareAndSet("n", bytes("2"), bytes("3"))).isTrue();
    assertThat(left.delete("n")).isTrue();
    List<List<byte[]>> all =
        RankThreads.run(
            SIZE,
            LONG,
            rank -> store(rank).scoped("g").exchange("x", rank, SIZE, bytes("" + rank), LONG));
    assertThat(all.get(0)).containsExactly(bytes("0"), bytes("1"), bytes("2"));
    left.close();
    assertThat(store(0).get("k", Duration.ZERO)).isEqualTo(bytes("whole"));
  }

  @Test
  void valuesAreCopies() {
    byte[] mine = bytes("abc");
    store(0).set("k", mine);
    mine[0] = 'X';
    byte[] got = store(0).get("k", Duration.ZERO);
    assertThat(got).isEqualTo(bytes("abc"));
    got[0] = 'Y';
    assertThat(store(0).get("k", Duration.ZERO)).isEqualTo(bytes("abc"));
  }

  @Test
  void anyKeyAndAnyBytes() {
    byte[] value = new byte[100_000];
    for (int i = 0; i < value.length; i++) {
      value[i] = (byte) i;
    }
    List<String> keys =
        List.of("..", "/", "a/b", "ä€😀", "A B\n%", "x".repeat(1000), "x".repeat(1001), "~", "%7e");
    for (int i = 0; i < keys.size(); i++) {
      store(0).set(keys.get(i), bytes("value" + i));
    }
    for (int i = 0; i < keys.size(); i++) {
      assertThat(store(1).get(keys.get(i), Duration.ZERO)).isEqualTo(bytes("value" + i));
    }
    store(0).set("big", value);
    assertThat(store(1).get("big", LONG)).isEqualTo(value);
    store(0).set("empty", new byte[0]);
    assertThat(store(1).get("empty", LONG)).isEmpty();
  }

  @Test
  void limitsAreTheCallersError() {
    assertThatThrownBy(() -> store(0).set("", bytes("v")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store(0).set("k".repeat(5000), bytes("v")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("4096");
    assertThatThrownBy(() -> store(0).set("k", new byte[(16 << 20) + 1]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("16777216");
    assertThatThrownBy(() -> store(0).exchange("k", 3, 3, bytes("v"), LONG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[0, 3)");
    assertThatThrownBy(() -> store(0).scoped("")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void closeFailsTheWaitsOfThatRankOnly() throws Exception {
    CompletableFuture<byte[]> mine = async(() -> store(0).get("never", LONG));
    CompletableFuture<byte[]> other = async(() -> store(1).get("later", LONG));
    CompletableFuture<List<byte[]>> exchange =
        async(() -> store(0).exchange("x", 0, 2, bytes("v"), LONG));
    awaitWaiting(1);
    store(0).close();
    store(0).close();
    for (CompletableFuture<?> wait : List.of(mine, exchange)) {
      assertThat(wait)
          .failsWithin(Duration.ofSeconds(5))
          .withThrowableThat()
          .havingCause()
          .isInstanceOf(CommAbortedException.class)
          .withMessageContaining("closed its store");
    }
    assertThatThrownBy(() -> store(0).set("k", bytes("v")))
        .isInstanceOf(CommAbortedException.class)
        .hasMessageContaining("\"k\"");
    store(1).set("later", bytes("still there"));
    assertThat(other.get(5, TimeUnit.SECONDS)).isEqualTo(bytes("still there"));
  }

  @Test
  void anInterruptEndsTheWaitAndLeavesTheStoreUsable() throws Exception {
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Thread waiter =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    store(0).exchange("i", 0, 2, bytes("v"), LONG);
                  } catch (RuntimeException e) {
                    failure.complete(e);
                  }
                  interrupted.complete(Thread.currentThread().isInterrupted());
                });
    awaitWaiting(1);
    waiter.interrupt();
    assertThat(failure.get(5, TimeUnit.SECONDS)).isInstanceOf(CommAbortedException.class);
    assertThat(interrupted.get(5, TimeUnit.SECONDS)).isTrue();
    waiter.join();
    List<List<byte[]>> all =
        RankThreads.run(
            2, LONG, rank -> store(rank).exchange("i", rank, 2, bytes("" + rank), LONG));
    assertThat(all.get(1)).containsExactly(bytes("0"), bytes("1"));
  }

  final Store store(int rank) {
    return stores.get(rank);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static <T> List<T> ranks(int size, IntFunction<T> of) {
    return IntStream.range(0, size).mapToObj(of).toList();
  }

  private interface Call<T> {
    T run() throws Exception;
  }

  private static <T> CompletableFuture<T> async(Call<T> call) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                result.complete(call.run());
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            });
    return result;
  }
}
