package dev.tutti.conformance;

/** Results made one number, to be compared between ranks and between backends. */
final class Digest {
  /** The digest of nothing. */
  static final long EMPTY = 0xcbf29ce484222325L;

  private Digest() {}

  /**
   * Returns a digest with one more element.
   *
   * @see <a href="https://datatracker.ietf.org/doc/draft-eastlake-fnv/">FNV-1a, by words and with
   *     the upper half folded in</a>
   */
  static long mix(long digest, long bits) {
    long mixed = (digest ^ bits) * 0x100000001b3L;
    return mixed ^ (mixed >>> 32);
  }
}
