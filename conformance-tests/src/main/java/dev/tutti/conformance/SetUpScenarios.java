package dev.tutti.conformance;

import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.ProcessGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;

/**
 * Groups that cannot be made: rank 0 tries to make another one, and is told why it cannot. The
 * other ranks have nothing to do.
 */
final class SetUpScenarios {
  private static final Duration TRIED_FOR = Duration.ofSeconds(1);
  private static final Duration TOLD_WITHIN = Duration.ofSeconds(6);

  private SetUpScenarios() {}

  /** Something else listens where the ranks are to meet. */
  @Rule("F13")
  @Needs(ranks = 2)
  static void aPortThatIsTakenIsNamed(Stage stage) throws Exception {
    if (stage.rank() == 0) {
      try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        int port = other.getLocalPort();
        String text =
            refused(
                stage, ConfigException.class, "tcp://127.0.0.1:%d?rank=0&size=2".formatted(port));
        checkNames(text, String.valueOf(port), "port");
      }
    }
  }

  /** A name that no name server knows. */
  @Rule("F13")
  @Needs(ranks = 2)
  static void anUnknownHostIsNamed(Stage stage) throws Exception {
    if (stage.rank() == 0) {
      String text =
          refused(
              stage, CommTimeoutException.class, "tcp://no-such-host.invalid:29511?rank=1&size=2");
      checkNames(text, "no-such-host.invalid", "29511", "within 1");
    }
  }

  /** Nobody listens where rank 0 should be. */
  @Rule("F13")
  @Needs(ranks = 2)
  static void anAbsentFirstRankIsNamed(Stage stage) throws Exception {
    if (stage.rank() == 0) {
      int port = freePort();
      String text =
          refused(
              stage,
              CommTimeoutException.class,
              "tcp://127.0.0.1:%d?rank=1&size=2".formatted(port));
      checkNames(text, "127.0.0.1:" + port, "within 1");
    }
  }

  /** The first rank is there, and another one does not come. */
  @Rule("F13")
  @Needs(ranks = 2)
  static void anAbsentRankIsNamed(Stage stage) throws Exception {
    if (stage.rank() == 0) {
      int port = freePort();
      String text =
          refused(
              stage,
              CommTimeoutException.class,
              "tcp://127.0.0.1:%d?rank=0&size=2".formatted(port));
      checkNames(text, "init", "rank 0/2");
      Stage.await(Duration.ofSeconds(5), "a free port", () -> isFree(port));
    }
  }

  /** Returns what a rank is told that cannot join. */
  private static String refused(
      Stage stage, Class<? extends RuntimeException> type, String rendezvous) throws Exception {
    String backend = stage.group().backend();
    String[] text = new String[1];
    Stage.within(
        TOLD_WITHIN,
        "the end of the attempt",
        () -> {
          ProcessGroup.Builder builder =
              ProcessGroup.builder().config(backend).rendezvous(rendezvous).timeout(TRIED_FOR);
          text[0] = String.valueOf(Stage.thrown(type, () -> builder.build().close()).getMessage());
        });
    return text[0];
  }

  private static void checkNames(String text, String... words) {
    for (String word : List.of(words)) {
      Stage.check(text.contains(word), "\"%s\" is not in: %s", word, text);
    }
  }

  private static boolean isFree(int port) {
    try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }
}
