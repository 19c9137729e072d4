package dev.tutti.cli.bench;

import dev.tutti.cli.bench.Ensemble.UnsupportedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Conducts the measurement: every case is checked, warmed up and timed, the backends taking turns
 * within each case, so that what drifts on the machine drifts for all of them.
 */
public final class Bench {
  /** One line of a table: what was found for one case, for each backend and place. */
  record Row(BenchCase item, List<Map<Place, Measured>> backends) {}

  /** Is told what is found, as it is found. */
  interface Listener extends AutoCloseable {
    /** All groups are ready. */
    void ready(List<Ensemble> ensembles);

    /** A table begins. */
    void begin(BenchPlan.Table table);

    /** The next loop is about to run. */
    void step(BenchCase item, Ensemble ensemble);

    /** A case is complete. */
    void row(Row row);

    /** A table is complete. */
    void end(BenchPlan.Table table);

    /** All is done; the groups still live. */
    void finished(List<Ensemble> ensembles);

    /** Nothing more will come, whether or not all was done. */
    @Override
    void close();
  }

  /** An operation is called so often, and for so long, before its first case is timed. */
  private static final long COMPILED_CALLS = 10_000;

  private static final Duration COMPILED_TIME = Duration.ofMillis(300);

  /**
   * A backend's first case is called for so long: while the compilers are at work on the same
   * cores, its time stands still for a while at several times what it will be.
   */
  private static final Duration FIRST_COMPILED_TIME = Duration.ofMillis(1500);

  /** Each further case is called so often, and for so long, before it is timed. */
  private static final long WARM_CALLS = 3;

  private static final Duration WARM_TIME = Duration.ofMillis(30);

  /**
   * Longer than this no case is warmed up, but a backend's first, which compiles what all share.
   */
  private static final Duration LONGEST_WARM_UP = Duration.ofMillis(600);

  private static final Duration LONGEST_FIRST_WARM_UP = Duration.ofSeconds(4);

  /**
   * A case whose calls take less than this part of what they took before is still getting faster.
   */
  private static final double SETTLED = 0.9;

  private static final long LEAST_ITERATIONS = 3;
  private static final long MOST_ITERATIONS = 2_000_000;

  private final BenchPlan plan;
  private final List<Listener> listeners;
  private final Pace pace;
  private final Set<String> compiled = new HashSet<>();

  private Bench(BenchPlan plan, List<Listener> listeners, long start) {
    this.plan = plan;
    this.listeners = listeners;
    this.pace = new Pace(plan.effort().time(), plan.measurements(), start);
  }

  /**
   * Starts the ranks, measures, and ends them.
   *
   * @param plan what to measure
   * @param outputs where the findings go
   * @return whether every element was right
   * @throws dev.tutti.comm.ConfigException if a config is wrong; nothing was started
   * @throws dev.tutti.comm.BackendUnavailableException if a backend cannot be had here; nothing was
   *     started
   * @throws BenchFailedException if a rank did not come, died, failed or fell silent
   */
  public static boolean run(BenchPlan plan, Outputs outputs) {
    return run(plan, outputs.listeners(plan));
  }

  /** The same, with others who are told. */
  static boolean run(BenchPlan plan, List<Listener> listeners) {
    long start = System.nanoTime();
    try (Stage stage = Stage.open(plan)) {
      List<Ensemble> ensembles = stage.ensembles();
      listeners.forEach(listener -> listener.ready(ensembles));
      boolean right = new Bench(plan, listeners, start).measure(ensembles);
      listeners.forEach(listener -> listener.finished(ensembles));
      return right;
    } finally {
      listeners.forEach(Listener::close);
    }
  }

  private boolean measure(List<Ensemble> ensembles) {
    boolean right = true;
    for (BenchPlan.Table table : plan.tables()) {
      listeners.forEach(listener -> listener.begin(table));
      for (BenchOperation operation : table.operations()) {
        List<Place> timed = table.timedPlaces(operation);
        for (BenchCase item : table.cases(operation, plan.type(), plan.ranks())) {
          Row row = measure(item, timed, ensembles);
          right &=
              row.backends().stream()
                  .flatMap(places -> places.values().stream())
                  .allMatch(measured -> measured.wrong() == 0);
          listeners.forEach(listener -> listener.row(row));
        }
      }
      listeners.forEach(listener -> listener.end(table));
    }
    return right;
  }

