package dev.tutti.comm.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(30)
class NearestTest {
  private static final List<String> WORDS =
      List.of("timeout", "order", "debug", "scratch", "tcp", "mpi", "nccl", "channels", "buffer");

  @ParameterizedTest
  @CsvSource({
    "tpc, tcp",
    "tcpp, tcp",
    "TCP, tcp",
    "tc, tcp",
    "nvcl, nccl",
    "timout, timeout",
    "tiemout, timeout",
    "time-out, timeout",
    "chanels, channels",
    "chan, channels",
    "buff, buffer",
    "bufsize, ",
    "xyzzy, ",
    "t, ",
    "gloo, ",
    "'', ",
  })
  void findsWhatWasMeant(String word, String meant) {
    assertThat(Nearest.to(word, WORDS)).isEqualTo(meant);
  }

  @ParameterizedTest
  @CsvSource({
    "'', '', 0",
    "'', abc, 3",
    "abc, '', 3",
    "abc, abc, 0",
    "abc, acb, 1",
    "abc, bca, 2",
    "abc, axc, 1",
    "abc, abxc, 1",
    "kitten, sitting, 3",
    "ca, abc, 3",
  })
  void countsEdits(String a, String b, int edits) {
    assertThat(Nearest.distance(a, b)).isEqualTo(edits);
    assertThat(Nearest.distance(b, a)).isEqualTo(edits);
  }

  @Test
  void takesTheAlphabeticallyFirstOfEquallyNearWords() {
    assertThat(Nearest.to("cat", List.of("rat", "bat", "hat"))).isEqualTo("bat");
  }

  @Test
  void doesNotCompareWhatNobodyTyped() {
    String huge = "a".repeat(1_000_000);

    assertThat(Nearest.to(huge, List.of(huge))).isNull();
  }

  @Test
  void listsAllKnownWords() {
    assertThat(Nearest.hint("tpc", List.of("tcp", "auto")))
        .isEqualTo("Did you mean \"tcp\"? Known: auto, tcp");
    assertThat(Nearest.hint("xyzzy", List.of("tcp", "auto"))).isEqualTo("Known: auto, tcp");
    assertThat(Nearest.hint("xyzzy", List.of())).isEqualTo("Known: none");
  }
}
