package dev.tutti.comm.internal.config;

import dev.tutti.comm.ConfigException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The {@code %XX} escapes of a value in a config string: two hexadecimal digits for each byte of a
 * character's UTF-8 form. Must be escaped: the characters that end a value or an entry ({@code , &
 * ?}), {@code %}, blanks, and a {@code +} inside an item of a list.
 */
final class Escapes {
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private Escapes() {}

  /**
   * Returns the text that an escaped value stands for.
   *
   * @throws ConfigException if an escape is malformed, the bytes are not UTF-8, or the text holds a
   *     control character
   */
  static String decode(String raw) {
    if (raw.indexOf('%') < 0) {
      return printable(raw, raw);
    }
    ByteBuffer bytes = ByteBuffer.allocate(raw.length() * 3);
    int from = 0;
    while (from < raw.length()) {
      if (raw.charAt(from) == '%') {
        bytes.put(escape(raw, from));
        from += 3;
      } else {
        int end = raw.indexOf('%', from);
        end = end < 0 ? raw.length() : end;
        bytes.put(raw.substring(from, end).getBytes(StandardCharsets.UTF_8));
        from = end;
      }
    }
    try {
      return printable(raw, StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString());
    } catch (CharacterCodingException e) {
      throw new ConfigException(
          Quoted.quote(raw) + " is not UTF-8 once its %XX escapes are replaced", e);
    }
  }

  private static byte escape(String raw, int at) {
    if (at + 3 <= raw.length()
        && HexFormat.isHexDigit(raw.charAt(at + 1))
        && HexFormat.isHexDigit(raw.charAt(at + 2))) {
      return (byte) HexFormat.fromHexDigits(raw, at + 1, at + 3);
    }
    String found = raw.substring(at, Math.min(raw.length(), at + 3));
    throw new ConfigException(
        Quoted.quote(found)
            + " is not an escape; write % and two hexadecimal digits, and % itself as %25");
  }

  private static String printable(String raw, String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isISOControl(text.charAt(i))) {
        throw new ConfigException(Quoted.quote(raw) + " holds a control character");
      }
    }
    return text;
  }

  /** Returns the one way in which canonical strings write a text: only what must be escaped is. */
  static String encode(String text) {
    return encode(text, false);
  }

  private static String encode(String text, boolean item) {
    StringBuilder raw = new StringBuilder(text.length());
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      boolean plain = b > ' ' && b < 0x7f && ",&?%".indexOf(b) < 0 && !(item && b == '+');
      if (plain) {
        raw.append((char) b);
      } else {
        raw.append('%').append(HEX.toHexDigits(b));
      }
    }
    return raw.toString();
  }

  /** Returns the items of an escaped list. An item may be empty. */
  static List<String> decodeList(String raw) {
    List<String> items = new ArrayList<>();
    for (String item : raw.split("\\+", -1)) {
      items.add(decode(item));
    }
    return List.copyOf(items);
  }

  /** Returns the one way in which canonical strings write a list. */
  static String encodeList(List<String> items) {
    return String.join("+", items.stream().map(item -> encode(item, true)).toList());
  }
}
