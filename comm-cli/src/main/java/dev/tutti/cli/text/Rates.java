package dev.tutti.cli.text;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.config.Nearest;
import dev.tutti.comm.internal.config.Quoted;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Rates such as {@code 5GB/s} or {@code 100Gbit/s}: units are decimal, as of networks. */
public final class Rates {
  private static final Pattern FORM =
      Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)\\s*([A-Za-z]+/s)");
  private static final double GIGA = 1e9;
  private static final Map<String, Double> UNITS = units();

  private Rates() {}

  private static Map<String, Double> units() {
    Map<String, Double> units = new LinkedHashMap<>();
    units.put("B/s", 1.0);
    units.put("kB/s", 1e3);
    units.put("MB/s", 1e6);
    units.put("GB/s", GIGA);
    units.put("Mbit/s", 1e6 / 8);
    units.put("Gbit/s", GIGA / 8);
    return units;
  }

  /**
   * Reads a rate: a number, which may have a fraction, and a unit.
   *
   * @param option the option that holds it, for the message
   * @param text for example {@code 12.5GB/s}
   * @return bytes a second, more than 0
   * @throws ConfigException if it is no rate
   */
  public static double parse(String option, String text) {
    Matcher matcher = FORM.matcher(text.strip());
    if (!matcher.matches()) {
      throw new ConfigException(
          "%s %s is not a rate: write a number and a unit, for example 5GB/s or 25Gbit/s"
              .formatted(option, Quoted.quote(text)));
    }
    Double unit = UNITS.get(matcher.group(2));
    if (unit == null) {
      throw new ConfigException(
          "%s %s: unknown unit %s. %s"
              .formatted(
                  option,
                  Quoted.quote(text),
                  Quoted.quote(matcher.group(2)),
                  Nearest.hint(matcher.group(2), UNITS.keySet())));
    }
    double rate = Double.parseDouble(matcher.group(1)) * unit;
    if (rate == 0) {
      throw new ConfigException(option + " " + Quoted.quote(text) + ": a rate is more than 0");
    }
    return rate;
  }

  /** Writes a rate in GB/s, or as "unbounded". */
  public static String format(double bytesPerSecond) {
    return Double.isInfinite(bytesPerSecond)
        ? "unbounded"
        : String.format(Locale.ROOT, "%.3gGB/s", bytesPerSecond / GIGA);
  }
}
