package dev.tutti.conformance;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * How far a reduction of arbitrary floating-point numbers may be from the exact result: the bound
 * that holds for every order of n numbers with one rounding at each of n - 1 steps, and one more
 * for AVG's division.
 *
 * @see <a href="https://doi.org/10.1137/1.9780898718027">Higham, Accuracy and Stability of
 *     Numerical Algorithms (2002), §3.1 and §4.2</a>
 */
final class ErrorBound {
  private ErrorBound() {}

  /**
   * Returns what is wrong with a result, or null if it is within the bound.
   *
   * @param contributions the bits of every rank's element
   * @param got the bits of the result
   */
  static @Nullable String violation(DataType type, ReduceOp op, long[] contributions, long got) {
    FloatFormat format = FloatFormat.of(type);
    double value = format.decode(got);
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return "not a finite number";
    }
    int size = contributions.length;
    boolean average = op.kind() == ReduceOp.Kind.AVG;
    BigDecimal exact = exact(format, op, contributions);
    BigDecimal scale = scale(format, op, contributions);
    // The average is compared n-fold: a quotient may have no end.
    BigDecimal actual = new BigDecimal(value).multiply(BigDecimal.valueOf(average ? size : 1));
    BigDecimal error = actual.subtract(exact).abs();
    BigDecimal bound =
        scale.multiply(new BigDecimal(gamma(average ? size : size - 1, format.unitRoundoff())));
    return error.compareTo(bound) <= 0
        ? null
        : "off by %.3g where %.3g is allowed (exact: %s)"
            .formatted(
                error.doubleValue() / (average ? size : 1),
                bound.doubleValue() / (average ? size : 1),
                exact.doubleValue() / (average ? size : 1));
  }

  /** The relative error of k roundings. */
  private static double gamma(int roundings, double unit) {
    double first = roundings * unit;
    return first / (1 - first);
  }

  private static BigDecimal exact(FloatFormat format, ReduceOp op, long[] contributions) {
    BigDecimal result = new BigDecimal(format.decode(contributions[0]));
    for (int rank = 1; rank < contributions.length; rank++) {
      BigDecimal next = new BigDecimal(format.decode(contributions[rank]));
      result =
          switch (op.kind()) {
            case SUM, AVG -> result.add(next);
            case PROD -> result.multiply(next);
            case MIN, MAX, BAND, BOR, BXOR ->
                throw new IllegalArgumentException(op + " has no rounding to bound");
          };
    }
    return result;
  }

  /** What the error is relative to: the sum of the magnitudes, or the product's. */
  private static BigDecimal scale(FloatFormat format, ReduceOp op, long[] contributions) {
    if (op.kind() == ReduceOp.Kind.PROD) {
      return exact(format, op, contributions).abs();
    }
    BigDecimal sum = BigDecimal.ZERO;
    for (long bits : contributions) {
      sum = sum.add(new BigDecimal(format.decode(bits)).abs());
    }
    return sum;
  }
}
