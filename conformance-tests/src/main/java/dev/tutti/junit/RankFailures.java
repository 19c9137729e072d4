package dev.tutti.junit;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/**
 * What the ranks of one run threw, and the one failure that is made of it. A rank that fails takes
 * the others with it: what the first to fail threw must not be hidden behind what they throw then.
 */
final class RankFailures {
  private final RankRun run;
  // Guarded by this; in the order in which they happened.
  private final List<Failure> failures = new ArrayList<>();

  RankFailures(RankRun run) {
    this.run = run;
  }

  /** What one rank threw. */
  record Failure(int rank, Throwable thrown) {
    /** Returns how far this is from being the cause of it all: 0 is nearest. */
    private int distance() {
      int distance = thrown instanceof TestAbortedException ? 1 : 0;
      Throwable cause = thrown;
      // Bounded: causes may form a circle.
      for (int depth = 0; cause != null && depth < 100; depth++) {
        if (cause instanceof CommAbortedException || cause instanceof CancellationException) {
          return 3;
        } else if (cause instanceof CommException) {
          distance = 2;
        }
        cause = cause.getCause();
      }
      return distance;
    }
  }

  /** A rank's failure that is no assertion's; it has no stack but its cause's. */
  private static final class RankFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RankFailedException(String message, Throwable cause) {
      super(message, cause, true, false);
    }
  }

  synchronized void add(int rank, Throwable thrown) {
    failures.add(new Failure(rank, showable(thrown)));
  }

  /** Returns what was thrown, or, if it throws when it is shown, something in its place. */
  private static Throwable showable(Throwable thrown) {
    try {
      // Calls what any report may call, on causes and suppressed ones too.
      thrown.printStackTrace(new PrintWriter(Writer.nullWriter()));
      String ignored = thrown.getMessage();
      return thrown;
    } catch (RuntimeException | Error e) {
      RuntimeException instead =
          new IllegalStateException(
              "%s, which cannot be shown, since that threw %s"
                  .formatted(thrown.getClass().getName(), e.getClass().getName()));
      instead.setStackTrace(thrown.getStackTrace());
      return instead;
    }
  }

  synchronized boolean isEmpty() {
    return failures.isEmpty();
  }

  /** Returns what was thrown up to now. */
  synchronized RankFailures copy() {
    RankFailures copy = new RankFailures(run);
    copy.failures.addAll(failures);
    return copy;
  }

  /** Returns what a rank threw, in one line; empty if it threw nothing. */
  synchronized String of(int rank) {
    return failures.stream()
        .filter(failure -> failure.rank == rank)
        .map(failure -> failure.thrown.toString())
        .findFirst()
        .orElse("");
  }

  /** Returns one failure of all; there is at least one. */
  synchronized Throwable merged() {
    List<Failure> nearestFirst = new ArrayList<>(failures);
    nearestFirst.sort(Comparator.comparingInt(Failure::distance));
    Failure first = nearestFirst.getFirst();
    if (first.thrown instanceof TestAbortedException) {
      return first.thrown;
    }
    List<Failure> others = nearestFirst.subList(1, nearestFirst.size());
    Throwable merged = named(first, alike(first, others));
    others.forEach(other -> merged.addSuppressed(named(other, "")));
    return merged;
  }

  /** Names the ranks that failed by themselves as well, rather than because the first one had. */
  private static String alike(Failure first, List<Failure> others) {
    List<Integer> ranks =
        others.stream()
            .filter(other -> other.distance() == first.distance())
            .map(Failure::rank)
            .sorted()
            .toList();
    return ranks.isEmpty()
        ? ""
        : " (so did %s %s)"
            .formatted(
                ranks.size() == 1 ? "rank" : "ranks",
                ranks.stream().map(String::valueOf).collect(Collectors.joining(", ")));
  }

  private Throwable named(Failure failure, String alike) {
    String where =
        "rank %d/%d over %s failed%s:".formatted(failure.rank, run.size(), run.config(), alike);
    if (!(failure.thrown instanceof AssertionError assertion)) {
      return new RankFailedException(where + " " + failure.thrown, failure.thrown);
    }
    String message = String.valueOf(assertion.getMessage());
    String text = where + (message.startsWith("\n") ? message : " " + message);
    // Of these two classes the new error holds all there is; others may know more.
    boolean whole =
        assertion.getClass() == AssertionFailedError.class
            || assertion.getClass() == AssertionError.class;
    Throwable cause = whole ? assertion.getCause() : assertion;
    AssertionFailedError named =
        assertion instanceof AssertionFailedError e && e.isExpectedDefined() && e.isActualDefined()
            ? new AssertionFailedError(text, e.getExpected(), e.getActual(), cause)
            : new AssertionFailedError(text, cause);
    named.setStackTrace(assertion.getStackTrace());
    for (Throwable suppressed : whole ? assertion.getSuppressed() : new Throwable[0]) {
      named.addSuppressed(suppressed);
    }
    return named;
  }
}
