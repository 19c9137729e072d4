package dev.tutti.comm.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.ConfigException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class EscapesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "eth0 | eth0",
        "a%2Cb | a,b",
        "a%2cb | a,b",
        "50%25 | 50%",
        "%3F%26%20%2B | ?& +",
        "gr%C3%BCn | grün",
        "grün | grün",
        "%F0%9D%84%9E | 𝄞",
        "fe80::1 | fe80::1",
        "^docker+^veth | ^docker+^veth",
      })
  void replacesEscapes(String raw, String text) {
    assertThat(Escapes.decode(raw)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "% | '%' is not an escape; write % and two hexadecimal digits, and % itself as %25",
        "a%4 | '%4' is not an escape; write % and two hexadecimal digits, and % itself as %25",
        "a%4gb | '%4g' is not an escape; write % and two hexadecimal digits, and % itself as %25",
        "100%, | '%,' is not an escape; write % and two hexadecimal digits, and % itself as %25",
        "%FF | '%FF' is not UTF-8 once its %XX escapes are replaced",
        "%C3 | '%C3' is not UTF-8 once its %XX escapes are replaced",
        "%C0%80 | '%C0%80' is not UTF-8 once its %XX escapes are replaced",
        "a%00 | 'a%00' holds a control character",
        "a%0Ab | 'a%0Ab' holds a control character",
        "%C2%85 | '%C2%85' holds a control character",
      })
  void refusesWhatIsNoEscape(String raw, String message) {
    assertThatThrownBy(() -> Escapes.decode(raw))
        .isInstanceOf(ConfigException.class)
        .hasMessage(message.replace('\'', '"'));
  }

  @Test
  void tellsAPlusInAnItemFromThePlusBetweenItems() {
    assertThat(Escapes.decodeList("a%2Bb+c")).containsExactly("a+b", "c");
    assertThat(Escapes.encodeList(List.of("a+b", "c"))).isEqualTo("a%2Bb+c");
    assertThat(Escapes.encode("a+b")).isEqualTo("a+b");
  }

  @Test
  void escapesNoMoreThanItMust() {
    assertThat(Escapes.encode("^eth0/24:[x]=\"'\\;#~|@!$*()<>{}`"))
        .isEqualTo("^eth0/24:[x]=\"'\\;#~|@!$*()<>{}`");
    assertThat(Escapes.encode(", & ? % ü")).isEqualTo("%2C%20%26%20%3F%20%25%20%C3%BC");
  }

  @ParameterizedTest
  @ValueSource(longs = {3, 77})
  void readsWhatItWrote(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 5_000; i++) {
      List<String> items = new ArrayList<>();
      for (int item = 0; item <= random.nextInt(4); item++) {
        items.add(text(random));
      }
      String raw = Escapes.encodeList(items);
      assertThat(Escapes.decodeList(raw)).as("seed %d", seed).isEqualTo(items);
      assertThat(raw).as("seed %d", seed).matches("[!-~&&[^,&?]]*");
      assertThat(Escapes.decode(Escapes.encode(items.getFirst()))).isEqualTo(items.getFirst());
    }
  }

  private static String text(Random random) {
    return random
        .ints(random.nextInt(12), 0, 0x11_0000)
        .map(c -> random.nextBoolean() ? ' ' + c % 0x5f : c)
        .filter(c -> !Character.isISOControl(c) && (c < 0xd800 || c > 0xdfff))
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
