package dev.tutti.tcp.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.tcp.schedule.Algorithm;
import dev.tutti.tcp.schedule.Aliasing;
import dev.tutti.tcp.schedule.Limits;
import dev.tutti.tcp.schedule.OperationKind;
import dev.tutti.tcp.schedule.Schedule;
import dev.tutti.tcp.schedule.ScheduleBuilder;
import dev.tutti.tcp.schedule.Schedules;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the literature has a formula, the interpreter finds it, to rounding. */
class ClosedFormsTest {
  private static final double ALPHA = 7e-6;
  private static final double BETA = 2e9;
  private static final double GAMMA = 5e9;
  private static final double OVERHEAD = 1e-6;
  private static final double FREE = Double.POSITIVE_INFINITY;
  private static final Network NETWORK =
      new Network(Duration.ofNanos(7000), BETA, FREE, GAMMA, Duration.ofNanos(1000), 0);
  private static final Percentage ROUNDING = Percentage.withPercentage(1e-9);

  /** No message is cut. */
  private static final Limits WHOLE = new Limits(1L << 30, 1L << 30, 0);

  /** What one message costs alone. */
  private static double message(double bytes) {
    return 2 * OVERHEAD + ALPHA + bytes / BETA;
  }

  private static double seconds(int size, Network network, IntFunction<Schedule> planner) {
    TaskGraph graph = TaskGraph.of(size, Float.BYTES, planner, Integer.MAX_VALUE);
    return new Simulation(Objects.requireNonNull(graph), network, size).run(planner);
  }

  private static double seconds(
      OperationKind operation, Algorithm algorithm, int size, long bytes) {
    Workload workload = new Workload(operation, size, bytes, WHOLE);
    return seconds(size, NETWORK, rank -> Schedules.plan(workload.request(rank), algorithm));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 12, 16, 33, 64})
  void ring(int size) {
    for (long block : new long[] {4, 4096, 1 << 20}) {
      double half = (size - 1) * message((double) block);
      double combined = (size - 1) * block / GAMMA;
      assertThat(seconds(OperationKind.ALL_REDUCE, Algorithm.RING, size, size * block))
          .isCloseTo(2 * half + combined, ROUNDING);
      assertThat(seconds(OperationKind.REDUCE_SCATTER, Algorithm.RING, size, size * block))
          .isCloseTo(half + combined, ROUNDING);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8, 16, 64})
  void recursiveDoubling(int size) {
    int steps = Integer.numberOfTrailingZeros(size);
    for (long bytes : new long[] {4, 4096, 1 << 20}) {
      assertThat(seconds(OperationKind.ALL_REDUCE, Algorithm.RECURSIVE_DOUBLING, size, bytes))
          .isCloseTo(steps * (message((double) bytes) + bytes / GAMMA), ROUNDING);
    }
  }

  /** Every rank sends its vector to every other, and folds them all at once. */
  @ParameterizedTest
  @ValueSource(ints = {3, 5, 16})
  void oneShot(int size) {
    long bytes = 4096;
    Network network = new Network(NETWORK.latency(), BETA, FREE, GAMMA, Duration.ZERO, 0);
    Workload workload = new Workload(OperationKind.ALL_REDUCE, size, bytes, WHOLE);
    double seconds =
        seconds(size, network, rank -> Schedules.plan(workload.request(rank), Algorithm.ONE_SHOT));
    assertThat(seconds).isCloseTo(ALPHA + (size - 1) * (bytes / BETA + bytes / GAMMA), ROUNDING);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8, 16, 64})
  void binomialTree(int size) {
    int steps = Integer.numberOfTrailingZeros(size);
    for (long bytes : new long[] {4096, 1 << 20}) {
      assertThat(seconds(OperationKind.BROADCAST, Algorithm.BINOMIAL, size, bytes))
          .isCloseTo(steps * message((double) bytes), ROUNDING);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 8, 13, 32})
  void dissemination(int size) {
    int steps = 32 - Integer.numberOfLeadingZeros(size - 1);
    assertThat(seconds(OperationKind.BARRIER, Algorithm.DISSEMINATION, size, 0))
        .isCloseTo(steps * message(0), ROUNDING);
  }

  /** The first chunk pays for every hop; each other one follows at the pace of a port. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 8, 20})
  void pipelinedChain(int size) {
    int chunks = 10;
    long length = 4096;
    double bytes = length * Float.BYTES;
    Network network = Network.of(Duration.ofNanos(7000), BETA);
    assertThat(seconds(size, network, rank -> chain(rank, size, chunks, length)))
        .isCloseTo((size - 1) * (ALPHA + bytes / BETA) + (chunks - 1) * bytes / BETA, ROUNDING);
  }

  private static Schedule chain(int rank, int size, int chunks, long length) {
    ScheduleBuilder steps = new ScheduleBuilder(Algorithm.LINEAR, rank, size, Aliasing.SAME);
    for (int k = 0; k < chunks; k++) {
      if (rank > 0) {
        steps.recv(rank - 1, Schedule.OUTPUT, k * length, length);
      }
      if (rank < size - 1) {
        steps.send(rank + 1, Schedule.OUTPUT, k * length, length);
      }
    }
    return steps.build();
  }

  /** The root's port in takes one block after the other, whoever sends it. */
  @ParameterizedTest
  @ValueSource(ints = {3, 8, 33})
  void gatherFillsTheRootsPort(int size) {
    long block = 1 << 16;
    double all = (size - 1) * block / BETA;
    assertThat(seconds(OperationKind.GATHER, Algorithm.LINEAR, size, size * block))
        .isBetween(ALPHA + all, ALPHA + all + 2 * (size + 1) * OVERHEAD + block / GAMMA);
  }

  /** Both directions are independent unless the rank's own copying bounds them together. */
  @Test
  void copyingBoundsBothDirectionsTogether() {
    int bytes = 1 << 20;
    double copy = 3e9;
    Network shared =
        new Network(Duration.ofNanos(7000), BETA, copy, GAMMA, Duration.ofNanos(1000), 0);
    IntFunction<Schedule> exchange =
        rank -> {
          ScheduleBuilder steps =
              new ScheduleBuilder(Algorithm.POINT_TO_POINT, rank, 2, Aliasing.NONE);
          steps.send(1 - rank, Schedule.INPUT, 0, bytes / Float.BYTES);
          steps.recv(1 - rank, Schedule.OUTPUT, 0, bytes / Float.BYTES);
          return steps.build();
        };
    assertThat(seconds(2, NETWORK, exchange)).isCloseTo(message((double) bytes), ROUNDING);
    assertThat(seconds(2, shared, exchange)).isCloseTo(2 * OVERHEAD + 2 * bytes / copy, ROUNDING);
  }

  /** With more ranks than cores all but the latency takes longer, in proportion. */
  @Test
  void ranksShareTheCores() {
    Network twoCores =
        new Network(Duration.ofNanos(7000), BETA, FREE, GAMMA, Duration.ofNanos(1000), 2);
    Workload workload = new Workload(OperationKind.ALL_REDUCE, 8, 1 << 16, WHOLE);
    IntFunction<Schedule> planner =
        rank -> Schedules.plan(workload.request(rank), Algorithm.RECURSIVE_DOUBLING);
    double alone = seconds(8, NETWORK, planner);
    double latencies = 3 * ALPHA;
    assertThat(seconds(8, twoCores, planner))
        .isCloseTo(latencies + 4 * (alone - latencies), ROUNDING);
    assertThat(List.of(twoCores.slowdown(1), twoCores.slowdown(2), twoCores.slowdown(3)))
        .containsExactly(1.0, 1.0, 1.5);
  }
}
