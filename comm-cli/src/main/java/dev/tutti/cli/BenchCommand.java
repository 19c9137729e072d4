package dev.tutti.cli;

import dev.tutti.cli.bench.Bench;
import dev.tutti.cli.bench.BenchOperation;
import dev.tutti.cli.bench.BenchPlan;
import dev.tutti.cli.bench.BenchPlan.Form;
import dev.tutti.cli.bench.BenchPlan.Table;
import dev.tutti.cli.bench.Effort;
import dev.tutti.cli.bench.Fit;
import dev.tutti.cli.bench.Fitting;
import dev.tutti.cli.bench.Outputs;
import dev.tutti.cli.bench.Sizes;
import dev.tutti.cli.bench.Words;
import dev.tutti.cli.doctor.Machine;
import dev.tutti.cli.text.Terminal;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.internal.Backends;
import dev.tutti.comm.spi.BackendProvider;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures operations between processes of this host. */
@Command(
    name = "bench",
    sortOptions = false,
    description = "Measures operations between processes of this host, and checks every result.",
    footer = {
      "",
      "Each backend gets processes of its own, one for each rank ('local': one process, a thread for",
      "each rank). The backends take turns within each size. Sizes, counts and bandwidths are those of",
      "nccl-tests: size is that of the larger buffer, algbw = size / time, busbw = algbw times 2(n-1)/n",
      "for allReduce, (n-1)/n for reduceScatter, allGather, allToAll, gather and scatter, 1 for others.",
      "",
      "time is the median over the iterations of a loop of back-to-back calls, no barrier in between,",
      "each waited for with join(), as rank 0 sees it; of rooted operations, where the root or the",
      "others may run ahead, as the slowest rank sees it; of pingPong it is half the round trip. p99 is",
      "that rank's 99th percentile. Both are the median of the rounds.",
      "",
      "Before each timed loop the operation is carried out once on inputs whose exact result is known,",
      "and every element is compared; #wrong counts those that differ, over all ranks and rounds.",
      "",
      "Examples:",
      "  tutti bench                                     allReduce in full, the others at 3 sizes",
      "  tutti bench --backends tcp,local                side by side, with the ratio to the first",
      "  tutti bench --backends 'tcp,tcp?iface=lo'       one backend with different options",
      "  tutti bench --ops all --sizes 8,64KiB,16MiB     every operation in full",
      "  tutti bench --sizes 1KiB..1GiB --factor 4 --csv result.csv",
      "  tutti bench --backends tcp --fit fit.json       alpha and beta, for tutti simulate --fit",
      "",
      "Exit code: 0 if all results were right, 1 if an element was wrong, 2 for a wrong command line,",
      "3 if a backend cannot be had or a rank failed."
    })
final class BenchCommand implements Callable<Integer>, Verbosity.Aware {
  private static final String DEFAULT_SIZES = "8,64,1KiB,8KiB,64KiB,256KiB,1MiB,4MiB,16MiB,64MiB";
  private static final List<Long> OVERVIEW_SIZES = List.of(8L, 64L << 10, 16L << 20);
  private static final String STANDARD_OUTPUT = "-";
  private static final String BACKEND_OF_FIT = "tcp";

  @Mixin private final Verbosity verbosity = new Verbosity();

  @Option(
      names = {"-n", "--ranks"},
      paramLabel = "N",
      defaultValue = "2",
      description = "How many ranks. Default: ${DEFAULT-VALUE}.")
  private int ranks;

  @Option(
      names = "--backends",
      paramLabel = "LIST",
      description =
          "Backends separated by commas, each with its options if it has any, such as"
              + " 'tcp?iface=lo'. Default: each that is available here and that 'auto' could take.")
  private @Nullable String backends;

  @Option(
      names = "--ops",
      paramLabel = "LIST",
      description =
          "Operations separated by commas, or 'all': allReduce, reduceScatter, allGather, broadcast,"
              + " reduce, gather, scatter, allToAll, sendRecv, pingPong, barrier. Default: allReduce,"
              + " then the others at 3 sizes.")
  private @Nullable String operations;

  @Option(
      names = "--sizes",
      paramLabel = "LIST",
      description =
          "Sizes separated by commas, or a range such as 8..64MiB. Default: " + DEFAULT_SIZES + ".")
  private @Nullable String sizes;

