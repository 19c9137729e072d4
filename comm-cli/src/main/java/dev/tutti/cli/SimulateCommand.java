package dev.tutti.cli;

import dev.tutti.cli.bench.Fit;
import dev.tutti.cli.bench.Sizes;
import dev.tutti.cli.doctor.Machine;
import dev.tutti.cli.simulate.Plot;
import dev.tutti.cli.simulate.Prediction;
import dev.tutti.cli.simulate.RankCounts;
import dev.tutti.cli.simulate.Scenario;
import dev.tutti.cli.simulate.Simulation;
import dev.tutti.cli.text.Rates;
import dev.tutti.cli.text.Terminal;
import dev.tutti.comm.ConfigException;
import dev.tutti.tcp.schedule.OperationKind;
import dev.tutti.tcp.simulate.Network;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prices collectives of tcp on an alpha-beta network, for groups larger than any machine here. */
@Command(
    name = "simulate",
    sortOptions = false,
    description =
        "Says what collectives of tcp cost on a network of so much latency and bandwidth, for up to"
            + " 4096 ranks.",
    footer = {
      "",
      "The schedules that the engine would carry out are carried out on a model: a message of n bytes",
      "costs overhead + alpha + n / beta + overhead, a rank sends one message and receives one at a",
      "time, and combines n bytes in n / gamma. Each line has the algorithm that the choice table",
      "takes, and the one that is cheapest by price; 'method' says how the time was found.",
      "",
      "Examples:",
      "  tutti simulate                                    allReduce, 4 sizes, 2 to 4096 ranks",
      "  tutti simulate --op broadcast --sizes 1MiB --ranks 2,3,5,12 --all",
      "  tutti simulate --alpha 30us --beta 25Gbit/s --plot times.svg",
      "  tutti bench --fit fit.json && tutti simulate --fit fit.json",
      "  tutti simulate --check --ranks 2                  predicted and measured, side by side",
      "",
      "Exit code: 0 done; 1 if --check found a price that is not within a factor of 2; 2 for a wrong",
      "command line; 3 if a rank of --check failed."
    })
final class SimulateCommand implements Callable<Integer>, Verbosity.Aware {
  private static final String STANDARD_OUTPUT = "-";
  private static final Network DEFAULT =
      new Network(
          Duration.ofNanos(30_000), 3e9, Double.POSITIVE_INFINITY, 10e9, Duration.ofNanos(1000), 0);

  @Mixin private final Verbosity verbosity = new Verbosity();

  @Spec private CommandSpec spec;

  @Option(
      names = "--op",
      paramLabel = "LIST",
      defaultValue = "allReduce",
      description =
          "Operations separated by commas: allReduce, reduceScatter, allGather, broadcast, reduce,"
              + " gather, scatter, allToAll, barrier. Default: ${DEFAULT-VALUE}.")
  private String operations;

  @Option(
      names = "--sizes",
      paramLabel = "LIST",
      description =
          "Sizes of the larger buffer separated by commas, or a range that doubles, such as 8..1MiB."
              + " Default: 8,64KiB,1MiB,64MiB; with --check without the last.")
  private @Nullable String sizes;

  @Option(
      names = {"-n", "--ranks"},
      paramLabel = "LIST",
      description =
          "Numbers of ranks separated by commas, or a range that doubles. Default: 2..4096; with"
              + " --check 2.")
  private @Nullable String ranks;

  @Option(
      names = "--algo",
      paramLabel = "NAME",
      description = "Prices this algorithm instead of the choice table's, where it can do it.")
  private @Nullable String algorithm;

  @Option(names = "--all", description = "Prints the price of every algorithm.")
  private boolean all;

  @Option(
      names = "--fit",
      paramLabel = "FILE",
      description = "Takes the network from what 'tutti bench --fit FILE' measured.")
  private @Nullable String fit;

  @Option(
      names = "--alpha",
      paramLabel = "DURATION",
      description = "Latency of a message. Default: 30us.")
  private @Nullable Duration alpha;

  @Option(
      names = "--beta",
      paramLabel = "RATE",
      description = "Bandwidth of a rank in each direction, such as 5GB/s. Default: 3GB/s.")
  private @Nullable String beta;

  @Option(
      names = "--copy",
      paramLabel = "RATE",
      description = "What a rank can send and receive together. Default: unbounded.")
  private @Nullable String copy;

