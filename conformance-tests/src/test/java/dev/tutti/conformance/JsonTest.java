package dev.tutti.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
  @Test
  void writesWhatItIsGiven() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("text", "a \"quoted\" \\ line\nand \t one");
    object.put("number", 5L);
    object.put("truth", true);
    object.put("list", List.of(1, "two", List.of(), Map.of()));
    assertThat(Json.text(object))
        .isEqualTo(
            "{\"text\":\"a \\\"quoted\\\" \\\\ line\\nand \\u0009 one\",\"number\":5,\"truth\":true,"
                + "\"list\":[1,\"two\",[],{}]}");
  }
}
