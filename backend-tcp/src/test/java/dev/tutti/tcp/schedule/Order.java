package dev.tutti.tcp.schedule;

import java.util.SplittableRandom;

/**
 * In which order the interpreter lets things happen that may happen in any order.
 *
 * @param preference what is picked of all that can happen
 * @param victim the rank that moves only when nothing else can, or -1
 * @param completion when a step that has moved everything is told so
 * @param maxPiece most elements that a message moves at a time; more move in random pieces
 */
record Order(Preference preference, int victim, Completion completion, int maxPiece) {

  /** What is picked of all that can happen. */
  enum Preference {
    RANDOM,
    NEWEST,
    OLDEST
  }

  /** When a step that has moved everything is told so. */
  enum Completion {
    /** As any other event. */
    ANY_TIME,
    /** Before anything else happens. */
    AT_ONCE,
    /** Only when nothing else can happen: as much as possible is in flight. */
    LAST
  }

  /** Returns a random order, adversarial ones among them. */
  static Order random(SplittableRandom random, int size) {
    Preference[] preferences = Preference.values();
    Completion[] completions = Completion.values();
    return new Order(
        random.nextInt(2) == 0
            ? Preference.RANDOM
            : preferences[random.nextInt(preferences.length)],
        random.nextInt(3) == 0 ? random.nextInt(size) : -1,
        completions[random.nextInt(completions.length)],
        random.nextInt(2) == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(5));
  }
}
