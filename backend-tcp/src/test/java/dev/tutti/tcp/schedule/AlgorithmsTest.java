package dev.tutti.tcp.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every algorithm at sizes 1 to 33: each element ends as exactly the right contributions, whatever
 * the order of completion and whatever the links hold.
 *
 * <p>Sizes up to {@link #EVERY_CASE_TO} run every case of the grid, larger ones a seeded sample of
 * it. {@code -Dtutti.seed=…} takes another sample and other orders.
 */
@Timeout(120)
class AlgorithmsTest {
  private static final long DEFAULT_SEED = 20_250_601L;
  private static final long SEED = Long.getLong("tutti.seed", DEFAULT_SEED);
  private static final int MAX_SIZE = 33;
  private static final int EVERY_CASE_TO = 9;

  /** Once per kind of link: none buffered, all buffered, some buffered. */
  private static final int RUNS = 3;

  private static final int MANY_RUNS = 60;

  private int cases;

  @ParameterizedTest(name = "{0} by {1}, average {2}")
  @CsvSource({
    "ALL_REDUCE, RING, false, 495",
    "ALL_REDUCE, RING, true, 495",
    "ALL_REDUCE, RECURSIVE_DOUBLING, false, 804",
    "ALL_REDUCE, RECURSIVE_DOUBLING, true, 804",
    "ALL_REDUCE, HALVING_DOUBLING, false, 804",
    "ALL_REDUCE, HALVING_DOUBLING, true, 804",
    "ALL_REDUCE, DIRECT, false, 495",
    "ALL_REDUCE, DIRECT, true, 495",
    "ALL_REDUCE, ONE_SHOT, false, 804",
    "ALL_REDUCE, ONE_SHOT, true, 804",
    "REDUCE, LINEAR, false, 2824",
    "REDUCE, LINEAR, true, 2824",
    "REDUCE, REDUCE_SCATTER_GATHER, false, 1880",
    "REDUCE, REDUCE_SCATTER_GATHER, true, 1880",
    "REDUCE_SCATTER, RECURSIVE_HALVING, false, 944",
    "REDUCE_SCATTER, RECURSIVE_HALVING, true, 944",
    "REDUCE_SCATTER, DIRECT, false, 944",
    "REDUCE_SCATTER, DIRECT, true, 944",
    "REDUCE, BINOMIAL, false, 2824",
    "REDUCE, BINOMIAL, true, 2824",
    "BROADCAST, BINOMIAL, false, 2777",
    "BROADCAST, CHAIN, false, 2777",
    "BROADCAST, SCATTER_ALL_GATHER, false, 2777",
    "ALL_GATHER, RING, false, 964",
    "ALL_GATHER, RECURSIVE_DOUBLING, false, 964",
    "ALL_GATHER, BRUCK, false, 964",
    "REDUCE_SCATTER, RING, false, 944",
    "REDUCE_SCATTER, RING, true, 944",
    "GATHER, LINEAR, false, 1657",
    "GATHER, BINOMIAL, false, 1191",
    "SCATTER, LINEAR, false, 1639",
    "SCATTER, BINOMIAL, false, 1196",
    "ALL_TO_ALL, PAIRWISE, false, 145",
    "ALL_TO_ALL, DIRECT, false, 145",
    "ALL_TO_ALL, BRUCK, false, 126",
    "BARRIER, DISSEMINATION, false, 33",
  })
  void endsWithExactlyTheRightContributions(
      OperationKind operation, Algorithm algorithm, boolean average, int expectedCases) {
    SplittableRandom grid = new SplittableRandom(SEED + operation.label().hashCode());
    SplittableRandom random = grid.split();
    for (int size = 1; size <= MAX_SIZE; size++) {
      for (int root : roots(operation, size)) {
        for (long[][] counts : counts(operation, algorithm, size, grid)) {
          long largest = Arrays.stream(counts).flatMapToLong(LongStream::of).max().orElse(0);
          if (cutsTheVectorInBlocks(operation, algorithm)) {
            largest = Math.ceilDiv(largest, size);
          }
          for (long chunk : chunks(operation, largest)) {
            for (boolean[] inPlace : inPlace(operation, size, grid)) {
              if (size > EVERY_CASE_TO && grid.nextInt(thinning(operation)) != 0) {
                continue;
              }
              Algorithm planned = size == 1 && hasSingleRankRow(operation) ? null : algorithm;
              long scratch = scratch(chunk, largest * size, random);
              if (usesScratchOfEachRank(algorithm)) {
                scratch = Math.max(scratch, size);
              }
              Trial trial =
                  new Trial(
                      operation, planned, size, root, counts, average, inPlace, chunk, scratch);
              prove(
                  keepsRankOrder(operation, algorithm) ? trial.inRankOrder() : trial, random, RUNS);
            }
          }
        }
      }
    }
    System.out.printf(
        "%s by %s%s: %d cases, seed %d%n",
        operation.label(), algorithm.label(), average ? ", average" : "", cases, SEED);
    if (SEED == DEFAULT_SEED) {
      assertThat(cases).isEqualTo(expectedCases);
    }
  }

  private static boolean cutsTheVectorInBlocks(OperationKind operation, Algorithm algorithm) {
    return switch (algorithm) {
      case RING, DIRECT -> operation == OperationKind.ALL_REDUCE;
      case REDUCE_SCATTER_GATHER -> true;
      default -> false;
    };
  }

  private static boolean usesScratchOfEachRank(Algorithm algorithm) {
    return switch (algorithm) {
      case DIRECT, ONE_SHOT, LINEAR, REDUCE_SCATTER_GATHER, RECURSIVE_HALVING -> true;
      default -> false;
    };
  }

  private static boolean keepsRankOrder(OperationKind operation, Algorithm algorithm) {
    return switch (algorithm) {
      case DIRECT, ONE_SHOT, REDUCE_SCATTER_GATHER -> true;
      case LINEAR -> operation == OperationKind.REDUCE;
      default -> false;
    };
  }

  /** What is chosen where rank order is wanted keeps it, whatever the size and the bytes. */
  @ParameterizedTest(name = "{0}, average {1}")
  @CsvSource({
    "ALL_REDUCE, false", "ALL_REDUCE, true",
    "REDUCE, false", "REDUCE, true",
    "REDUCE_SCATTER, false", "REDUCE_SCATTER, true",
  })
  void whatIsChosenInRankOrderKeepsIt(OperationKind operation, boolean average) {
    SplittableRandom random = new SplittableRandom(SEED + operation.label().hashCode());
    for (int size = 1; size <= MAX_SIZE; size++) {
      for (long[][] counts : counts(operation, null, size, random)) {
        boolean[] inPlace = inPlace(operation, size, random).get(random.nextInt(3));
        int root = roots(operation, size)[0];
        prove(
            new Trial(operation, null, size, root, counts, average, inPlace, 7, 3L * size)
                .inRankOrder(),
            random,
            RUNS);
      }
    }
    assertThat(cases).isGreaterThanOrEqualTo(7 * MAX_SIZE);
  }

  /** One in so many cases of a larger size runs: fewer where there are many, or long ones. */
  private static int thinning(OperationKind operation) {
    return switch (operation) {
      case ALL_REDUCE, ALL_TO_ALL -> 4;
      case ALL_GATHER, REDUCE_SCATTER -> 8;
      case REDUCE, BROADCAST -> 12;
      case GATHER, SCATTER -> 12;
      case BARRIER, BATCH -> 1;
    };
  }

  @ParameterizedTest(name = "{0} by {1}")
  @CsvSource({
    "ALL_REDUCE, RING",
    "ALL_REDUCE, RECURSIVE_DOUBLING",
    "ALL_REDUCE, HALVING_DOUBLING",
    "ALL_REDUCE, DIRECT",
    "ALL_REDUCE, ONE_SHOT",
    "REDUCE, LINEAR",
    "REDUCE, REDUCE_SCATTER_GATHER",
    "REDUCE_SCATTER, RECURSIVE_HALVING",
    "REDUCE_SCATTER, DIRECT",
    "REDUCE, BINOMIAL",
    "BROADCAST, BINOMIAL",
    "BROADCAST, CHAIN",
    "BROADCAST, SCATTER_ALL_GATHER",
    "ALL_GATHER, RING",
    "ALL_GATHER, RECURSIVE_DOUBLING",
    "ALL_GATHER, BRUCK",
    "REDUCE_SCATTER, RING",
    "GATHER, LINEAR",
    "GATHER, BINOMIAL",
    "SCATTER, LINEAR",
    "SCATTER, BINOMIAL",
    "ALL_TO_ALL, PAIRWISE",
    "ALL_TO_ALL, DIRECT",
    "ALL_TO_ALL, BRUCK",
    "BARRIER, DISSEMINATION",
  })
  void endsSoInManyOrders(OperationKind operation, Algorithm algorithm) {
    SplittableRandom random = new SplittableRandom(SEED + algorithm.label().hashCode());
    for (int size : new int[] {2, 3, 4, 5, 6, 7, 8, 11}) {
      List<long[][]> all = counts(operation, algorithm, size, random);
      long[][] counts = all.get(Math.max(0, all.size() - 2));
      for (boolean[] inPlace : inPlace(operation, size, random)) {
        int root = roots(operation, size)[0];
        long scratch = usesScratchOfEachRank(algorithm) ? Math.max(9, size) : 9;
        prove(
            new Trial(operation, algorithm, size, root, counts, true, inPlace, 2, scratch),
            random,
            MANY_RUNS);
      }
    }
    assertThat(cases).isGreaterThanOrEqualTo(8);
  }

  private void prove(Trial trial, SplittableRandom random, int runs) {
    cases++;
    try {
      trial.prove(random, runs);
    } catch (ScheduleViolation | RuntimeException e) {
      throw new AssertionError(trial + ", seed " + SEED + ": " + e.getMessage(), e);
    }
  }

  private static boolean hasSingleRankRow(OperationKind operation) {
    return Planner.algorithms(operation).contains(Algorithm.SINGLE_RANK);
  }

  private static int[] roots(OperationKind operation, int size) {
    return switch (operation) {
      case REDUCE, BROADCAST, GATHER, SCATTER ->
          size <= EVERY_CASE_TO
              ? IntStream.range(0, size).toArray()
              : new int[] {0, size / 2, size - 1};
      default -> new int[] {0};
    };
  }

  private static List<long[][]> counts(
      OperationKind operation, @Nullable Algorithm algorithm, int size, SplittableRandom random) {
    boolean evenOnly = Trial.needsEvenBlocks(operation, algorithm);
    Set<Long> even = new LinkedHashSet<>();
    for (long count : new long[] {0, 1, 2, size - 1, size, size + 1, 17, 39L * (1 + size % 3)}) {
      even.add(count);
    }
    return switch (operation) {
      case ALL_REDUCE, REDUCE, BROADCAST ->
          even.stream().map(count -> new long[][] {{count}}).toList();
      case ALL_GATHER, REDUCE_SCATTER, GATHER, SCATTER -> {
        List<long[][]> all = new ArrayList<>();
        for (long count : even) {
          all.add(new long[][] {filled(size, count)});
        }
        if (!evenOnly) {
          all.add(new long[][] {uneven(size, random)});
          all.add(new long[][] {uneven(size, random)});
          all.add(new long[][] {onlyOne(size, random)});
        }
        yield all;
      }
      case ALL_TO_ALL -> {
        List<long[][]> all = new ArrayList<>();
        for (long count : even) {
          all.add(matrix(size, () -> filled(size, count)));
        }
        if (!evenOnly) {
          all.add(matrix(size, () -> uneven(size, random)));
          all.add(matrix(size, () -> onlyOne(size, random)));
        }
        yield all;
      }
      case BARRIER, BATCH -> List.<long[][]>of(new long[1][size]);
    };
  }

  private static long[][] matrix(int size, Supplier<long[]> row) {
    long[][] rows = new long[size][];
    Arrays.setAll(rows, i -> row.get());
    return rows;
  }

  private static long[] filled(int size, long count) {
    long[] row = new long[size];
    Arrays.fill(row, count);
    return row;
  }

  /** Some blocks empty, most short, some long. */
  private static long[] uneven(int size, SplittableRandom random) {
    long[] row = new long[size];
    Arrays.setAll(
        row,
        i ->
            switch (random.nextInt(4)) {
              case 0 -> 0;
              case 1 -> random.nextInt(40);
              default -> random.nextInt(7);
            });
    return row;
  }

  private static long[] onlyOne(int size, SplittableRandom random) {
    long[] row = new long[size];
    row[random.nextInt(size)] = 23;
    return row;
  }

  /** Chunks that cut the largest block into one, two and many; one where nothing is ever cut. */
  private static Set<Long> chunks(OperationKind operation, long largest) {
    Set<Long> chunks = new LinkedHashSet<>();
    chunks.add(Math.max(1, largest));
    if (switch (operation) {
      case GATHER, SCATTER, ALL_TO_ALL, BARRIER, BATCH -> true;
      default -> false;
    }) {
      return chunks;
    }
    chunks.add(Math.max(1, Math.ceilDiv(largest, 2)));
    chunks.add(Math.max(1, largest / 11));
    return chunks;
  }

  /** None, all, and any of the ranks. */
  private static List<boolean[]> inPlace(
      OperationKind operation, int size, SplittableRandom random) {
    boolean[] none = new boolean[size];
    if (operation == OperationKind.ALL_TO_ALL || operation == OperationKind.BARRIER) {
      return List.of(none);
    }
    boolean[] all = new boolean[size];
    Arrays.fill(all, true);
    boolean[] some = new boolean[size];
    for (int i = 0; i < size; i++) {
      some[i] = random.nextBoolean();
    }
    return List.of(none, all, some);
  }

  /**
   * The least that there can be, a few chunks, or more than enough; the least, which makes chunks
   * of single elements, only for short vectors.
   */
  private static long scratch(long chunk, long elements, SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> elements <= 400 ? 2 + random.nextInt(4) : 2 + 2 * chunk;
      case 1 -> 2 + chunk;
      case 2 -> 2 + 3 * chunk;
      default -> 1 << 20;
    };
  }
}
