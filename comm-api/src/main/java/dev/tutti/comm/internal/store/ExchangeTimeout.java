package dev.tutti.comm.internal.store;

import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.internal.config.Units;
import java.time.Duration;
import java.util.Collection;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The text of an exchange that ran out of time, and who was missing in it: text is all that comes
 * back from a store in another process.
 */
public final class ExchangeTimeout {
  private static final Pattern MISSING =
      Pattern.compile(" timed out after [^:]*: (ranks? [^(.]*) (ha(?:s|ve)) not arrived");

  private ExchangeTimeout() {}

  /**
   * Returns the timeout as the caller's user knows it: who has not arrived, and the time that was
   * configured; the same timeout if it was for another reason.
   *
   * @param configured the whole time that was given
   */
  public static CommTimeoutException named(CommTimeoutException timeout, Duration configured) {
    Matcher matcher = MISSING.matcher(timeout.getMessage());
    return matcher.find()
        ? new CommTimeoutException(
            "%s %s not arrived within %s; look whether every rank has started and comes here, or raise timeout= in the config"
                .formatted(matcher.group(1), matcher.group(2), Units.formatDuration(configured)),
            timeout)
        : timeout;
  }

  static String text(
      String key,
      int rank,
      int size,
      Duration waited,
      Collection<Integer> missing,
      Collection<Integer> gaveUp) {
    StringBuilder text = new StringBuilder(StoreContract.call("exchange", key));
    text.append(" on rank ").append(rank).append(" of ").append(size);
    text.append(" timed out after ").append(StoreContract.seconds(waited)).append(": ");
    text.append(StoreContract.ranks(missing)).append(missing.size() == 1 ? " has" : " have");
    text.append(" not arrived");
    if (!gaveUp.isEmpty()) {
      text.append(" (").append(StoreContract.ranks(gaveUp));
      text.append(gaveUp.size() == 1 ? " was" : " were").append(" here and gave up before)");
    }
    text.append(". Look whether ").append(missing.size() == 1 ? "it has" : "they have");
    text.append(" started, or give a longer timeout");
    return text.toString();
  }

  /**
   * Returns who was missing, such as {@code rank 3} or {@code ranks 1, 2}; null if the exchange
   * failed for another reason.
   */
  public static @Nullable String missing(CommTimeoutException timeout) {
    Matcher matcher = MISSING.matcher(timeout.getMessage());
    return matcher.find() ? matcher.group(1) : null;
  }
}
