package dev.tutti.tcp.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The choice table, and what a request must be. */
class PlanTest {
  private static final long KIB = 1024;

  @ParameterizedTest
  @CsvSource({
    "1, 1024, SINGLE_RANK",
    "2, 0, RECURSIVE_DOUBLING",
    "2, 16384, RECURSIVE_DOUBLING",
    "2, 16385, RING",
    "33, 1048576, RING",
  })
  void allReduceIsChosenByItsBytes(int size, long count, Algorithm expected) {
    Request request = Request.allReduce(0, size, 4, count, false, false, Limits.DEFAULT);
    assertThat(Schedules.plan(request).algorithm()).isEqualTo(expected);
  }

  @ParameterizedTest(name = "{0}, {1} ranks, {2} bytes")
  @CsvSource({
    "BROADCAST, 2, 1073741824, BINOMIAL",
    "BROADCAST, 3, 49152, BINOMIAL",
    "BROADCAST, 3, 49153, SCATTER_ALL_GATHER",
    "BROADCAST, 8, 131072, BINOMIAL",
    "BROADCAST, 8, 4194304, SCATTER_ALL_GATHER",
    "BROADCAST, 8, 4194305, CHAIN",
    "ALL_GATHER, 2, 64, RING",
    "ALL_GATHER, 3, 64, RING",
    "ALL_GATHER, 4, 64, RECURSIVE_DOUBLING",
    "ALL_GATHER, 8, 65536, RECURSIVE_DOUBLING",
    "ALL_GATHER, 8, 65537, RING",
    "ALL_GATHER, 5, 26214, BRUCK",
    "ALL_GATHER, 5, 26215, RING",
    "GATHER, 31, 1, LINEAR",
    "GATHER, 32, 1024, BINOMIAL",
    "GATHER, 32, 1025, LINEAR",
    "SCATTER, 31, 1, LINEAR",
    "SCATTER, 33, 1024, BINOMIAL",
    "SCATTER, 33, 1025, LINEAR",
    "ALL_TO_ALL, 7, 256, DIRECT",
    "ALL_TO_ALL, 8, 256, BRUCK",
    "ALL_TO_ALL, 8, 257, DIRECT",
    "ALL_TO_ALL, 64, 32768, DIRECT",
    "ALL_TO_ALL, 64, 32769, PAIRWISE",
  })
  void whatMovesDataIsChosenByItsBytes(
      OperationKind operation, int size, long bytes, Algorithm expected) {
    Limits limits = Limits.DEFAULT;
    Request request =
        switch (operation) {
          case BROADCAST -> Request.broadcast(0, size, 0, 1, bytes, true, limits);
          case ALL_GATHER ->
              Request.allGather(0, size, 1, Blocks.uniform(size, bytes), false, limits);
          case GATHER -> Request.gather(0, size, 0, 1, bytes, false, limits);
          case SCATTER -> Request.scatter(0, size, 0, 1, bytes, false, limits);
          default -> Request.allToAll(0, size, 1, bytes, limits);
        };
    assertThat(Schedules.plan(request).algorithm()).isEqualTo(expected);
  }

  @Test
  void unevenFormsTakeWhatNeedsNoCountsOfOthers() {
    Limits limits = Limits.DEFAULT;
    Blocks blocks = Blocks.uniform(64, 1);
    for (Request request :
        List.of(
            Request.gather(0, 64, 0, 1, blocks, false, limits),
            Request.scatter(0, 64, 0, 1, blocks, false, limits))) {
      assertThat(Schedules.plan(request).algorithm()).isEqualTo(Algorithm.LINEAR);
    }
    Request request = Request.allToAll(0, 64, 1, blocks, blocks, limits);
    assertThat(Schedules.plan(request).algorithm()).isEqualTo(Algorithm.PAIRWISE);
    assertThatThrownBy(() -> Schedules.plan(request, Algorithm.BRUCK))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("bruck does not serve Request[operation=ALL_TO_ALL");
  }

