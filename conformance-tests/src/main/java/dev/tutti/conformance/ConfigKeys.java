package dev.tutti.conformance;

import java.util.ArrayList;
import java.util.List;

/** Config strings with other group keys. */
final class ConfigKeys {
  private ConfigKeys() {}

  /** Returns the config with a group key set, in place of what it had. */
  static String with(String config, String key, String value) {
    List<String> entries = new ArrayList<>();
    for (String entry : config.split(",", -1)) {
      int mark = entry.indexOf('?');
      List<String> pairs = new ArrayList<>();
      if (mark >= 0) {
        for (String pair : entry.substring(mark + 1).split("&", -1)) {
          if (!pair.startsWith(key + "=")) {
            pairs.add(pair);
          }
        }
      }
      if (entries.isEmpty()) {
        // A group key may stand in any one entry.
        pairs.add(key + "=" + value);
      }
      String head = mark < 0 ? entry : entry.substring(0, mark);
      entries.add(pairs.isEmpty() ? head : head + "?" + String.join("&", pairs));
    }
    return String.join(",", entries);
  }

  /** Returns the config with a group key set, unless it sets it already. */
  static String withDefault(String config, String key, String value) {
    return config.contains("?" + key + "=") || config.contains("&" + key + "=")
        ? config
        : with(config, key, value);
  }
}
