package dev.tutti.tcp.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.tcp.schedule.Algorithm;
import dev.tutti.tcp.schedule.Aliasing;
import dev.tutti.tcp.schedule.Limits;
import dev.tutti.tcp.schedule.OperationKind;
import dev.tutti.tcp.schedule.Schedule;
import dev.tutti.tcp.schedule.ScheduleBuilder;
import dev.tutti.tcp.schedule.Schedules;
import dev.tutti.tcp.simulate.Price.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntFunction;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every algorithm has a price, whatever the ranks and bytes; and the short cuts are right. */
@Timeout(100)
class PricingTest {
  private static final Network NETWORK =
      new Network(Duration.ofNanos(5000), 3e9, 4e9, 9e9, Duration.ofNanos(700), 0);
  private static final List<OperationKind> OPERATIONS =
      Arrays.stream(OperationKind.values()).filter(kind -> kind != OperationKind.BATCH).toList();

  @Test
  void everyAlgorithmEndsForEverySize() {
    Pricing pricing = new Pricing(NETWORK);
    Set<Algorithm> priced = EnumSet.noneOf(Algorithm.class);
    for (int size = 1; size <= 33; size++) {
      for (OperationKind operation : OPERATIONS) {
        for (long bytes : new long[] {0, 4, 1000, 300_004}) {
          Workload workload = new Workload(operation, size, bytes, new Limits(4096, 65536, 1024));
          assertThat(Schedules.algorithms(workload.request(0))).contains(Pricing.chosen(workload));
          for (Algorithm algorithm : Schedules.algorithms(workload.request(0))) {
            priced.add(algorithm);
            Price price = pricing.price(workload, algorithm);
            boolean moves = size > 1 && (bytes > 0 || operation == OperationKind.BARRIER);
            assertThat(price.method()).isNotEqualTo(Method.EXTRAPOLATED);
            assertThat(price.time())
                .as("%s by %s", workload, algorithm)
                .isGreaterThanOrEqualTo(moves ? Duration.ofNanos(6400) : Duration.ZERO);
          }
        }
      }
    }
    assertThat(priced)
        .hasSize(Algorithm.values().length - 1)
        .doesNotContain(Algorithm.POINT_TO_POINT);
  }

  @Test
  void oneRankStandsForAllOnlyWhereThatChangesNothing() {
    Set<Symmetry> seen = EnumSet.noneOf(Symmetry.class);
    for (int size : new int[] {2, 3, 4, 7, 8, 16, 20}) {
      for (OperationKind operation : OPERATIONS) {
        Workload workload = new Workload(operation, size, 40_320, new Limits(1024, 8192, 0));
        for (Algorithm algorithm : Schedules.algorithms(workload.request(0))) {
          IntFunction<Schedule> planner = rank -> Schedules.plan(workload.request(rank), algorithm);
          Symmetry symmetry = Symmetry.of(size, planner.apply(0), planner);
          if (symmetry != null) {
            seen.add(symmetry);
            TaskGraph one = TaskGraph.of(planner.apply(0), workload.elementBytes(), symmetry);
            TaskGraph all =
                Objects.requireNonNull(
                    TaskGraph.of(size, workload.elementBytes(), planner, Integer.MAX_VALUE));
            assertThat(new Simulation(one, NETWORK, size).run(planner))
                .as("%s by %s", workload, algorithm)
                .isCloseTo(
                    new Simulation(all, NETWORK, size).run(planner),
                    Percentage.withPercentage(1e-9));
          }
        }
      }
    }
    assertThat(seen).containsExactlyInAnyOrder(Symmetry.values());
  }

  @Test
  void treesAndUnevenBlocksAreNoSymmetry() {
    assertThat(price(OperationKind.BROADCAST, Algorithm.BINOMIAL, 16, 4096).method())
        .isEqualTo(Method.SIMULATED);
    assertThat(price(OperationKind.ALL_REDUCE, Algorithm.RING, 16, 4096).method())
        .isEqualTo(Method.SYMMETRY);
    assertThat(price(OperationKind.ALL_REDUCE, Algorithm.RING, 16, 4100).method())
        .isEqualTo(Method.SIMULATED);
  }

  private static Price price(OperationKind operation, Algorithm algorithm, int size, long bytes) {
    return new Pricing(NETWORK)
        .price(new Workload(operation, size, bytes, Limits.DEFAULT), algorithm);
  }

