package dev.tutti.comm.internal.config;

import dev.tutti.comm.ConfigException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sizes such as {@code 4MiB} and durations such as {@code 30s}, as the config string and the
 * command line write them: one whole number and one unit. A plain number is a size in bytes, and
 * never a duration. Unit names are exact; what looks like another spelling of one is refused with
 * the right one in the message.
 *
 * <p>Parsing what was formatted gives the same value again.
 */
public final class Units {
  private static final Scale BYTES =
      new Scale(
          "size",
          List.of(
              new Unit("B", 1L, "byte", "bytes"),
              new Unit("KiB", 1L << 10, "k", "kb", "ki"),
              new Unit("MiB", 1L << 20, "m", "mb", "mi"),
              new Unit("GiB", 1L << 30, "g", "gb", "gi")),
          "units are B, KiB = 1024 B, MiB = 1024 KiB and GiB = 1024 MiB",
          "4",
          "MiB");

  private static final Scale NANOS =
      new Scale(
          "duration",
          List.of(
              new Unit("ns", 1L, "nsec", "nanos"),
              new Unit("us", 1_000L, "\u00b5s", "\u03bcs", "usec", "micros"),
              new Unit("ms", 1_000_000L, "msec", "millis"),
              new Unit("s", 1_000_000_000L, "sec", "secs", "second", "seconds"),
              new Unit("min", 60_000_000_000L, "m", "mins", "minute", "minutes"),
              new Unit("h", 3_600_000_000_000L, "hr", "hrs", "hour", "hours")),
          "units are ns, us, ms, s, min and h",
          "30",
          "s");

  private Units() {}

  /**
   * Reads a size: a whole number with {@code B}, {@code KiB}, {@code MiB} or {@code GiB}, or
   * without a unit in bytes.
   *
   * @param text for example {@code 4MiB}
   * @return the size in bytes, at least 0
   * @throws ConfigException if it is no size, negative, or more than 2^63 - 1 bytes
   */
  public static long parseBytes(String text) {
    return BYTES.parse(text, "B");
  }

  /**
   * Reads a duration: a whole number with {@code ns}, {@code us}, {@code ms}, {@code s}, {@code
   * min} or {@code h}.
   *
   * @param text for example {@code 30s}
   * @return the duration, zero or positive
   * @throws ConfigException if it is no duration, has no unit, is negative, or more than 2^63 - 1
   *     nanoseconds (292 years)
   */
  public static Duration parseDuration(String text) {
    return Duration.ofNanos(NANOS.parse(text, null));
  }

  /**
   * Writes a size with the largest unit that keeps the number whole.
   *
   * @param bytes at least 0
   * @throws IllegalArgumentException if the size is negative
   */
  public static String formatBytes(long bytes) {
    return BYTES.format(bytes);
  }

  /**
   * Writes a duration with the largest unit that keeps the number whole.
   *
   * @param duration zero or positive, at most 2^63 - 1 nanoseconds (292 years)
   * @throws IllegalArgumentException if the duration is negative or longer
   */
  public static String formatDuration(Duration duration) {
    try {
      return NANOS.format(duration.toNanos());
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "duration " + duration + " is longer than " + NANOS.format(Long.MAX_VALUE), e);
    }
  }

  /**
   * One unit.
   *
   * @param name how it must be written
   * @param factor how many of the smallest unit it is
   * @param spellings how else it is written by some, in lower case
   */
  private record Unit(String name, long factor, Set<String> spellings) {
    Unit(String name, long factor, String... spellings) {
      this(name, factor, Set.of(spellings));
    }

    boolean isMeantBy(String written) {
      String lower = written.toLowerCase(Locale.ROOT);
      return lower.equals(name.toLowerCase(Locale.ROOT)) || spellings.contains(lower);
    }
  }

  /**
   * One kind of quantity.
   *
   * @param kind what a value is called in messages
   * @param units from the smallest, whose factor is 1, to the largest
   * @param legend the words that list the units
   * @param exampleNumber the number of a value that is right
   * @param exampleUnit the unit of that value
   */
  private record Scale(
      String kind, List<Unit> units, String legend, String exampleNumber, String exampleUnit) {

    /** Returns the value in the smallest unit; {@code implied} is the unit of a plain number. */
    long parse(String text, @Nullable String implied) {
      String unsigned = text.startsWith("-") || text.startsWith("+") ? text.substring(1) : text;
      int whole = digits(unsigned, 0);
      boolean point = whole < unsigned.length() && unsigned.charAt(whole) == '.';
      int number = point ? digits(unsigned, whole + 1) : whole;
      String unit = unsigned.substring(number);
      if (whole == 0 || (point && number == whole + 1)) {
        throw wrong(text, "expected a whole number and a unit, for example " + example());
      }
      if (unit.isEmpty()) {
        if (implied == null) {
          throw wrong(text, "the unit is missing; write " + unsigned + exampleUnit);
        }
        unit = implied;
      }
      long factor = factor(text, unsigned.substring(0, number), unit);
      if (text.startsWith("-")) {
        throw wrong(text, "it is negative");
      }
      if (text.startsWith("+")) {
        throw wrong(text, "write it without the sign, " + unsigned);
      }
      if (point) {
        throw wrong(text, "the number must be whole" + inWholeUnits(unsigned, number, factor));
      }
      return scaled(text, unsigned.substring(0, whole), factor);
    }

    private long scaled(String text, String number, long factor) {
      BigInteger limit = BigInteger.valueOf(Long.MAX_VALUE);
      // Twenty digits are more than 2^63 - 1 in any unit; cut the rest before it costs time.
      String significant = number.replaceFirst("^0+(?=.)", "");
      if (significant.length() < 20) {
        BigInteger value = new BigInteger(significant).multiply(BigInteger.valueOf(factor));
        if (value.compareTo(limit) <= 0) {
          return value.longValueExact();
        }
      }
      Unit largest = units.getLast();
      throw wrong(
          text, "it is too large; at most " + Long.MAX_VALUE / largest.factor() + largest.name());
    }

    private long factor(String text, String number, String written) {
      String hint = "expected one whole number and one unit, for example " + example();
      for (Unit unit : units) {
        if (unit.name().equals(written)) {
          return unit.factor();
        }
        if (unit.isMeantBy(written)) {
          hint = "write " + number + unit.name();
        }
      }
      throw wrong(text, "unknown unit " + Quoted.quote(written) + "; " + hint);
    }

    private String example() {
      return exampleNumber + exampleUnit;
    }

    private String inWholeUnits(String unsigned, int number, long factor) {
      if (number > 30) {
        return "";
      }
      BigDecimal value =
          new BigDecimal(unsigned.substring(0, number)).multiply(BigDecimal.valueOf(factor));
      try {
        return "; write " + format(value.longValueExact());
      } catch (ArithmeticException e) {
        return "";
      }
    }

    private ConfigException wrong(String text, String why) {
      return new ConfigException(
          Quoted.quote(text) + " is not a " + kind + ": " + why + " (" + legend + ")");
    }

    private static int digits(String text, int from) {
      int end = from;
      while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
        end++;
      }
      return end;
    }

    String format(long value) {
      if (value < 0) {
        throw new IllegalArgumentException("a " + kind + " is not negative: " + value);
      }
      Unit largestWhole = units.getFirst();
      for (Unit unit : units) {
        if (value != 0 && value % unit.factor() == 0) {
          largestWhole = unit;
        }
      }
      return value / largestWhole.factor() + largestWhole.name();
    }
  }
}
