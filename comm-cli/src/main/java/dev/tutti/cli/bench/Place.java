package dev.tutti.cli.bench;

/** Whether an operation's result lies beside its input or on it. */
enum Place {
  /** Send and receive buffer are different memory. */
  OUT_OF_PLACE("out-of-place"),
  /** They share memory as {@code nccl.h} says for the operation. */
  IN_PLACE("in-place");

  private final String label;

  Place(String label) {
    this.label = label;
  }

  /** Returns the words that a table's heading uses. */
  String label() {
    return label;
  }
}
