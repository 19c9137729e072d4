package dev.tutti.comm.internal.config;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.spi.BackendProvider;
import java.util.List;

/**
 * What the values of a key look like: how one is checked, how one is written, and how that is
 * explained.
 */
public final class KeySyntax {
  private KeySyntax() {}

  /**
   * Returns an escaped value in the one way in which canonical strings write it: equal values give
   * equal strings.
   *
   * @param key the key whose value it is
   * @param raw the value as it stands in a config string
   * @throws ConfigException if it is no value of this key; the message names the value and not the
   *     key
   */
  public static String normalise(BackendProvider.Key key, String raw) {
    return switch (key.type()) {
      case STRING -> Escapes.encode(Escapes.decode(raw));
      case LIST -> Escapes.encodeList(list(raw));
      case BOOLEAN -> flag(raw) ? "on" : "off";
      case INTEGER -> Integer.toString(integer(raw));
      case BYTES -> Units.formatBytes(bytes(raw));
      case DURATION -> Units.formatDuration(Units.parseDuration(Escapes.decode(raw)));
      case CHOICE -> choice(key, raw);
    };
  }

  /** Returns the text of an escaped value. */
  public static String text(String raw) {
    return Escapes.decode(raw);
  }

  /**
   * Returns the items of an escaped list, at least one.
   *
   * @throws ConfigException if an item is empty
   */
  public static List<String> list(String raw) {
    List<String> items = Escapes.decodeList(raw);
    if (items.contains("")) {
      throw new ConfigException(Quoted.quote(raw) + " has an empty item; remove a \"+\"");
    }
    return items;
  }

  /**
   * Returns whether the value is {@code on}.
   *
   * @throws ConfigException if it is neither {@code on} nor {@code off}
   */
  public static boolean flag(String raw) {
    String text = Escapes.decode(raw);
    return switch (text) {
      case "on" -> true;
      case "off" -> false;
      case "true", "yes", "1" -> throw new ConfigException(Quoted.quote(text) + " is written on");
      case "false", "no", "0" -> throw new ConfigException(Quoted.quote(text) + " is written off");
      default -> throw new ConfigException(Quoted.quote(text) + " is neither on nor off");
    };
  }

  /**
   * Returns a whole number.
   *
   * @throws ConfigException if it is none, or does not fit 32 bits
   */
  public static int integer(String raw) {
    String text = Escapes.decode(raw);
    if (!text.matches("-?[0-9]+")) {
      throw new ConfigException(Quoted.quote(text) + " is not a whole number");
    }
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new ConfigException(
          Quoted.quote(text)
              + " is out of range; it must be "
              + Integer.MIN_VALUE
              + " to "
              + Integer.MAX_VALUE,
          e);
    }
  }

  /**
   * Returns a size in bytes.
   *
   * @throws ConfigException if it is none
   */
  public static long bytes(String raw) {
    return Units.parseBytes(Escapes.decode(raw));
  }

  private static String choice(BackendProvider.Key key, String raw) {
    String text = Escapes.decode(raw);
    if (!key.choices().contains(text)) {
      String nearest = Nearest.to(text, key.choices());
      String meant = nearest == null ? "" : "; " + Quoted.quote(nearest) + " is";
      throw new ConfigException(Quoted.quote(text) + " is not one of its words" + meant);
    }
    return Escapes.encode(text);
  }

  /** Returns what a value of this key is, in a few words, such as {@code size}. */
  public static String kind(BackendProvider.Key key) {
    return switch (key.type()) {
      case STRING -> "text";
      case LIST -> "list";
      case BOOLEAN -> "on or off";
      case INTEGER -> "whole number";
      case BYTES -> "size";
      case DURATION -> "duration";
      case CHOICE -> String.join(" or ", key.choices());
    };
  }

  /** Returns what stands for a value of this key in a help text, such as {@code SIZE}. */
  public static String placeholder(BackendProvider.Key key) {
    return switch (key.type()) {
      case STRING -> "TEXT";
      case LIST -> "A+B";
      case BOOLEAN -> "on|off";
      case INTEGER -> "N";
      case BYTES -> "SIZE";
      case DURATION -> "TIME";
      case CHOICE -> String.join("|", key.choices());
    };
  }

  /**
   * Returns how to write the key with a value, such as {@code buffer=4MiB}: with its default if it
   * has one.
   */
  public static String example(BackendProvider.Key key) {
    String value = key.defaultValue();
    if (value == null) {
      value =
          switch (key.type()) {
            case STRING -> "name";
            case LIST -> "one+two";
            case BOOLEAN -> "on";
            case INTEGER -> "2";
            case BYTES -> "4MiB";
            case DURATION -> "30s";
            case CHOICE -> key.choices().getFirst();
          };
    }
    return key.name() + "=" + value;
  }

  /** Returns the sentence that ends a message about a wrong value of this key. */
  public static String advice(BackendProvider.Key key) {
    String article =
        switch (key.type()) {
          case STRING, BOOLEAN, CHOICE -> "";
          case LIST, INTEGER, BYTES, DURATION -> "a ";
        };
    return ". Expected " + article + kind(key) + ", for example " + example(key);
  }
}
