package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cli.runtime.OwnRuntime;
import dev.tutti.comm.ProcessGroup;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What the command line takes, and what it says to what it does not take. Starts nothing. */
@Timeout(30)
class CommandLineTest {
  private record Outcome(int exitCode, String out, String err) {}

  private static Outcome execute(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return new Outcome(line.execute(arguments), out.toString(), err.toString());
  }

  @Test
  void helpListsEveryCommandWithExamplesAndExitCodes() {
    Outcome outcome = execute("--help");
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.out())
        .contains(
            "run ",
            "bench ",
            "simulate ",
            "conformance ",
            "doctor ",
            "config ",
            "classpath ",
            "help ")
        .contains("Examples:", "Exit code:");
  }

  @ParameterizedTest
  @ValueSource(strings = {"run", "bench", "simulate", "conformance", "doctor", "config"})
  void everyCommandHasExamplesAndExitCodesInItsHelp(String command) {
    Outcome outcome = execute(command, "--help");
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.out()).contains("Example", "tutti " + command, "Exit code:", "--verbose");
    assertThat(outcome.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(101));
    assertThat(execute("help", command).out()).isEqualTo(outcome.out());
  }

  @Test
  void helpTakesATopicAndNothingUnknown() {
    assertThat(execute("help").out()).isEqualTo(execute("--help").out());
    assertThat(execute("help", "backends").out())
        .contains("tcp ", "local ", "Keys of the group:", "timeout=TIME", "Keys of tcp:");
    Outcome unknown = execute("help", "bensh");
    assertThat(unknown.exitCode()).isEqualTo(2);
    assertThat(unknown.err()).contains("unknown command \"bensh\". Did you mean \"bench\"?");
  }

  @Test
  void versionNamesTuttiAndJava() {
    Outcome outcome = execute("--version");
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.out())
        .containsPattern("tutti \\d+\\.\\d+\\.\\d+")
        .contains("Java " + System.getProperty("java.runtime.version"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|what is to be done? One of: run, bench",
        "bensch|unknown command \"bensch\". Did you mean \"bench\"?",
        "--vresion|unknown option \"--vresion\". Did you mean \"--version\"?",
        "run -n 2 --backnd=tcp ls|unknown option \"--backnd\". Did you mean \"--backend\"?",
        "run --backnd tcp -n 2 ls|unknown option \"--backnd\". Did you mean \"--backend\"?",
        "run ls|Missing required option: '--ranks=N'",
        "run -n 2|Missing required parameter: 'COMMAND'",
        "run -n two ls|'two' is not an int",
        "run -n 0 ls|-n 0: at least one rank is needed",
        "run -n 2 --timeout 30 ls|the unit is missing; write 30s",
        "run -n 2 --backend tcp?timeout=1x ls|unknown unit \"x\"",
        "bench --sizes 8..|\"\" is not a size",
        "bench --sizes 64..8|is no range of sizes",
        "bench --sizes 4MB|write 4MiB",
        "bench --sizes 8..64 --factor 1|--factor 1 is too small",
        "bench --ops allredux|unknown operation \"allredux\". Did you mean \"allReduce\"?",
        "bench --type float|unknown type \"float\". Did you mean \"float16\"?",
        "bench --op summ|unknown operator \"summ\". Did you mean \"sum\"?",
        "bench --backends local --op band|bitwise operators need integers",
        "bench --backends local -n 0|at least one rank is needed",
        "bench --backends local --root 2|ranks are 0 to 1",
        "bench --backends local --rounds 0|at least one is needed",
        "bench --backends local -n 1 --ops pingPong|pingPong needs two ranks",
        "bench --backends local -n 300 --type bfloat16|cannot be checked exactly",
        "bench --backends lokal|unknown backend \"lokal\". Did you mean \"local\"?",
        "bench --backends local,tcp?ifce=lo|tcp has no key \"ifce\". Did you mean \"iface\"?",
        "bench --csv - --json -|cannot both have standard output",
        "bench --fit --ops allReduce|leave out --ops, --sizes, --csv and --json",
        "bench --fit -n 1|--fit needs two ranks or more",
        "bench --fit --backends tcp,local|--fit measures one backend",
        "bench --fit --backends tcp?chunk=1KiB|leave chunk out of tcp?chunk=1KiB",
        "simulate --op allredux|unknown operation \"allredux\". Did you mean \"allReduce\"?",
        "simulate --op batch|unknown operation \"batch\"",
        "simulate --sizes 4MB|write 4MiB",
        "simulate --ranks 0|from 1 to 4096 ranks can be priced, not 0",
        "simulate --ranks 8..2|a range does not shrink; write 2..8",
        "simulate --ranks two|\"two\" is no number of ranks",
        "simulate --alpha 5|the unit is missing; write 5s",
        "simulate --beta 5GB|\"5GB\" is not a rate: write a number and a unit",
        "simulate --beta 5gb/s|unknown unit \"gb/s\". Did you mean \"GB/s\"?",
        "simulate --gamma 0GB/s|a rate is more than 0",
        "simulate --cores 0|a host has at least one",
        "simulate --algo rinf|no algorithm \"rinf\" for allReduce. Did you mean \"ring\"?",
        "simulate --algo chain|no algorithm \"chain\" for allReduce",
        "simulate --plot times.png|the name ends with .svg",
        "simulate --fit no-such-file|cannot read it",
        "simulate --backend tcp|--backend says what --check measures",
        "simulate --check --all|leave out --plot, --json, --algo, --all and --cores",
        "simulate --check --ranks 17|--ranks from 2 to 16, not 17",
        "simulate --check --backend local|--check measures tcp",
        "simulate --check --backend tcp?algo=allReduce:ring|leave algo out of",
        "bench surplus|does not take the argument \"surplus\"",
        "conformance --backends lokal|unknown backend \"lokal\"",
        "conformance -n 0|at least one rank is needed",
        "config tpc|unknown backend \"tpc\". Did you mean \"tcp\"?",
      })
  void whatIsWrongIsNamedWithTheNextStep(String arguments, String message) {
    Outcome outcome = execute(arguments.isEmpty() ? new String[0] : arguments.split(" "));
    assertThat(outcome.err()).contains(message).doesNotContain("\tat ");
    assertThat(outcome.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(outcome.out()).isEmpty();
  }

  @Test
  void verboseShowsWhereAFailureComesFrom() {
    assertThat(execute("config", "-v", "tpc").err()).contains("\tat dev.tutti.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tcp?slot=0",
        "tcp?chunk=0",
        "tcp?algo=allReduce:bruck",
        "tcp?algo=allReduce:rign",
        "mpi?chunk=1"
      })
  void configRefusesWhatABackendWould(String config) {
    Outcome outcome = execute("config", config);

    assertThat(outcome.exitCode()).isEqualTo(2);
    assertThat(outcome.err()).contains(config.substring(config.indexOf('?') + 1));
  }

  @Test
  void configSaysHowAStringIsUnderstood() {
    Outcome outcome = execute("config", "tcp?timeout=60s");
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.out()).contains("is the same as tcp?timeout=1min");
  }

  @Test
  void unknownCommandsOfRunAreFoundBeforeAnythingIsStarted() {
    Outcome missing = execute("run", "-n", "2", "no-such-program-anywhere", "-x");
    assertThat(missing.exitCode()).isEqualTo(127);
    assertThat(missing.err()).contains("command not found", "no-such-program-anywhere", "PATH");
    Outcome file = execute("run", "-n", "2", "./no/such/file");
    assertThat(file.exitCode()).isEqualTo(127);
    assertThat(file.err()).contains("there is no file ./no/such/file");
    Outcome data = execute("run", "-n", "2", "--", "./pom.xml");
    assertThat(data.exitCode()).isEqualTo(126);
    assertThat(data.err()).contains("chmod +x");
  }

  @Test
  void classPathHoldsTheLibraryButNotTheCommand() throws Exception {
    String classPath = execute("classpath").out();
    assertThat(classPath).contains("netty-transport").doesNotContain("picocli", "HdrHistogram");
    assertThat(OwnRuntime.library())
        .contains(origin(ProcessGroup.class))
        .doesNotContain(origin(Main.class))
        .allSatisfy(entry -> assertThat(entry).isAbsolute());
  }

  private static Path origin(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
