package dev.tutti.trespasser;

import dev.tutti.cli.RoomsTest;

/** Breaks the rules that {@code RoomsTest} holds: it stands for a backend that sees the command. */
public final class Trespasser {
  /** What a backend may not know. */
  public final Class<?> forbidden = RoomsTest.class;
}
