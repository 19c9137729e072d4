package dev.tutti.comm.internal.config;

import dev.tutti.comm.ConfigException;
import org.jspecify.annotations.Nullable;

/**
 * A config string and where it was found, so that every message about it can say so.
 *
 * @param text the string as it was written
 * @param place where it was found, as the words that follow "from"; null if the program passed it
 */
public record Origin(String text, @Nullable String place) {

  /** Returns a phrase that names the string, and the place unless the program passed it. */
  public String describe() {
    return "config " + Quoted.quote(text) + (place == null ? "" : " from " + place);
  }

  /**
   * Returns the exception to throw for a mistake in the string.
   *
   * @param what the mistake, and what would be right
   */
  public ConfigException error(String what) {
    return new ConfigException(describe() + ": " + what);
  }

  /**
   * Returns the exception to throw for a mistake in the string that was found by a parser that does
   * not know the string.
   *
   * @param where which part of the string is wrong
   * @param what the parser's own exception
   * @param next what to write instead; empty if that exception says it
   */
  public ConfigException error(String where, ConfigException what, String next) {
    return new ConfigException(describe() + ": " + where + ": " + what.getMessage() + next, what);
  }
}
