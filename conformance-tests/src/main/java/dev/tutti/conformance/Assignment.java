package dev.tutti.conformance;

import dev.tutti.comm.ProcessGroup;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/** What the ranks of one launch do; travels to processes as text. */
sealed interface Assignment {
  /** Runs on one rank. */
  RankReport perform(ProcessGroup group, Progress progress);

  /** Returns the words that {@link #parse} understands. */
  List<String> words();

  /** Returns the rank that does not live to see the end, or -1. */
  int victim();

  /**
   * Runs a case list.
   *
   * @param ranked whether it is that of groups with {@code order=ranked}
   */
  record Cases(long seed, boolean ranked, OptionalInt only, Set<String> operations)
      implements Assignment {
    @Override
    public RankReport perform(ProcessGroup group, Progress progress) {
      CaseList all = ranked ? CaseList.ranked(seed, group.size()) : CaseList.of(seed, group.size());
      return CaseRun.of(group, all.chosen(only, operations), progress);
    }

    @Override
    public List<String> words() {
      return List.of(
          "cases",
          Long.toString(seed),
          ranked ? "ranked" : "fast",
          only.isPresent() ? Integer.toString(only.getAsInt()) : "all",
          String.join("+", operations));
    }

    @Override
    public int victim() {
      return -1;
    }
  }

  /** Plays a scenario; made before the group is. */
  record Play(Scenario scenario, boolean ownProcess, Leftovers before) implements Assignment {
    @Override
    public RankReport perform(ProcessGroup group, Progress progress) {
      return scenario.play(group, ownProcess, before);
    }

    @Override
    public List<String> words() {
      return List.of("scenario", scenario.name());
    }

    @Override
    public int victim() {
      return scenario.victim();
    }
  }

  /**
   * Returns the assignment that a process was given.
   *
   * @param before what the process held when it began
   */
  static Assignment parse(List<String> words, Leftovers before) {
    return switch (words.getFirst()) {
      case "cases" ->
          new Cases(
              Long.parseLong(words.get(1)),
              words.get(2).equals("ranked"),
              words.get(3).equals("all")
                  ? OptionalInt.empty()
                  : OptionalInt.of(Integer.parseInt(words.get(3))),
              words.get(4).isEmpty() ? Set.of() : Set.of(words.get(4).split("\\+", -1)));
      case "scenario" -> new Play(Scenario.named(words.get(1)), true, before);
      default -> throw new IllegalArgumentException("no assignment: " + words);
    };
  }
}
