package dev.tutti.tcp.simulate;

import dev.tutti.tcp.schedule.Algorithm;
import dev.tutti.tcp.schedule.Schedule;
import dev.tutti.tcp.schedule.Schedules;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What an algorithm costs on a network, for any number of ranks.
 *
 * <p>Where all ranks do the same, one rank's steps are carried out and stand for all; otherwise
 * every rank's. Where that would be too much (an algorithm whose steps grow with the square of the
 * ranks, on thousands of them), the prices of half and of a quarter of the ranks are continued as a
 * power of the ranks. The {@link Price} says which it was.
 *
 * <p>Remembers what it priced. Not thread-safe.
 */
public final class Pricing {
  /** Steps of all ranks together that are carried out. */
  private static final int MOST_STEPS = 2_000_000;

  /** Steps of one rank that are planned. */
  private static final long MOST_RANK_STEPS = 100_000;

  /** Up to so many ranks every step is carried out, however many there are. */
  private static final int FEW_RANKS = 32;

  private static final double NANOS = 1e9;

  private record Key(Workload workload, Algorithm algorithm) {}

  private final Network network;
  private final Map<Key, Price> prices = new HashMap<>();
  private final Map<Key, Long> steps = new HashMap<>();

  /** Creates prices for one network. */
  public Pricing(Network network) {
    this.network = network;
  }

  /** Returns the algorithm that the choice table takes. */
  public static Algorithm chosen(Workload workload) {
    return Schedules.plan(workload.request(0)).algorithm();
  }

  /**
   * Returns what a workload takes with an algorithm.
   *
   * @throws IllegalArgumentException if that algorithm does not do this operation
   * @throws StuckScheduleException if the schedules do not end
   */
  public Price price(Workload workload, Algorithm algorithm) {
    Key key = new Key(workload, algorithm);
    Price known = prices.get(key);
    if (known == null) {
      known = find(key);
      prices.put(key, known);
    }
    return known;
  }

  private Price find(Key key) {
    if (key.workload().size() <= FEW_RANKS || stepsOfARank(key) <= MOST_RANK_STEPS) {
      Workload workload = key.workload();
      IntFunction<Schedule> planner =
          rank -> Schedules.plan(workload.request(rank), key.algorithm());
      Price price = simulate(workload, planner);
      if (price != null) {
        return price;
      }
    }
    return extrapolate(key);
  }

  private @Nullable Price simulate(Workload workload, IntFunction<Schedule> planner) {
    int size = workload.size();
    Schedule zero = planner.apply(0);
    Symmetry symmetry = size == 1 ? null : Symmetry.of(size, zero, planner);
    if (symmetry != null) {
      TaskGraph graph = TaskGraph.of(zero, workload.elementBytes(), symmetry);
      return price(graph, size, planner, Price.Method.SYMMETRY);
    }
    int most = size <= FEW_RANKS ? Integer.MAX_VALUE : MOST_STEPS;
    TaskGraph graph = TaskGraph.of(size, workload.elementBytes(), planner, most);
    return graph == null ? null : price(graph, size, planner, Price.Method.SIMULATED);
  }

  private Price price(
      TaskGraph graph, int size, IntFunction<Schedule> planner, Price.Method method) {
    double seconds = new Simulation(graph, network, size).run(planner);
    return new Price(Duration.ofNanos(Math.round(seconds * NANOS)), method);
  }

  /**
   * Returns how many steps rank 0 has, without planning them if they are far too many: then as the
   * numbers of half and a quarter of the ranks go on.
   */
  private long stepsOfARank(Key key) {
    Long known = steps.get(key);
    if (known == null) {
      known = countSteps(key);
      steps.put(key, known);
    }
    return known;
  }

  private long countSteps(Key key) {
    int size = key.workload().size();
    if (size > FEW_RANKS) {
      double half = stepsOfARank(part(key, 2));
      double quarter = stepsOfARank(part(key, 4));
      double expected = continued(quarter, half);
      if (expected > MOST_RANK_STEPS) {
        return (long) expected;
      }
    }
    return Schedules.plan(key.workload().request(0), key.algorithm()).stepCount();
  }

  private Price extrapolate(Key key) {
    double half = nanos(part(key, 2));
    double quarter = nanos(part(key, 4));
    long nanos = Math.round(continued(quarter, half));
    return new Price(Duration.ofNanos(nanos), Price.Method.EXTRAPOLATED);
  }

  private double nanos(Key key) {
    return price(key.workload(), key.algorithm()).time().toNanos();
  }

  private static Key part(Key key, int parts) {
    Workload workload = key.workload();
    return new Key(workload.ofSize(workload.size() / parts), key.algorithm());
  }

  private static double continued(double quarter, double half) {
    return quarter == 0 ? half : half * half / quarter;
  }
}