  @Test
  void thousandsOfRanksHaveAPriceToo() {
    Duration ring = price(OperationKind.ALL_REDUCE, Algorithm.RING, 4096, 64 << 20).time();
    double message = 5000 + 2 * 700 + 16384 / 3.0;
    assertThat((double) ring.toNanos())
        .isCloseTo(2 * 4095 * message + 4095 * 16384 / 9.0, Percentage.withPercentage(1));
    Duration doubling =
        price(OperationKind.ALL_REDUCE, Algorithm.RECURSIVE_DOUBLING, 4096, 8).time();
    assertThat((double) doubling.toNanos())
        .isCloseTo(12 * (5000 + 2 * 700 + 8 / 3.0 + 8 / 9.0), within(60.0));
    assertThat(price(OperationKind.BROADCAST, Algorithm.BINOMIAL, 4096, 1 << 20).method())
        .isEqualTo(Method.SIMULATED);
  }

  /** What is too large to be carried out goes on as it did at half and a quarter of the ranks. */
  @Test
  void whatIsTooLargeIsContinuedAndSaysSo() {
    Pricing pricing = new Pricing(NETWORK);
    // Uneven blocks: each rank has a schedule of its own, of 2 * 2047 messages.
    Workload large = new Workload(OperationKind.ALL_REDUCE, 2048, (64 << 20) + 4, Limits.DEFAULT);
    Price continued = pricing.price(large, Algorithm.RING);
    assertThat(continued.method()).isEqualTo(Method.EXTRAPOLATED);
    Workload even = new Workload(OperationKind.ALL_REDUCE, 2048, 64 << 20, Limits.DEFAULT);
    assertThat((double) continued.time().toNanos())
        .isCloseTo(
            (double) pricing.price(even, Algorithm.RING).time().toNanos(),
            Percentage.withPercentage(25));
  }

  @Test
  void theSameIsPricedTheSame() {
    for (OperationKind operation : OPERATIONS) {
      Workload workload = new Workload(operation, 13, 100_000, new Limits(1024, 8192, 0));
      Algorithm algorithm = Pricing.chosen(workload);
      assertThat(new Pricing(NETWORK).price(workload, algorithm))
          .isEqualTo(new Pricing(NETWORK).price(workload, algorithm));
    }
  }

  @Test
  void whatIsStuckIsNamedByStep() {
    IntFunction<Schedule> headOn =
        rank -> {
          ScheduleBuilder steps = new ScheduleBuilder(Algorithm.LINEAR, rank, 2, Aliasing.NONE);
          int received = steps.recv(1 - rank, Schedule.OUTPUT, 0, 3);
          steps.after(received).send(1 - rank, Schedule.INPUT, 0, 3);
          return steps.build();
        };
    TaskGraph graph = Objects.requireNonNull(TaskGraph.of(2, 4, headOn, 100));
    assertThatThrownBy(() -> new Simulation(graph, NETWORK, 2).run(headOn))
        .isInstanceOf(StuckScheduleException.class)
        .hasMessageContaining("4 of 4 steps never end")
        .hasMessageContaining("rank 0: 0 RECV OUTPUT[0,3) from 1")
        .hasMessageContaining("rank 1: 0 RECV OUTPUT[0,3) from 0");
  }

  @Test
  void messagesThatDoNotMatchAreNamed() {
    IntFunction<Schedule> lost =
        rank -> {
          ScheduleBuilder steps = new ScheduleBuilder(Algorithm.LINEAR, rank, 3, Aliasing.NONE);
          if (rank == 0) {
            steps.send(2, Schedule.INPUT, 0, 3);
          }
          return steps.build();
        };
    assertThatThrownBy(() -> TaskGraph.of(3, 4, lost, 100))
        .isInstanceOf(StuckScheduleException.class)
        .hasMessage("rank 0 sends 1 messages to rank 2, which receives 0 of them");
    IntFunction<Schedule> shorter =
        rank -> {
          ScheduleBuilder steps = new ScheduleBuilder(Algorithm.LINEAR, rank, 2, Aliasing.NONE);
          if (rank == 0) {
            steps.send(1, Schedule.INPUT, 0, 3);
          } else {
            steps.recv(0, Schedule.OUTPUT, 0, 2);
          }
          return steps.build();
        };
    assertThatThrownBy(() -> TaskGraph.of(2, 4, shorter, 100))
        .hasMessage("a message of 12 bytes comes where rank 1 receives one of 8 as its step 0");
  }

  @Test
  void anImpossibleNetworkIsRefused() {
    assertThatThrownBy(() -> Network.of(Duration.ofNanos(-1), 1e9)).hasMessageContaining("latency");
    assertThatThrownBy(() -> Network.of(Duration.ZERO, 0)).hasMessageContaining("bandwidths");
    assertThatThrownBy(() -> Network.of(Duration.ZERO, Double.NaN))
        .hasMessageContaining("bandwidths");
    assertThatThrownBy(() -> new Workload(OperationKind.BATCH, 2, 8, Limits.DEFAULT))
        .hasMessageContaining("batch");
  }
}
