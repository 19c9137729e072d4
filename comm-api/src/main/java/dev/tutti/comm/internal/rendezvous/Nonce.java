package dev.tutti.comm.internal.rendezvous;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Names that no other run of a job has. */
final class Nonce {
  private static final SecureRandom RANDOM = new SecureRandom();

  private Nonce() {}

  static String next() {
    byte[] bytes = new byte[8];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
