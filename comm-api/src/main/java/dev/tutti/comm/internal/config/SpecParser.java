package dev.tutti.comm.internal.config;

import dev.tutti.comm.CommConfig;
import dev.tutti.comm.ConfigException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the grammar of a config string, and nothing of what its words mean:
 *
 * <pre>
 * spec    = entry *( "," entry )
 * entry   = [ device ":" ] backend [ "?" key "=" value *( "&amp;" key "=" value ) ]
 * </pre>
 *
 * <p>Blanks around an entry are dropped. Values come out escaped as canonical strings escape them.
 */
public final class SpecParser {
  private static final List<String> DEVICES = List.of("cpu", "cuda");
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]*");
  private static final String NAME_RULE =
      "a lower-case letter, then lower-case letters, digits, \"-\" and \"_\"";

  private final Origin origin;

  /**
   * Creates a parser for one string.
   *
   * @param origin the string and where it was found
   */
  public SpecParser(Origin origin) {
    this.origin = origin;
  }

  /** Returns whether a word can be a backend's name or a key. */
  static boolean isName(String word) {
    return NAME.matcher(word).matches();
  }

  /**
   * Returns the entries in the order in which they were written.
   *
   * @throws ConfigException if the string does not follow the grammar, or two entries serve the
   *     same device
   */
  public List<CommConfig.Entry> entries() {
    if (origin.text().isBlank()) {
      throw origin.error("it is empty; write a backend's name, for example auto");
    }
    String[] parts = origin.text().split(",", -1);
    List<CommConfig.Entry> entries = new ArrayList<>(parts.length);
    Map<@Nullable String, String> served = new HashMap<>();
    for (String part : parts) {
      String text = part.strip();
      if (text.isEmpty()) {
        throw origin.error(
            "entry " + (entries.size() + 1) + " of " + parts.length + " is empty; remove a comma");
      }
      CommConfig.Entry entry = entry(text);
      String other = served.put(entry.device(), text);
      if (other != null) {
        throw origin.error(servedTwice(entry.device(), other, text));
      }
      entries.add(entry);
    }
    return entries;
  }

  private static String servedTwice(@Nullable String device, String one, String two) {
    String both = "entries " + Quoted.quote(one) + " and " + Quoted.quote(two) + " both serve ";
    return device == null
        ? both + "every device; keep one, or name their devices, for example cpu:tcp,cuda:nccl"
        : both + device + "; keep one";
  }

  private CommConfig.Entry entry(String text) {
    int question = text.indexOf('?');
    String head = question < 0 ? text : text.substring(0, question);
    int colon = head.indexOf(':');
    String device = colon < 0 ? null : device(text, head.substring(0, colon));
    String backend = backend(text, device, head.substring(colon + 1));
    Map<String, String> options =
        question < 0 ? Map.of() : options(text, backend, text.substring(question + 1));
    return new CommConfig.Entry(device, backend, options);
  }

  private String device(String entry, String device) {
    if (DEVICES.contains(device)) {
      return device;
    }
    String hint =
        device.equalsIgnoreCase("gpu")
            ? "Did you mean \"cuda\"? Known: " + String.join(", ", DEVICES)
            : Nearest.hint(device, DEVICES);
    throw inEntry(entry, "unknown device " + Quoted.quote(device) + ". " + hint);
  }

  private String backend(String entry, @Nullable String device, String backend) {
    if (isName(backend)) {
      return backend;
    }
    if (backend.isEmpty()) {
      String before = device == null ? "" : device + ":";
      throw inEntry(entry, "the backend's name is missing; write for example " + before + "tcp");
    }
    if (backend.indexOf('=') >= 0) {
      throw inEntry(
          entry,
          "an option stands where a backend's name should; options follow \"?\" and are joined by"
              + " \"&\", for example tcp?channels=2&timeout=30s");
    }
    if (backend.indexOf(':') >= 0) {
      throw inEntry(
          entry,
          "more than one \":\"; write [device:]backend, for example cuda:nccl, without a number");
    }
    throw inEntry(entry, notAName(backend, "a backend's name"));
  }

  private static String notAName(String word, String what) {
    String lower = word.toLowerCase(Locale.ROOT);
    String hint = isName(lower) ? "write " + lower : what + " is " + NAME_RULE;
    return Quoted.quote(word) + " is not " + what + "; " + hint;
  }

  private Map<String, String> options(String entry, String backend, String text) {
    if (text.isEmpty()) {
      throw inEntry(entry, "no option follows \"?\"; remove it");
    }
    Map<String, String> options = new LinkedHashMap<>();
    for (String option : text.split("&", -1)) {
      int equals = option.indexOf('=');
      String key = equals < 0 ? option : option.substring(0, equals);
      if (option.isEmpty()) {
        throw inEntry(entry, "an option is empty; remove a \"&\"");
      }
      if (!isName(key)) {
        throw inEntry(entry, notAName(key, "a key"));
      }
      if (equals < 0) {
        throw inEntry(entry, "key " + Quoted.quote(key) + " has no value; write " + key + "=VALUE");
      }
      if (options.put(key, value(entry, backend, key, option.substring(equals + 1))) != null) {
        throw inEntry(entry, "key " + Quoted.quote(key) + " is given twice; keep one");
      }
    }
    return options;
  }

  private String value(String entry, String backend, String key, String raw) {
    if (raw.isEmpty()) {
      throw inEntry(
          entry,
          "key " + Quoted.quote(key) + " has an empty value; give one, or leave the key out");
    }
    if (raw.indexOf('?') >= 0) {
      throw inEntry(
          entry,
          "key "
              + Quoted.quote(key)
              + ": \"?\" in a value; join options by \"&\", or write the character as %3F");
    }
    if (raw.chars().anyMatch(c -> Character.isWhitespace(c) || Character.isSpaceChar(c))) {
      throw inEntry(
          entry, "key " + Quoted.quote(key) + ": a blank in a value; write a space as %20");
    }
    try {
      return Escapes.encodeList(Escapes.decodeList(raw));
    } catch (ConfigException e) {
      throw origin.error("key " + Quoted.quote(key) + " of " + backend, e, "");
    }
  }

  private ConfigException inEntry(String entry, String what) {
    // A string of one entry need not be said twice.
    String where = entry.equals(origin.text()) ? "" : "entry " + Quoted.quote(entry) + ": ";
    return origin.error(where + what);
  }
}