  @Option(
      names = "--factor",
      paramLabel = "F",
      defaultValue = "2",
      description = "The step of a range of sizes. Default: ${DEFAULT-VALUE}.")
  private int factor;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      defaultValue = "float32",
      description =
          "int8, uint8, int32, uint32, int64, uint64, float16, bfloat16, float32 or float64."
              + " Default: ${DEFAULT-VALUE}.")
  private String type;

  @Option(
      names = "--op",
      paramLabel = "OP",
      defaultValue = "sum",
      description = "sum, prod, min, max, avg, band, bor or bxor. Default: ${DEFAULT-VALUE}.")
  private String op;

  @Option(
      names = "--root",
      paramLabel = "RANK",
      defaultValue = "0",
      description = "The root of rooted operations. Default: ${DEFAULT-VALUE}.")
  private int root;

  @Option(names = "--heap", description = "Uses Java arrays. Default: memory outside the heap.")
  private boolean heap;

  @Option(
      names = "--time",
      paramLabel = "DURATION",
      description =
          "How long each loop is timed, such as 200ms. Default: so that all loops together last"
              + " about 24 s, but at least 15 ms and at most 200 ms each.")
  private @Nullable Duration time;

  @Option(
      names = "--iters",
      paramLabel = "N",
      defaultValue = "0",
      description = "Times so many iterations instead.")
  private long iterations;

  @Option(
      names = "--warmup",
      paramLabel = "N",
      defaultValue = "-1",
      description =
          "Iterations before the first timed loop. Default: until the code is compiled, by count"
              + " and by time.")
  private long warmup;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description =
          "How often each loop is repeated, the backends taking turns; the median counts. Default:"
              + " ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      defaultValue = "60s",
      description =
          "How long one operation may take, unless the backend's config says it. Default:"
              + " ${DEFAULT-VALUE}.")
  private Duration timeout;

  @Option(
      names = "--csv",
      paramLabel = "FILE",
      description = "Writes the findings as CSV; '-' for standard output in the table's place.")
  private @Nullable String csv;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Writes the findings as JSON; '-' for standard output in the table's place.")
  private @Nullable String json;

  @Option(
      names = "--fit",
      arity = "0..1",
      fallbackValue = STANDARD_OUTPUT,
      paramLabel = "FILE",
      description =
          "Measures one backend's alpha, beta, gamma and overhead instead, with operations and sizes"
              + " of its own, and writes them as JSON for 'tutti simulate --fit FILE'; without FILE"
              + " only prints them.")
  private @Nullable String fit;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  BenchCommand() {}

  @Override
  public Verbosity verbosity() {
    return verbosity;
  }

  @Override
  public Integer call() throws IOException {
    if (fit != null) {
      return fit(fit);
    }
    boolean toOutput = STANDARD_OUTPUT.equals(csv) || STANDARD_OUTPUT.equals(json);
    if (STANDARD_OUTPUT.equals(csv) && STANDARD_OUTPUT.equals(json)) {
      throw new ConfigException("--csv - and --json - cannot both have standard output");
    }
    BenchPlan plan = plan();
    try (PrintStream csvFile = open(csv);
        PrintStream jsonFile = open(json)) {
      Outputs outputs =
          new Outputs(
              machine(),
              toOutput ? null : System.out,
              Terminal.showsProgress(),
              STANDARD_OUTPUT.equals(csv) ? System.out : csvFile,
              STANDARD_OUTPUT.equals(json) ? System.out : jsonFile);
      boolean right = Bench.run(plan, outputs);
      requireWritten(csv, csvFile);
      requireWritten(json, jsonFile);
      return right ? ExitCode.OK : ExitCode.CHECK_FAILED;
    }
  }

  private static Map<String, Object> machine() {
    Map<String, Object> machine = new LinkedHashMap<>();
    machine.put("tutti", "Tutti " + Version.describe());
    machine.putAll(Machine.facts());
    return machine;
  }

  private int fit(String file) throws IOException {
    if (operations != null || sizes != null || csv != null || json != null) {
      throw new ConfigException(
          "--fit measures operations and sizes of its own: leave out --ops, --sizes, --csv and --json");
    }
    List<String> configs = backends == null ? List.of(BACKEND_OF_FIT) : split(backends);
    if (configs.size() != 1) {
      throw new ConfigException("--fit measures one backend, but --backends names " + configs);
    }
    Effort effort = new Effort(iterations, warmup, time, rounds);
    Fitting fitting = new Fitting(configs.getFirst(), ranks, effort, timeout);
    try (PrintStream fitFile = open(file)) {
      Fit found = fitting.run(machine(), System.out);
      if (fitFile != null) {
        fitFile.print(found.json());
        requireWritten(file, fitFile);
      }
    }
    return ExitCode.OK;
  }

  private BenchPlan plan() {
    List<Long> bytes = Sizes.parse(sizes == null ? DEFAULT_SIZES : sizes, factor);
    List<Table> tables = new ArrayList<>();
    if (operations != null) {
      tables.add(new Table(BenchOperation.parse(operations), bytes, Form.FULL));
    } else {
      tables.add(new Table(List.of(BenchOperation.ALL_REDUCE), bytes, Form.FULL));
      if (sizes == null) {
        tables.add(new Table(BenchOperation.others(ranks), OVERVIEW_SIZES, Form.COMPACT));
      }
    }
    Effort effort = new Effort(iterations, warmup, time, rounds);
    DataType dataType = Words.dataType(type);
    ReduceOp reduceOp = Words.reduceOp(op);
    return new BenchPlan(
        ranks,
        backends == null ? availableBackends() : split(backends),
        tables,
        dataType,
        reduceOp,
        root,
        heap,
        effort,
        timeout);
  }

  /** Returns the backends that auto could take, the preferred one first. */
  private static List<String> availableBackends() {
    List<String> names =
        Backends.load().providers().stream()
            .filter(provider -> provider.priority() > 0)
            .filter(provider -> provider.startable().isAvailable())
            .map(BackendProvider::name)
            .toList();
    if (names.isEmpty()) {
      throw new ConfigException(
          "no backend is available here that auto could take; 'tutti doctor' says why. Name another"
              + " one, for example --backends local");
    }
    return names;
  }

  private static List<String> split(String list) {
    List<String> names = new ArrayList<>();
    for (String name : list.split(",", -1)) {
      names.add(name.strip());
    }
    return names;
  }

  /** Opens a file for writing; returns null where there is none, or standard output is meant. */
  private static @Nullable PrintStream open(@Nullable String file) {
    if (file == null || file.equals(STANDARD_OUTPUT)) {
      return null;
    }
    try {
      return new PrintStream(Files.newOutputStream(Path.of(file)), false, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new ConfigException("cannot write " + file + ": " + e, e);
    }
  }

  private static void requireWritten(@Nullable String file, @Nullable PrintStream stream)
      throws IOException {
    if (stream != null && stream.checkError()) {
      throw new IOException("could not write all of " + file + "; is there space left?");
    }
  }
}
