package dev.tutti.tcp.simulate;

import dev.tutti.tcp.schedule.Schedule;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * In what way all ranks do the same. Where the schedules are each other's images, every rank
 * reaches every step at the same time, so that one rank stands for all: its messages go to itself.
 */
enum Symmetry {
  /** Rank r's peers are rank 0's, r further on around the ring. */
  ROTATION {
    @Override
    int seenFromZero(int rank, int peer, int size) {
      return Math.floorMod(peer - rank, size);
    }

    @Override
    int mirror(int peer, int size) {
      return Math.floorMod(-peer, size);
    }
  },
  /** Rank r's peers are rank 0's, with the bits of r flipped. */
  EXCLUSIVE_OR {
    @Override
    int seenFromZero(int rank, int peer, int size) {
      return rank ^ peer;
    }

    @Override
    int mirror(int peer, int size) {
      return peer;
    }
  };

  /** Up to so many steps of all ranks, all are compared; beyond, {@link #SAMPLE}. */
  static final long COMPARED_STEPS = 500_000;

  /** Ranks that are compared with rank 0 where there are too many steps to compare all. */
  static final int SAMPLE = 32;

  /** Returns the peer of rank 0 that stands where {@code peer} stands for {@code rank}. */
  abstract int seenFromZero(int rank, int peer, int size);

  /** Returns the rank for which rank 0 is what {@code peer} is for rank 0. */
  abstract int mirror(int peer, int size);

  /**
   * Returns how all ranks' schedules are the image of rank 0's, or null if they are not.
   *
   * @param size ranks in the group
   * @param zero rank 0's schedule
   * @param planner gives the others'
   */
  static @Nullable Symmetry of(int size, Schedule zero, IntFunction<Schedule> planner) {
    Set<Symmetry> left = EnumSet.allOf(Symmetry.class);
    for (int rank : compared(size, zero.stepCount())) {
      Schedule other = planner.apply(rank);
      left.removeIf(symmetry -> !symmetry.isImage(zero, other));
      if (left.isEmpty()) {
        return null;
      }
    }
    return left.iterator().next();
  }

  private static List<Integer> compared(int size, int steps) {
    List<Integer> ranks = new ArrayList<>();
    int most = (long) size * steps <= COMPARED_STEPS ? size - 1 : Math.min(size - 1, SAMPLE);
    for (int i = 0; i < most; i++) {
      // The first, the last, and others between, odd ones and even ones.
      ranks.add(most == 1 ? 1 : 1 + (int) ((long) i * (size - 2) / (most - 1)));
    }
    return ranks;
  }

  private boolean isImage(Schedule zero, Schedule other) {
    if (zero.stepCount() != other.stepCount()) {
      return false;
    }
    for (int i = 0; i < zero.stepCount(); i++) {
      if (zero.kind(i) != other.kind(i)
          || zero.count(i) != other.count(i)
          || zero.dependencyCount(i) != other.dependencyCount(i)
          || !hasSamePeer(zero, other, i)) {
        return false;
      }
      int mine = zero.dependenciesBegin(i);
      int theirs = other.dependenciesBegin(i);
      for (int j = 0; j < zero.dependencyCount(i); j++) {
        // An order that differs is a difference too: it costs the symmetry, never the truth.
        if (zero.dependency(mine + j) != other.dependency(theirs + j)) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean hasSamePeer(Schedule zero, Schedule other, int step) {
    return zero.kind(step).isLocal()
        || zero.peer(step) == seenFromZero(other.rank(), other.peer(step), zero.size());
  }
}