  @ParameterizedTest
  @CsvSource({
    "2, 4, 100, false, RECURSIVE_DOUBLING",
    "2, 4, 1000000, true, RING",
    "2, 2, 1000000, false, RING",
    "2, 2, 100, true, ONE_SHOT",
    "2, 2, 1000000, true, DIRECT",
    "3, 4, 4096, false, ONE_SHOT",
    "3, 4, 4097, false, DIRECT",
    "33, 8, 1000000, true, DIRECT",
  })
  void inRankOrderOnlyWhatKeepsItIsChosen(
      int size, int elementSize, long count, boolean average, Algorithm expected) {
    Request request =
        Request.allReduce(0, size, elementSize, count, average, false, Limits.DEFAULT);
    assertThat(Schedules.plan(request.inRankOrder()).algorithm()).isEqualTo(expected);
    Overrides ring = Overrides.parse(List.of("allReduce:ring"));
    assertThat(Schedules.plan(request, ring).algorithm()).isEqualTo(Algorithm.RING);
    assertThat(Schedules.plan(request.inRankOrder(), ring).algorithm())
        .isEqualTo(size == 2 && !(average && elementSize == 2) ? Algorithm.RING : expected);
  }

  @Test
  void theThresholdIsALimit() {
    Limits limits = new Limits(512 * KIB, 16 * KIB * KIB, 8);
    Request request = Request.allReduce(0, 2, 8, 2, false, false, limits);
    assertThat(Schedules.plan(request).algorithm()).isEqualTo(Algorithm.RING);
  }

