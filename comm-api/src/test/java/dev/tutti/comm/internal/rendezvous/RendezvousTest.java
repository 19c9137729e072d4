package dev.tutti.comm.internal.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.Deadline;
import dev.tutti.comm.internal.store.RankThreads;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
class RendezvousTest {
  private static final Duration LONG = Duration.ofSeconds(10);
  private static final byte[] VALUE = "v".getBytes(StandardCharsets.UTF_8);

  @TempDir Path temporary;

  @Test
  void withoutAnythingAProcessIsAJobOfItsOwn() {
    try (Membership self = Rendezvous.join(null, Map.of(), Deadline.after(LONG));
        Membership other = Rendezvous.join(null, Map.of(), Deadline.after(LONG))) {
      assertThat(self.rank()).isZero();
      assertThat(self.size()).isEqualTo(1);
      assertThat(self.localRank()).isZero();
      assertThat(self.localSize()).isEqualTo(1);
      assertThat(self.how()).contains("alone").contains("TUTTI_INIT");
      assertThat(self.localAddress()).isNull();
      assertThat(self.host()).isNotBlank();
      assertThat(self.jobId()).isNotEqualTo(other.jobId());
      assertThat(self.store().exchange("k", 0, 1, VALUE, LONG)).containsExactly(VALUE);
      assertThat(self.control().detectsDeath()).isTrue();
    }
  }

  @Test
  void ranksMeetByTorchrunsVariables() throws Exception {
    int port = freePort();
    List<Membership> ranks =
        RankThreads.run(
            3,
            LONG,
            rank ->
                Rendezvous.join(
                    null,
                    Map.of(
                        "RANK",
                        "" + rank,
                        "WORLD_SIZE",
                        "3",
                        "LOCAL_RANK",
                        "" + rank,
                        "LOCAL_WORLD_SIZE",
                        "3",
                        "MASTER_ADDR",
                        "localhost",
                        "MASTER_PORT",
                        "" + port),
                    Deadline.after(LONG)));
    List<List<byte[]>> all =
        RankThreads.run(
            3, LONG, rank -> ranks.get(rank).store().exchange("k", rank, 3, VALUE, LONG));
    assertThat(all).allSatisfy(values -> assertThat(values).hasSize(3));
    assertThat(ranks.get(2).localRank()).isEqualTo(2);
    assertThat(ranks.get(2).how()).contains("RANK=2").contains("store at localhost:" + port);
    assertThat(ranks.get(2).localAddress()).isEqualTo(InetAddress.getLoopbackAddress());
    ranks.forEach(Membership::close);
  }

  @Test
  void rankZerosOwnNameNeedNotLeadToItself() throws Exception {
    int port = freePort();
    // A service's name that is not served yet: rank 0 takes the short way.
    String url = "tcp://no-such-host.invalid:" + port + "?rank=0&size=2";
    try (Membership zero = Rendezvous.join(url, Map.of(), Deadline.after(LONG))) {
      String other = "tcp://127.0.0.1:" + port + "?rank=1&size=2";
      try (Membership one = Rendezvous.join(other, Map.of(), Deadline.after(LONG))) {
        zero.store().set("k", VALUE);
        assertThat(one.store().get("k", LONG)).isEqualTo(VALUE);
      }
    }
  }

  @Test
  void ranksMeetInAFolderWithoutDeaths() throws Exception {
    Path folder = temporary.resolve("a b");
    List<Membership> ranks =
        RankThreads.run(
            2,
            LONG,
            rank ->
                Rendezvous.join(
                    "file://%s/a%%20b?rank=%d&size=2".formatted(temporary, rank),
                    Map.of(),
                    Deadline.after(LONG)));
    assertThat(folder).isDirectory();
    assertThat(ranks.get(0).jobId()).isEqualTo(ranks.get(1).jobId()).startsWith("file.");
    assertThat(ranks.get(0).control().detectsDeath()).isFalse();
    assertThat(ranks.get(0).how()).contains("only timeouts are promised");
    assertThat(ranks.get(0).localAddress()).isNull();
    ranks.forEach(Membership::close);
    assertThat(folder).doesNotExist();
  }

  @Test
  void aJobOfOneRankNeedsNobody() {
    for (String url :
        List.of("tcp://nowhere.invalid:1?rank=0&size=1", "file:///nowhere/at/all?rank=0&size=1")) {
      try (Membership self = Rendezvous.join(url, Map.of(), Deadline.after(LONG))) {
        assertThat(self.size()).isEqualTo(1);
      }
    }
  }

  @Test
  void aRankThatFailsToJoinLeavesNothingBehind() throws Exception {
    int port = freePort();
    String url = "tcp://127.0.0.1:" + port + "?size=2&rank=";
    assertThatThrownBy(() -> Rendezvous.join(url + 7, Map.of(), Deadline.after(LONG)))
        .isInstanceOf(ConfigException.class);
    assertThatThrownBy(
            () -> Rendezvous.join(url + 1, Map.of(), Deadline.after(Duration.ofMillis(200))))
        .isInstanceOf(CommTimeoutException.class);
    // Rank 0 in the wrong job: the port is given back.
    try (Membership zero = Rendezvous.join(url + 0, Map.of(), Deadline.after(LONG))) {
      assertThatThrownBy(() -> Rendezvous.join(url + 0, Map.of(), Deadline.after(LONG)))
          .isInstanceOf(ConfigException.class);
      assertThat(zero.store().add("still works", 1)).isEqualTo(1);
    }
    CompletableFuture<Membership> one =
        CompletableFuture.supplyAsync(
            () -> Rendezvous.join(url + 1, Map.of(), Deadline.after(LONG)));
    try (Membership zero = Rendezvous.join(url + 0, Map.of(), Deadline.after(LONG))) {
      assertThat(one.get(5, TimeUnit.SECONDS).jobId()).isEqualTo(zero.jobId());
      one.get().close();
    }
  }

  @Test
  void afterTheLastCloseNoThreadAndNoPortIsLeft() throws Exception {
    int port = freePort();
    String url = "tcp://127.0.0.1:" + port + "?size=2&rank=";
    List<Membership> ranks =
        RankThreads.run(
            2, LONG, rank -> Rendezvous.join(url + rank, Map.of(), Deadline.after(LONG)));
    assertThat(threads(port)).isNotEmpty();
    ranks.forEach(Membership::close);
    while (!threads(port).isEmpty()) {
      Thread.sleep(5);
    }
    try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      assertThat(free.isBound()).isTrue();
    }
  }

  /** The names of the clients' threads and of the server's timer have the port in them. */
  private static List<String> threads(int port) {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("tutti-") && name.contains(String.valueOf(port)))
        .toList();
  }

  private static int freePort() throws Exception {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }
}
