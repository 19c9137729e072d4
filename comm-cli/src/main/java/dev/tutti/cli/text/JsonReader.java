package dev.tutti.cli.text;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A strict reader of JSON (RFC 8259); it knows nothing of {@link Json}, which writes it. */
public final class JsonReader {
  private final String text;
  private int at;

  private JsonReader(String text) {
    this.text = text;
  }

  /**
   * Returns maps, lists, strings, doubles, booleans and null.
   *
   * @throws IllegalArgumentException if the text is no JSON; the message says where
   */
  public static @Nullable Object read(String text) {
    JsonReader reader = new JsonReader(text);
    Object value = reader.value();
    reader.blanks();
    reader.check(reader.at == text.length(), "nothing more");
    return value;
  }

  private @Nullable Object value() {
    blanks();
    return switch (peek()) {
      case '{' -> map();
      case '[' -> list();
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Map<String, @Nullable Object> map() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    expect('{');
    blanks();
    while (peek() != '}') {
      if (!map.isEmpty()) {
        expect(',');
        blanks();
      }
      String key = string();
      blanks();
      expect(':');
      check(!map.containsKey(key), "another key than " + key);
      map.put(key, value());
      blanks();
    }
    expect('}');
    return map;
  }

  private List<@Nullable Object> list() {
    List<@Nullable Object> list = new ArrayList<>();
    expect('[');
    blanks();
    while (peek() != ']') {
      if (!list.isEmpty()) {
        expect(',');
      }
      list.add(value());
      blanks();
    }
    expect(']');
    return list;
  }

  private String string() {
    StringBuilder value = new StringBuilder();
    expect('"');
    while (peek() != '"') {
      char c = text.charAt(at++);
      check(c >= ' ', "no control character");
      if (c == '\\') {
        char escape = peek();
        at++;
        int known = "\"\\/bfnrt".indexOf(escape);
        if (escape == 'u') {
          check(at + 4 <= text.length(), "four digits");
          value.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
          at += 4;
        } else {
          check(known >= 0, "an escape");
          value.append("\"\\/\b\f\n\r\t".charAt(known));
        }
      } else {
        value.append(c);
      }
    }
    expect('"');
    return value.toString();
  }

  private @Nullable Object word(String word, @Nullable Object value) {
    check(text.startsWith(word, at), word);
    at += word.length();
    return value;
  }

  private Double number() {
    int start = at;
    while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String number = text.substring(start, at);
    check(number.matches("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?"), "a number");
    return Double.valueOf(number);
  }

  private void blanks() {
    while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    check(at < text.length(), "more");
    return text.charAt(at);
  }

  private void expect(char c) {
    check(peek() == c, "'" + c + "'");
    at++;
  }

  private void check(boolean right, String expected) {
    if (!right) {
      throw new IllegalArgumentException("expected " + expected + " at " + at + " of:\n" + text);
    }
  }
}
