package dev.tutti.tcp.schedule;

/** What one step of a {@link Schedule} does; {@code ⊕} is the operation's reduction. */
public enum StepKind {
  /** Sends the source region to the peer; complete when the link has taken all of it. */
  SEND,
  /** Receives from the peer into the destination region; complete when all of it is placed. */
  RECV,
  /** Receives from the peer and combines: {@code destination = source ⊕ incoming}. */
  RECV_REDUCE,
  /** Combines two local regions: {@code destination = source ⊕ second source}. */
  REDUCE,
  /** Copies the source region to the destination region. */
  COPY,
  /** Divides the destination region by the size of the group: AVG's one division. */
  DIVIDE,
  /**
   * Folds one region of each rank in rank order, {@code destination = ((r0 ⊕ r1) ⊕ r2) …}, divides
   * it if the operation is AVG, and rounds a 16-bit result once.
   */
  FOLD;

  /** Returns whether this kind takes a message from a peer. */
  public boolean receives() {
    return this == RECV || this == RECV_REDUCE;
  }

  /** Returns whether this kind moves no message: the rank does it alone. */
  public boolean isLocal() {
    return !receives() && this != SEND;
  }
}
