package dev.tutti.cli.bench;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.internal.reduce.ReduceKernels;
import dev.tutti.tcp.simulate.Network;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the {@link Network} that ranks of this host have between them: alpha and beta from
 * ping-pongs of many sizes, what a rank moves in both directions from exchanges, the overhead of a
 * step from a broadcast in many small pieces, gamma from the reduction kernel alone.
 */
public final class Fitting {
  private static final List<Long> SIZES =
      List.of(8L, 256L, 4L << 10, 32L << 10, 128L << 10, 512L << 10, 2L << 20, 8L << 20);

  /** Large enough that bytes count, not alpha. */
  private static final long LONG_MESSAGE = 128L << 10;

  /** A broadcast of so many bytes lies in the cache, in one piece as in many. */
  private static final long PIECES_BYTES = 64L << 10;

  private static final int PIECES = 64;

  private static final long REDUCED_BYTES = 256L << 10;
  private static final long REDUCE_WARM_UP_NANOS = 300_000_000L;
  private static final int REDUCE_ROUNDS = 101;
  private static final double MICROS = 1e6;
  private static final double NANOS = 1e9;

  private final String config;
  private final int ranks;
  private final Effort effort;
  private final Duration timeout;

  /**
   * @param config the config string to measure
   * @param ranks how many ranks, 2 or more; the first two exchange ping-pongs
   * @param effort how long and how often
   * @param timeout how long one operation may take
   */
  public Fitting(String config, int ranks, Effort effort, Duration timeout) {
    if (ranks < 2) {
      throw new ConfigException(
          "-n " + ranks + ": --fit needs two ranks or more, which exchange messages");
    }
    if (hasKey(config, "chunk")) {
      throw new ConfigException(
          "--fit measures with chunks of its own; leave chunk out of " + config);
    }
    this.config = config;
    this.ranks = ranks;
    this.effort = effort;
    this.timeout = timeout;
  }

  private static boolean hasKey(String config, String key) {
    return config.contains("?" + key + "=") || config.contains("&" + key + "=");
  }

  /**
   * Measures, and reckons.
   *
   * @param machine what is measured on, by name
   * @param table takes a table of the ping-pongs and what was found, or null
   */
  public Fit run(Map<String, Object> machine, @Nullable PrintStream table) {
    Medians messages =
        measure(
            List.of(config), List.of(BenchOperation.PING_PONG, BenchOperation.SEND_RECV), SIZES);
    List<Line.Sample> oneWay = messages.samples(0, BenchOperation.PING_PONG);
    List<Line.Sample> bothWays = messages.samples(0, BenchOperation.SEND_RECV);
    Line line = Line.through(oneWay);
    double slowdown = slowdown();
    double overhead = overheadMicros(slowdown);
    double copy = copyRate(bothWays) * slowdown;
    double latency = Math.max(0, line.fixed() - 2 * overhead);
    Network network =
        new Network(
            micros(latency), MICROS / line.perByte(), copy, reduceRate(), micros(overhead), 0);
    Fit fit = new Fit(config, ranks, network, line.residual(oneWay), machine);
    if (table != null) {
      print(table, fit, line, oneWay, bothWays);
    }
    return fit;
  }

  private Medians measure(List<String> configs, List<BenchOperation> operations, List<Long> sizes) {
    BenchPlan.Table table = new BenchPlan.Table(operations, sizes, BenchPlan.Form.COMPACT);
    return Medians.of(
        new BenchPlan(
            ranks,
            configs,
            List.of(table),
            DataType.FLOAT32,
            ReduceOp.SUM,
            0,
            false,
            effort,
            timeout));
  }

  /** In an exchange every rank works at once, in a ping-pong one after the other. */
  private double slowdown() {
    return Math.max(1, (double) ranks / Runtime.getRuntime().availableProcessors());
  }

