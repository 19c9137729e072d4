package dev.tutti.comm.internal.config;

/**
 * Shows text that somebody else wrote inside an error message: in quotes, on one line, and not
 * longer than a line.
 */
public final class Quoted {
  private static final int LONGEST = 100;

  private Quoted() {}

  /**
   * Returns the text in double quotes. Control characters become {@code \}{@code uXXXX}; a text of
   * more than 100 characters is cut.
   *
   * @param text any text
   */
  public static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    int shown = Math.min(text.length(), LONGEST);
    for (int i = 0; i < shown; i++) {
      char c = text.charAt(i);
      if (Character.isISOControl(c) || Character.isSurrogate(c) || isLineBreak(c)) {
        quoted.append(String.format("\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append(text.length() > shown ? "…\"" : "\"").toString();
  }

  private static boolean isLineBreak(char c) {
    int type = Character.getType(c);
    return type == Character.LINE_SEPARATOR || type == Character.PARAGRAPH_SEPARATOR;
  }
}
