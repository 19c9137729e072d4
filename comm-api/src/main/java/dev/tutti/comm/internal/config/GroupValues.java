package dev.tutti.comm.internal.config;

import dev.tutti.comm.CommConfig;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.spi.BackendProvider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A config string taken apart: the entries with their backends' own options, and the values of the
 * group's keys, at whichever entry they stood.
 *
 * @param entries first the one without a device, then by the device's name
 * @param group the values of the group's keys
 */
public record GroupValues(List<CommConfig.Entry> entries, KeyValues group) {
  private static final String OWNER = "the group";

  /**
   * Reads a config string.
   *
   * @throws ConfigException if it does not follow the grammar, or a key of the group has a wrong
   *     value or two values that differ
   */
  public static GroupValues read(Origin origin) {
    List<CommConfig.Entry> entries = new ArrayList<>();
    Map<String, String> group = new TreeMap<>();
    for (CommConfig.Entry entry : new SpecParser(origin).entries()) {
      Map<String, String> own = new TreeMap<>(entry.options());
      for (BackendProvider.Key key : GroupKeys.ALL) {
        String raw = own.remove(key.name());
        String before = raw == null ? null : group.putIfAbsent(key.name(), raw);
        if (raw != null
            && before != null
            && !canonical(origin, key, raw).equals(canonical(origin, key, before))) {
          throw origin.error(
              "key "
                  + Quoted.quote(key.name())
                  + " belongs to the whole group and is given twice with two values, "
                  + before
                  + " and "
                  + raw
                  + "; keep one");
        }
      }
      entries.add(new CommConfig.Entry(entry.device(), entry.backend(), own));
    }
    entries.sort(
        Comparator.comparing(
            CommConfig.Entry::device, Comparator.nullsFirst(Comparator.naturalOrder())));
    return new GroupValues(entries, new KeyValues(origin, OWNER, group, GroupKeys.ALL));
  }

  /** Two entries may say the same in different units. */
  private static Map<String, String> canonical(Origin origin, BackendProvider.Key key, String raw) {
    return new KeyValues(origin, OWNER, Map.of(key.name(), raw), List.of(key)).canonical();
  }
}
