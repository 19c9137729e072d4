package dev.tutti.comm;

import java.util.List;

/**
 * How a reduction combines the elements of all ranks: a value, compared with {@code equals}.
 *
 * <ul>
 *   <li>Integers wrap modulo 2^bits.
 *   <li>{@link #MIN} and {@link #MAX} follow {@link Math#min(float, float)} and {@link
 *       Math#max(float, float)}: NaN wins, and -0 is less than +0.
 *   <li>{@link #AVG} is the sum, then one division by the group's size; on integers the (wrapped)
 *       sum is divided toward zero, on 16-bit floats the division is done in FLOAT32 and rounded
 *       once.
 *   <li>{@link #BAND}, {@link #BOR} and {@link #BXOR} exist for integer types only.
 * </ul>
 */
public final class ReduceOp {
  /** What a reduction computes, without its parameters. */
  public enum Kind {
    /** Sum. */
    SUM,
    /** Product. */
    PROD,
    /** Minimum. */
    MIN,
    /** Maximum. */
    MAX,
    /** Sum divided by the number of ranks. */
    AVG,
    /** Bitwise and. */
    BAND,
    /** Bitwise or. */
    BOR,
    /** Bitwise exclusive or. */
    BXOR
  }

  /** The sum over all ranks. */
  public static final ReduceOp SUM = new ReduceOp(Kind.SUM);

  /** The product over all ranks. */
  public static final ReduceOp PROD = new ReduceOp(Kind.PROD);

  /** The smallest element. */
  public static final ReduceOp MIN = new ReduceOp(Kind.MIN);

  /** The largest element. */
  public static final ReduceOp MAX = new ReduceOp(Kind.MAX);

  /** The sum over all ranks, divided by their number. */
  public static final ReduceOp AVG = new ReduceOp(Kind.AVG);

  /** Bitwise and; integer types only. */
  public static final ReduceOp BAND = new ReduceOp(Kind.BAND);

  /** Bitwise or; integer types only. */
  public static final ReduceOp BOR = new ReduceOp(Kind.BOR);

  /** Bitwise exclusive or; integer types only. */
  public static final ReduceOp BXOR = new ReduceOp(Kind.BXOR);

  private static final List<ReduceOp> ALL = List.of(SUM, PROD, MIN, MAX, AVG, BAND, BOR, BXOR);

  private final Kind kind;

  private ReduceOp(Kind kind) {
    this.kind = kind;
  }

  /** Returns every operator that needs no parameter, in the order of {@link Kind}. */
  public static List<ReduceOp> all() {
    return ALL;
  }

  /** Returns what this operator computes. */
  public Kind kind() {
    return kind;
  }

  /**
   * Returns whether elements of {@code type} can be reduced with this operator: bitwise operators
   * need integers.
   */
  public boolean supports(DataType type) {
    return switch (kind) {
      case SUM, PROD, MIN, MAX, AVG -> true;
      case BAND, BOR, BXOR -> type.isInteger();
    };
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ReduceOp op && op.kind == kind;
  }

  @Override
  public int hashCode() {
    return kind.hashCode();
  }

  @Override
  public String toString() {
    return kind.name();
  }
}
