package dev.tutti.conformance;

import java.util.Locale;

/** What a {@link MutantBackend} does wrong, and which rule of docs/CONTRACT.md it breaks so. */
enum Fault {
  /** Nothing: the suite must pass, or it would be the wrapper that is caught. */
  NONE(""),

  /** Broadcasts come from rank 0, whatever the root. */
  IGNORES_ROOTS("O1"),
  /** A long allReduce is told to be complete only after later ones. */
  OVERTAKES("O2"),
  /** Two messages to a rank overtake each other. */
  SWAPS_MESSAGES("O3"),
  /** sendRecv sends when it has received. */
  SENDS_AFTER_RECEIVING("O4"),
  /** A barrier is complete when it was issued. */
  BARRIER_WITHOUT_MEETING("O5"),
  /** All groups of a rank take turns. */
  GROUPS_SHARE_A_QUEUE("O6"),
  /** Subgroups are numbered from their end. */
  REVERSES_SUBGROUPS("O7"),
  /** A group's end is its subgroups' end. */
  CHILDREN_DIE_WITH_THEIR_PARENT("O8"),
  /** Nothing goes on while nobody waits. */
  NEEDS_A_WAITER("O9"),

  /** A sent buffer is read after it was given back. */
  READS_AFTER_COMPLETION("M1"),
  /** Arrays are not taken. */
  REFUSES_ARRAYS("M2"),
  /** Memory grows with the message. */
  HOARDS_MEMORY("M3"),
  /** allReduce uses the send buffer as scratch. */
  WRITES_SEND("M4"),
  /** broadcast writes the root's buffer. */
  WRITES_ROOT("M4"),
  /** allReduce writes the byte behind a native receive buffer. */
  WRITES_BEYOND("M4"),
  /** allReduce takes the last aligned address for the buffer's. */
  ALIGNS_ADDRESSES("M6"),
  /** An allReduce of nothing never ends. */
  HANGS_ON_NOTHING("M7"),
  /** allGatherV leaves the last block out if there is an empty one. */
  STOPS_AT_EMPTY_BLOCKS("M8"),
  /** allReduce in place leaves the rank's own first element out. */
  FORGETS_ITS_OWN_IN_PLACE("M9"),
  /** allReduce of one rank copies nothing. */
  ALONE_DOES_NOTHING("M10"),

  /** allReduce puts every element one place further. */
  OFF_BY_ONE("R1"),
  /** BAND is another operator. */
  SUM_FOR_BAND("R1"),
  /** allGather leaves the last block out. */
  DROPS_LAST_BLOCK("R2"),
  /** broadcast takes the rank behind the root for the root. */
  WRONG_ROOT("R2"),
  /** A send longer than 64 KiB leaves its last element out. */
  CUTS_LONG_MESSAGES("R2"),
  /** allToAll says it is complete when it was issued. */
  COMPLETES_TOO_EARLY("R2"),
  /** Signalling not-a-numbers are quiet when they arrive. */
  QUIETS_NANS("R2"),
  /** Rank 1's allGather never ends. */
  HANGS("R2"),
  /** MAX of UINT8 is that of INT8. */
  UNSIGNED_AS_SIGNED("R3"),
  /** MIN takes the number where there is a not-a-number. */
  DROPS_NAN("R4"),
  /** Subnormal results become zero. */
  FLUSHES_SUBNORMALS("R4"),
  /** Zeros lose their sign. */
  DROPS_SIGN_OF_ZERO("R4"),
  /** AVG is not divided. */
  SUM_FOR_AVG("R5"),
  /** AVG of integers rounds down. */
  AVG_ROUNDS_DOWN("R5"),
  /** The last rank's allReduce rounds one element differently. */
  OTHER_BITS("R6"),
  /** Sums lose their last bits, alike on all ranks. */
  ROUNDS_COARSELY("R7"),
  /** In a group that wants rank order, a sum's last bit is another one, alike on all ranks. */
  LAST_BIT_OFF("R9"),

  /** A step that has nothing to do waits, and hears nothing. */
  BLOCKS_WHILE_WAITING("F3"),
  /** An abort takes its time. */
  ABORTS_SLOWLY("F7"),
  /** MAX is done as SUM, so that nobody sees who calls which. */
  BLIND_TO_OPERATORS("F8"),
  /** The last message is kept back until the next call. */
  LOSES_THE_LAST_MESSAGE("F9"),
  /** A thread outlives its group. */
  LEAVES_A_THREAD("F9"),
  /** A socket outlives its group. */
  LEAVES_A_SOCKET("F9"),
  /** Memory outlives its group. */
  LEAVES_MEMORY("F9"),
  /** One rank refuses reduceScatter of INT8, the others do not. */
  REFUSES_ON_ONE_RANK("F10"),
  /** Nobody is told what was awaited. */
  SAYS_NOT_WHAT_IT_AWAITS("F11");

  private final String rule;

  Fault(String rule) {
    this.rule = rule;
  }

  /** Returns the rule that is broken, such as {@code R3}; empty for none. */
  String rule() {
    return rule;
  }

  /** Returns the name in a config string. */
  String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Fault of(String key) {
    return valueOf(key.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
