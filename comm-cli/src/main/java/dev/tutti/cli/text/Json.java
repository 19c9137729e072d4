package dev.tutti.cli.text;

import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes maps, lists, strings, numbers and booleans as JSON, indented by two blanks. */
public final class Json {
  private final StringBuilder text = new StringBuilder();

  private Json() {}

  /**
   * Returns a value as JSON, with a line break at its end. A number that JSON does not have (NaN,
   * an infinity) becomes null.
   *
   * @param value maps with string keys, iterables, strings, numbers, booleans, null; any other
   *     object is written as the string that it says it is
   */
  public static String write(@Nullable Object value) {
    Json json = new Json();
    json.value(value, 0);
    return json.text.append('\n').toString();
  }

  private void value(@Nullable Object value, int depth) {
    switch (value) {
      case null -> text.append("null");
      case Double d when !Double.isFinite(d) -> text.append("null");
      case Number n -> text.append(n);
      case Boolean b -> text.append(b);
      case Map<?, ?> map -> map(map, depth);
      case Iterable<?> items -> list(items, depth);
      default -> string(value.toString());
    }
  }

  private void map(Map<?, ?> map, int depth) {
    text.append('{');
    Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
    while (entries.hasNext()) {
      Map.Entry<?, ?> entry = entries.next();
      line(depth + 1);
      string(String.valueOf(entry.getKey()));
      text.append(": ");
      value(entry.getValue(), depth + 1);
      text.append(entries.hasNext() ? "," : "");
    }
    if (!map.isEmpty()) {
      line(depth);
    }
    text.append('}');
  }

  private void list(Iterable<?> items, int depth) {
    text.append('[');
    Iterator<?> each = items.iterator();
    boolean any = each.hasNext();
    while (each.hasNext()) {
      line(depth + 1);
      value(each.next(), depth + 1);
      text.append(each.hasNext() ? "," : "");
    }
    if (any) {
      line(depth);
    }
    text.append(']');
  }

  private void line(int depth) {
    text.append('\n').append("  ".repeat(depth));
  }

  private void string(String value) {
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '"' -> text.append("\\\"");
        case '\\' -> text.append("\\\\");
        case '\n' -> text.append("\\n");
        case '\t' -> text.append("\\t");
        case '\r' -> text.append("\\r");
        default -> {
          if (c < ' ' || (Character.isSurrogate(c) && !isPair(value, i))) {
            text.append(String.format("\\u%04x", (int) c));
          } else {
            text.append(c);
          }
        }
      }
    }
    text.append('"');
  }

  /** Returns whether the surrogate at an index has its other half beside it. */
  private static boolean isPair(String value, int index) {
    return Character.isHighSurrogate(value.charAt(index))
        ? index + 1 < value.length() && Character.isLowSurrogate(value.charAt(index + 1))
        : index > 0 && Character.isHighSurrogate(value.charAt(index - 1));
  }
}