  @Option(
      names = "--gamma",
      paramLabel = "RATE",
      description = "How fast a rank combines or copies. Default: 10GB/s.")
  private @Nullable String gamma;

  @Option(
      names = "--overhead",
      paramLabel = "DURATION",
      description = "What a step costs its rank, whatever its bytes. Default: 1us.")
  private @Nullable Duration overhead;

  @Option(
      names = "--cores",
      paramLabel = "N",
      description =
          "All ranks are on one host with so many cores, which they share. Default: each rank has"
              + " cores of its own.")
  private @Nullable Integer cores;

  @Option(
      names = "--check",
      description =
          "Starts --ranks processes here, makes each algorithm run, and compares the times with the"
              + " prices on the network of --fit, or one that is measured first.")
  private boolean check;

  @Option(
      names = "--backend",
      paramLabel = "CONFIG",
      description = "The config of --check, such as 'tcp?iface=lo'. Default: tcp.")
  private @Nullable String backend;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Writes the prices as JSON; '-' for standard output in the table's place.")
  private @Nullable String json;

  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description =
          "Draws the times: FILE.svg is a picture, FILE.dat the data for gnuplot, whose script is"
              + " FILE.gp.")
  private @Nullable String plot;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  SimulateCommand() {}

  @Override
  public Verbosity verbosity() {
    return verbosity;
  }

  @Override
  public Integer call() throws IOException {
    List<OperationKind> kinds = Scenario.operations(operations);
    return check ? check(kinds) : simulate(kinds);
  }

  private int simulate(List<OperationKind> kinds) throws IOException {
    if (backend != null) {
      throw new ConfigException(
          "--backend says what --check measures; without it nothing is started");
    }
    if (plot != null) {
      Plot.check(plot);
    }
    Simulation simulation =
        new Simulation(
            kinds,
            Sizes.parse(sizes == null ? "8,64KiB,1MiB,64MiB" : sizes, 2),
            RankCounts.parse(ranks == null ? "2..4096" : ranks),
            network(),
            algorithm == null ? null : Scenario.algorithm(algorithm, kinds));
    Simulation.Priced priced = simulation.run(Terminal.showsProgress());
    PrintWriter out = spec.commandLine().getOut();
    if (STANDARD_OUTPUT.equals(json)) {
      out.print(priced.json());
      out.flush();
    } else {
      priced.print(out, all);
      if (json != null) {
        Files.writeString(Path.of(json), priced.json());
      }
    }
    if (plot != null) {
      priced.plot(plot);
    }
    return ExitCode.OK;
  }

  private int check(List<OperationKind> kinds) {
    if (plot != null || json != null || algorithm != null || all || cores != null) {
      throw new ConfigException(
          "--check prints one table of every algorithm, on this host's cores: leave out --plot, --json,"
              + " --algo, --all and --cores");
    }
    boolean given =
        alpha != null || beta != null || copy != null || gamma != null || overhead != null;
    Prediction prediction =
        new Prediction(
            backend == null ? "tcp" : backend,
            RankCounts.parse(ranks == null ? "2" : ranks),
            kinds,
            Sizes.parse(sizes == null ? "8,64KiB,1MiB" : sizes, 2),
            fit != null || given ? network() : null);
    Map<String, Object> machine = new LinkedHashMap<>();
    machine.put("tutti", "Tutti " + Version.describe());
    machine.putAll(Machine.facts());
    return prediction.holds(machine, spec.commandLine().getOut())
        ? ExitCode.OK
        : ExitCode.CHECK_FAILED;
  }

  /** Returns the network of --fit, or the default, with what is said of it in particular. */
  private Network network() {
    Network base = fit == null ? DEFAULT : Fit.read(fit).network();
    if (cores != null && cores < 1) {
      throw new ConfigException("--cores " + cores + ": a host has at least one");
    }
    return new Network(
        alpha == null ? base.latency() : alpha,
        beta == null ? base.bandwidth() : Rates.parse("--beta", beta),
        copy == null ? base.copyBandwidth() : Rates.parse("--copy", copy),
        gamma == null ? base.reduceBandwidth() : Rates.parse("--gamma", gamma),
        overhead == null ? base.overhead() : overhead,
        cores == null ? 0 : cores);
  }
}
