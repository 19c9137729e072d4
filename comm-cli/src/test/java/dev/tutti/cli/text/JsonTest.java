package dev.tutti.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
  @Test
  void whatIsWrittenIsReadAgain() {
    Map<String, Object> value = new LinkedHashMap<>();
    value.put("text", "a \"b\" \\ \n\t\r \u0001 ä € 😀");
    value.put("numbers", List.of(1.0, -2.5e-9, 1e300));
    value.put("nothing", Arrays.asList(null, true, false));
    value.put("empty", List.of(Map.of(), List.of()));
    assertThat(JsonReader.read(Json.write(value))).isEqualTo(value);
  }

  @Test
  void whatJsonDoesNotHaveBecomesNullOrAnEscape() {
    assertThat(JsonReader.read(Json.write(List.of(Double.NaN, Double.POSITIVE_INFINITY))))
        .isEqualTo(Arrays.asList(null, null));
    assertThat(Json.write("\ud800x")).isEqualTo("\"\\ud800x\"\n");
    assertThat(Json.write(List.of(7L, 8))).isEqualTo("[\n  7,\n  8\n]\n");
  }
}
