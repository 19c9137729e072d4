package dev.tutti.conformance;

import java.util.Locale;

/** What a {@link MutantBackend} does wrong. */
enum Fault {
  /** Nothing: the suite must pass, or it would be the wrapper that is caught. */
  NONE,
  /** allGather leaves the last block out. */
  DROPS_LAST_BLOCK,
  /** broadcast takes the rank behind the root for the root. */
  WRONG_ROOT,
  /** allReduce puts every element one place further. */
  OFF_BY_ONE,
  /** The last rank's allReduce rounds one element differently. */
  OTHER_BITS,
  /** Rank 1's allGather never ends. */
  HANGS,
  /** allReduce uses the send buffer as scratch. */
  WRITES_SEND,
  /** broadcast writes the root's buffer. */
  WRITES_ROOT,
  /** allToAll says it is complete when it was issued. */
  COMPLETES_TOO_EARLY,
  /** AVG is not divided. */
  SUM_FOR_AVG,
  /** BAND is another operator. */
  SUM_FOR_BAND,
  /** MIN takes the number where there is a not-a-number. */
  DROPS_NAN,
  /** Subnormal results become zero. */
  FLUSHES_SUBNORMALS,
  /** Zeros lose their sign. */
  DROPS_SIGN_OF_ZERO,
  /** allReduce writes the byte behind a native receive buffer. */
  WRITES_BEYOND,
  /** A send longer than 64 KiB leaves its last element out. */
  CUTS_LONG_MESSAGES,
  /** One rank refuses reduceScatter of INT8, the others do not. */
  REFUSES_ON_ONE_RANK,
  /** A barrier is complete when it was issued. */
  BARRIER_WITHOUT_MEETING,
  /** MAX is done as SUM, so that nobody sees who calls which. */
  BLIND_TO_OPERATORS,
  /** Two messages to a rank overtake each other. */
  SWAPS_MESSAGES,
  /** A sent buffer is read after it was given back. */
  READS_AFTER_COMPLETION,
  /** Memory grows with the message. */
  HOARDS_MEMORY,
  /** A thread outlives its group. */
  LEAVES_A_THREAD;

  /** Returns the name in a config string. */
  String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Fault of(String key) {
    return valueOf(key.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
