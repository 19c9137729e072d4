package dev.tutti.tcp.schedule;

/**
 * Whether the user's send buffer lies in (or around) the receive buffer, and where.
 *
 * @param aliased whether INPUT and OUTPUT are the same memory
 * @param inputInOutput OUTPUT's coordinate of INPUT's element 0, in elements; negative where OUTPUT
 *     begins inside INPUT; 0 where not aliased
 */
public record Aliasing(boolean aliased, long inputInOutput) {

  /** Two buffers that share no memory. */
  public static final Aliasing NONE = new Aliasing(false, 0);

  /** One buffer for both. */
  public static final Aliasing SAME = new Aliasing(true, 0);

  /** Returns an aliasing in which INPUT's element 0 is OUTPUT's element {@code inputInOutput}. */
  public static Aliasing at(long inputInOutput) {
    return new Aliasing(true, inputInOutput);
  }
}