  /** Returns the bytes a second that a rank sends and receives together, from long exchanges. */
  private static double copyRate(List<Line.Sample> exchanges) {
    List<Line.Sample> longOnes =
        exchanges.stream().filter(each -> each.bytes() >= LONG_MESSAGE).toList();
    double[] rates =
        longOnes.stream().mapToDouble(each -> 2 * each.bytes() / each.micros() * MICROS).toArray();
    return median(rates);
  }

  /**
   * Returns what each further message costs whatever its bytes: a vector is broadcast in one piece
   * and in many. Only {@code tcp} can be told the length of its pieces; for others it is nothing.
   */
  private double overheadMicros(double slowdown) {
    if (!config.equals("tcp") && !config.startsWith("tcp?")) {
      return 0;
    }
    String and = config.contains("?") ? "&" : "?";
    List<String> configs =
        List.of(
            config + and + "chunk=" + PIECES_BYTES,
            config + and + "chunk=" + PIECES_BYTES / PIECES);
    Medians found = measure(configs, List.of(BenchOperation.BROADCAST), List.of(PIECES_BYTES));
    double whole = found.micros(0, BenchOperation.BROADCAST, PIECES_BYTES);
    double inPieces = found.micros(1, BenchOperation.BROADCAST, PIECES_BYTES);
    // The root hands each piece to as many ranks as the tree has levels.
    int levels = 32 - Integer.numberOfLeadingZeros(ranks - 1);
    return Math.max(0, inPieces - whole) / (PIECES - 1) / levels / slowdown;
  }

  /** Returns the bytes a second that one core combines, of what lies in its cache. */
  private static double reduceRate() {
    double[] rates = new double[REDUCE_ROUNDS];
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment into = arena.allocate(REDUCED_BYTES, Long.BYTES);
      MemorySegment other = arena.allocate(REDUCED_BYTES, Long.BYTES);
      long start = System.nanoTime();
      while (System.nanoTime() - start < REDUCE_WARM_UP_NANOS) {
        combine(into, other);
      }
      for (int i = 0; i < REDUCE_ROUNDS; i++) {
        long before = System.nanoTime();
        combine(into, other);
        rates[i] = REDUCED_BYTES * NANOS / Math.max(1, System.nanoTime() - before);
      }
    }
    return median(rates);
  }

  private static void combine(MemorySegment into, MemorySegment other) {
    long count = REDUCED_BYTES / Float.BYTES;
    ReduceKernels.combine(ReduceOp.SUM, DataType.FLOAT32, into, 0, into, 0, other, 0, count);
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static Duration micros(double micros) {
    return Duration.ofNanos(Math.round(micros * 1000));
  }

  private static void print(
      PrintStream out, Fit fit, Line line, List<Line.Sample> oneWay, List<Line.Sample> bothWays) {
    out.printf(Locale.ROOT, "# %s%n", fit.machine().get("tutti"));
    out.printf(
        "# %s, %d ranks on this host: one way, and both ways at once%n",
        fit.backend(), fit.ranks());
    out.printf("#%n#%11s%12s%12s%8s%12s%n", "size", "pingPong", "the line", "", "sendRecv");
    out.printf("#%11s%12s%12s%8s%12s%n", "(B)", "(us)", "(us)", "ratio", "(us)");
    for (int i = 0; i < oneWay.size(); i++) {
      Line.Sample sample = oneWay.get(i);
      double expected = line.micros(sample.bytes());
      out.printf(
          Locale.ROOT,
          "%12d%12.2f%12.2f%8.2f%12.2f%n",
          sample.bytes(),
          sample.micros(),
          expected,
          expected / sample.micros(),
          bothWays.get(i).micros());
    }
    out.printf("#%n# %s%n", Fit.describe(fit.network()));
    out.printf(
        Locale.ROOT,
        "# residual %.0f %%: root mean square of the line's relative errors%n",
        100 * fit.residual());
    out.flush();
  }
}
