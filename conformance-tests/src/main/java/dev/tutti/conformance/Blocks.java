package dev.tutti.conformance;

/** How the counts of an uneven operation differ from rank to rank. */
public enum Blocks {
  /** All the same. */
  EQUAL,
  /** A few more from rank to rank. */
  @Rule("M8")
  RISING,
  /** Every other one is empty. */
  @Rule({"M7", "M8"})
  GAPS,
  /** All but one rank's are empty. */
  @Rule({"M7", "M8"})
  SINGLE;

  /**
   * Returns the elements of one rank's block.
   *
   * @param count the case's count
   * @param rank whose block
   * @param size the group's size
   * @param variant moves gaps and the single one about
   */
  long of(long count, int rank, int size, int variant) {
    return switch (this) {
      case EQUAL -> count;
      case RISING -> count + (rank + variant) % 3;
      case GAPS -> (rank + variant) % 2 == 0 ? count : 0;
      case SINGLE -> rank == variant % size ? count : 0;
    };
  }

  /**
   * Returns the elements of a block from one rank to another.
   *
   * @param count the case's count
   * @param from the sender
   * @param to the receiver
   * @param size the group's size
   * @param variant moves gaps and the single sender about
   */
  long between(long count, int from, int to, int size, int variant) {
    return switch (this) {
      case EQUAL -> count;
      case RISING -> count + (from + 2 * to + variant) % 4;
      case GAPS -> (from + to + variant) % 2 == 0 ? count : 0;
      case SINGLE -> from == variant % size ? count : 0;
    };
  }
}
