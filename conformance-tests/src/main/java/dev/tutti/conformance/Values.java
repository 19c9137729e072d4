package dev.tutti.conformance;

/** What numbers a case works on. */
public enum Values {
  /**
   * Numbers whose every partial result, in any order, is representable, and AVG's quotient too:
   * bits are compared. Where nothing is reduced, arbitrary bits.
   */
  @Rule({"R1", "R2", "R3", "R5"})
  EXACT("exact"),
  /**
   * Integers at the ends of their range, whose results wrap; floating-point numbers whose sum or
   * product is infinite in any order.
   */
  @Rule({"R3", "R4", "R5"})
  OVERFLOW("overflow"),
  /** Not-a-numbers, infinities, zeros of both signs, subnormal numbers: bits are compared. */
  @Rule({"R4", "R5"})
  SPECIAL("special"),
  /** Arbitrary floating-point numbers: the error is bounded, and equal bits on all ranks. */
  @Rule({"R6", "R7"})
  RANDOM("random"),
  /**
   * Arbitrary floating-point numbers, not-a-numbers, infinities and zeros in a group with {@code
   * order=ranked}: bits are compared.
   */
  @Rule({"R9"})
  RANKED("ranked");

  private final String text;

  Values(String text) {
    this.text = text;
  }

  /** Returns whether the result is the same on every backend, bit by bit. */
  public boolean isExact() {
    return this != RANDOM;
  }

  @Override
  public String toString() {
    return text;
  }
}