  @Test
  void anAlgorithmThatDoesNotDoTheOperationIsRefused() {
    Request request = Request.allReduce(0, 2, 8, 2, false, false, Limits.DEFAULT);
    assertThatThrownBy(() -> Schedules.plan(request, Algorithm.PAIRWISE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "pairwise does not do allReduce; use one of [singleRank, recursiveDoubling, ring,"
                + " halvingDoubling, direct, oneShot]");
  }

  @ParameterizedTest
  @EnumSource(OperationKind.class)
  void everyOperationHasAnAlgorithmAndEveryAlgorithmIsDocumented(OperationKind operation)
      throws Exception {
    List<Algorithm> algorithms = Planner.algorithms(operation);
    assertThat(algorithms).isNotEmpty();
    String docs = Files.readString(Path.of("..", "docs", "ALGORITHMS.md"));
    assertThat(docs).contains(operation.label());
    for (Algorithm algorithm : algorithms) {
      assertThat(docs).contains(algorithm.label());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void countZeroHasNoSteps(int size) {
    for (int rank = 0; rank < size; rank++) {
      Blocks none = Blocks.uniform(size, 0);
      Limits limits = Limits.DEFAULT;
      for (Request request :
          List.of(
              Request.allReduce(rank, size, 4, 0, true, false, limits),
              Request.reduce(rank, size, size - 1, 4, 0, true, false, limits),
              Request.broadcast(rank, size, 0, 4, 0, true, limits),
              Request.allGather(rank, size, 4, none, false, limits),
              Request.reduceScatter(rank, size, 4, none, false, false, limits),
              Request.gather(rank, size, 0, 4, none, false, limits),
              Request.scatter(rank, size, 0, 4, none, false, limits),
              Request.allToAll(rank, size, 4, none, none, limits),
              Request.batch(rank, size, 4, List.of(), limits))) {
        assertThat(Schedules.plan(request).stepCount()).as("%s", request).isZero();
      }
    }
  }

  @Test
  void inPlaceWithOneRankHasNoSteps() {
    Request request = Request.allReduce(0, 1, 4, 7, true, true, Limits.DEFAULT);
    assertThat(Schedules.plan(request).stepCount()).isZero();
    request = Request.allReduce(0, 1, 4, 7, true, false, Limits.DEFAULT);
    assertThat(Schedules.plan(request))
        .hasToString("singleRank, rank 0/1, 1 steps, scratch 0\n0 COPY OUTPUT[0,7) = INPUT[0,7)");
  }

  @Test
  void requestsAreValues() {
    Request one = Request.allGather(1, 3, 4, Blocks.of(1, 2, 3), false, Limits.DEFAULT);
    Request same = Request.allGather(1, 3, 4, Blocks.of(1, 2, 3), false, Limits.DEFAULT);
    Request other = Request.allGather(1, 3, 4, Blocks.of(1, 2, 4), false, Limits.DEFAULT);
    assertThat(one).isEqualTo(same).hasSameHashCodeAs(same).isNotEqualTo(other);
    assertThat(Blocks.uniform(3, 2)).isEqualTo(Blocks.of(2, 2, 2)).hasToString("[2, 2, 2]");
    assertThat(Blocks.split(3, 8)).isEqualTo(Blocks.of(3, 3, 2));
    assertThat(Blocks.only(3, 1, 5)).isEqualTo(Blocks.of(0, 5, 0));
  }

  @Test
  void theEvenFormsAreOtherRequestsThanUnevenOnesOfEqualCounts() {
    Limits limits = Limits.DEFAULT;
    Blocks blocks = Blocks.uniform(3, 2);
    Request even = Request.gather(1, 3, 1, 4, 2, false, limits);
    Request uneven = Request.gather(1, 3, 1, 4, blocks, false, limits);
    assertThat(even).isNotEqualTo(uneven);
    assertThat(even.blocks()).isEqualTo(blocks);
    assertThat(even.bytes()).isEqualTo(24);
    assertThat(uneven.bytes()).isEqualTo(Long.MAX_VALUE);
    assertThat(Request.scatter(0, 3, 1, 4, 2, false, limits).bytes()).isEqualTo(24);
    assertThat(Request.allToAll(0, 3, 4, 2, limits))
        .isNotEqualTo(Request.allToAll(0, 3, 4, blocks, blocks, limits));
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    Limits limits = Limits.DEFAULT;
    assertThatThrownBy(() -> Request.barrier(2, 2, limits))
        .hasMessage("barrier on rank 2/2: rank must be in [0, size)");
    assertThatThrownBy(() -> Request.broadcast(0, 2, 2, 4, 1, true, limits))
        .hasMessage("broadcast on rank 0/2: root must be in [0, size): 2");
    assertThatThrownBy(() -> Request.broadcast(0, 2, 0, 0, 1, true, limits))
        .hasMessageContaining("elementSize");
    assertThatThrownBy(() -> Request.broadcast(0, 2, 0, 4, -1, true, limits))
        .hasMessageContaining("count must not be negative");
    assertThatThrownBy(() -> Request.allGather(0, 2, 4, Blocks.of(1), false, limits))
        .hasMessageContaining("blocks must be one per rank");
    assertThatThrownBy(() -> Request.allToAll(0, 2, 4, Blocks.of(1, 1), Blocks.of(2, 1), limits))
        .hasMessage("allToAll on rank 0/2: sends itself 1 elements but receives 2 from itself");
    assertThatThrownBy(() -> Request.batch(0, 2, 4, List.of(Transfer.send(2, 1)), limits))
        .hasMessageContaining("peer of transfer 0");
    assertThatThrownBy(() -> Transfer.send(0, -1)).hasMessageContaining("negative");
    assertThatThrownBy(() -> Blocks.of(1, -1)).hasMessage("count of rank 1 is negative: -1");
    assertThatThrownBy(() -> new Limits(0, 16, 0)).hasMessageContaining("chunkBytes");
    assertThatThrownBy(() -> new Limits(1, 15, 0)).hasMessageContaining("scratchBytes");
    assertThatThrownBy(() -> new Limits(1, 16, -1)).hasMessageContaining("smallBytes");
  }

  @Test
  void aScheduleDoesNotGrowWithTheMessage() {
    long count = 1L << 40;
    Request request = Request.allReduce(0, 2, 4, count, false, false, Limits.DEFAULT);
    assertThat(Schedules.plan(request).stepCount()).isLessThanOrEqualTo(4 * Chunks.MAX_PER_BLOCK);
  }
}
