package dev.tutti.conformance;

/** How a case or a scenario ended. */
public enum Outcome {
  /** All was as it must be. */
  PASSED,
  /** The backend said beforehand, on all ranks, that it does not do this. */
  REFUSED,
  /** Something was wrong. */
  FAILED,
  /** It was not tried: it was left out, or the group broke before. */
  NOT_RUN
}