  private Row measure(BenchCase item, List<Place> timed, List<Ensemble> ensembles) {
    List<Map<Place, Measured>> results = new ArrayList<>();
    List<Map<Place, Long>> callNanos = new ArrayList<>();
    for (int i = 0; i < ensembles.size(); i++) {
      results.add(new EnumMap<>(Place.class));
      callNanos.add(new EnumMap<>(Place.class));
    }
    for (int round = 0; round < plan.effort().rounds(); round++) {
      for (int i = 0; i < ensembles.size(); i++) {
        for (Place place : item.operation().places()) {
          Measured measured = results.get(i).computeIfAbsent(place, key -> new Measured());
          Ensemble ensemble = ensembles.get(i);
          if (timed.contains(place)) {
            listeners.forEach(listener -> listener.step(item, ensemble));
          }
          if (check(item, place, ensemble, measured) && timed.contains(place)) {
            time(item, place, ensemble, measured, callNanos.get(i));
          }
        }
      }
    }
    return new Row(item, results);
  }

  /**
   * Carries the operation out once and counts what is wrong; returns whether the backend has it.
   */
  private static boolean check(BenchCase item, Place place, Ensemble ensemble, Measured measured) {
    if (measured.unsupported() != null) {
      return false;
    }
    try {
      measured.addWrong(ensemble.check(item, place));
      return true;
    } catch (UnsupportedException e) {
      measured.unsupported(String.valueOf(e.getMessage()));
      return false;
    }
  }

  private void time(
      BenchCase item,
      Place place,
      Ensemble ensemble,
      Measured measured,
      Map<Place, Long> callNanos) {
    long nanos = callNanos.computeIfAbsent(place, key -> warmUp(item, ensemble));
    long iterations = plan.effort().iterations();
    if (iterations == 0) {
      iterations =
          Math.clamp(
              pace.next(System.nanoTime()) / Math.max(1, nanos), LEAST_ITERATIONS, MOST_ITERATIONS);
    }
    List<RankTiming> timings = ensemble.time(iterations);
    RankTiming reported = reported(item.operation(), timings);
    callNanos.put(place, Math.max(1, reported.totalNanos() / iterations));
    double perMicro = 1000.0 * item.operation().spans();
    measured.addRound(reported.p50Nanos() / perMicro, reported.p99Nanos() / perMicro, iterations);
  }

  /**
   * Returns the timing that a table shows: rank 0's; where one rank only gives or only takes, and
   * may run ahead of the others, that of the rank with the longest median.
   */
  private static RankTiming reported(BenchOperation operation, List<RankTiming> timings) {
    return operation.isRooted()
        ? timings.stream().max(Comparator.comparingLong(RankTiming::p50Nanos)).orElseThrow()
        : timings.getFirst();
  }

  /** Calls a case until it is as fast as it gets; returns the time of a call in nanoseconds. */
  private long warmUp(BenchCase item, Ensemble ensemble) {
    long fixed = plan.effort().warmup();
    if (fixed >= 0) {
      return fixed == 0 ? ensemble.loop(1) : Math.max(1, ensemble.loop(fixed) / fixed);
    }
    boolean veryFirst = compiled.add(ensemble.config());
    Duration longest = veryFirst ? LONGEST_FIRST_WARM_UP : LONGEST_WARM_UP;
    boolean first = compiled.add(ensemble.config() + "/" + item.operation());
    long enoughCalls = first ? COMPILED_CALLS : WARM_CALLS;
    Duration enoughTime = veryFirst ? FIRST_COMPILED_TIME : first ? COMPILED_TIME : WARM_TIME;
    long enoughNanos = enoughTime.toNanos();
    long calls = 0;
    long nanos = 0;
    long batch = 1;
    long before = Long.MAX_VALUE;
    while (true) {
      long took = ensemble.loop(batch);
      calls += batch;
      nanos += took;
      long perCall = Math.max(1, took / batch);
      boolean enough = calls >= enoughCalls && nanos >= enoughNanos && perCall > SETTLED * before;
      boolean slow = calls >= WARM_CALLS && nanos >= longest.toNanos();
      if (enough || slow) {
        return perCall;
      }
      before = perCall;
      // At most twice as many as before, and not much more than what is left of the time.
      long left = Math.max(enoughNanos - nanos, enoughNanos / 4);
      batch = Math.clamp(left / perCall, 1, 2 * batch);
    }
  }
}
