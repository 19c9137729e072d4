package dev.tutti.comm.internal.store;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommException;
import dev.tutti.comm.CommTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What all stores have in common: their limits, their argument checks, and the text of their
 * errors.
 */
final class StoreContract {
  /** The longest key, in bytes of UTF-8. */
  static final int MAX_KEY_BYTES = 4096;

  /** The largest value, in bytes. */
  static final int MAX_VALUE_BYTES = 16 << 20;

  /** The largest number of bytes that one {@code exchange} hands to each rank. */
  static final int MAX_EXCHANGE_BYTES = 256 << 20;

  private StoreContract() {}

  static void checkKey(String key) {
    Objects.requireNonNull(key, "key");
    if (key.isEmpty()) {
      throw new IllegalArgumentException("A store key must not be empty");
    }
    // The cheap test first: a char is at most three bytes.
    if (key.length() > MAX_KEY_BYTES / 3
        && key.getBytes(StandardCharsets.UTF_8).length > MAX_KEY_BYTES) {
      throw new IllegalArgumentException(
          "A store key is at most " + MAX_KEY_BYTES + " bytes: " + shortened(key));
    }
  }

  static void checkValue(String key, byte[] value) {
    Objects.requireNonNull(value, "value");
    if (value.length > MAX_VALUE_BYTES) {
      throw new IllegalArgumentException(
          "The value of store key "
              + quoted(key)
              + " has "
              + value.length
              + " bytes; at most "
              + MAX_VALUE_BYTES
              + " are allowed. A store carries addresses and settings, never payload");
    }
  }

  static void checkExchange(String key, int rank, int size, byte[] value) {
    checkKey(key);
    checkValue(key, value);
    if (size < 1) {
      throw new IllegalArgumentException("size must be at least 1, but is " + size);
    }
    if (rank < 0 || rank >= size) {
      throw new IllegalArgumentException(
          "rank must be in [0, " + size + "), but is " + rank + " (exchange " + quoted(key) + ")");
    }
  }

  static void checkPrefix(String prefix) {
    Objects.requireNonNull(prefix, "prefix");
    if (prefix.isEmpty()) {
      throw new IllegalArgumentException("A store prefix must not be empty");
    }
  }

  /** Returns the sum of a counter and {@code delta}. */
  static long sum(String key, byte[] counter, long delta) {
    String text = new String(counter, StandardCharsets.UTF_8);
    try {
      return Math.addExact(Long.parseLong(text), delta);
    } catch (NumberFormatException e) {
      throw new IllegalStateException(
          "Store key "
              + quoted(key)
              + " holds "
              + counter.length
              + " bytes that are not a counter: "
              + quoted(text),
          e);
    } catch (ArithmeticException e) {
      throw new IllegalStateException(
          "The counter at store key " + quoted(key) + " overflows: " + text + " + " + delta, e);
    }
  }

  static byte[] counter(long value) {
    return Long.toString(value).getBytes(StandardCharsets.UTF_8);
  }

  static CommTimeoutException getTimeout(String key, Duration waited) {
    return new CommTimeoutException(getTimeoutText(key, waited), null);
  }

  static String getTimeoutText(String key, Duration waited) {
    return "Store.get("
        + quoted(key)
        + ") timed out after "
        + seconds(waited)
        + ": no rank has set that key. Look at the rank that should have set it, or give a longer"
        + " timeout";
  }

  static IllegalStateException rankTwice(String key, int rank) {
    return new IllegalStateException(
        "Rank "
            + rank
            + " takes part twice in Store.exchange("
            + quoted(key)
            + "): two callers have the same rank, or one did not wait for its answer");
  }

  static IllegalStateException otherSize(String key, int rank, int size, int expected) {
    return new IllegalStateException(
        "Rank "
            + rank
            + " calls Store.exchange("
            + quoted(key)
            + ") with size "
            + size
            + ", but the ranks that are there already wait for "
            + expected);
  }

  static IllegalStateException exchangeTooLarge(String key, long bytes) {
    return new IllegalStateException(
        "Store.exchange("
            + quoted(key)
            + ") collected "
            + bytes
            + " bytes; at most "
            + MAX_EXCHANGE_BYTES
            + " are allowed. A store carries addresses and settings, never payload");
  }

  static CommAbortedException closed() {
    return new CommAbortedException("this rank has closed its store", null);
  }

  /** Returns what an interrupted wait throws; the thread stays interrupted. */
  static CommAbortedException interrupted(String call) {
    Thread.currentThread().interrupt();
    return new CommAbortedException(call + ": the waiting thread was interrupted", null);
  }

  /** Returns what a wait failed with, with the stack of the thread that waited. */
  static RuntimeException rethrown(String call, @Nullable Throwable cause) {
    return switch (cause) {
      case CommException e -> e.restated(call);
      case IllegalStateException e -> new IllegalStateException(e.getMessage(), e);
      case null, default -> new IllegalStateException(call + " failed: " + cause, cause);
    };
  }

  static String call(String operation, String key) {
    return "Store." + operation + "(" + quoted(key) + ")";
  }

  static String quoted(String key) {
    return "\"" + shortened(key) + "\"";
  }

  static String seconds(Duration time) {
    double seconds = time.toNanos() / 1e9;
    return String.format(Locale.ROOT, seconds < 10 ? "%.2f s" : "%.1f s", seconds);
  }

  /** Returns "rank 3", or "ranks 1, 2, 5 and 12 more". */
  static String ranks(Collection<Integer> ranks) {
    StringBuilder text = new StringBuilder(ranks.size() == 1 ? "rank " : "ranks ");
    int shown = 0;
    for (int rank : ranks) {
      if (shown == 16) {
        return text.append(" and ").append(ranks.size() - shown).append(" more").toString();
      }
      text.append(shown++ == 0 ? "" : ", ").append(rank);
    }
    return text.toString();
  }

  private static String shortened(String key) {
    return key.length() <= 200 ? key : key.substring(0, 200) + "...";
  }
}
