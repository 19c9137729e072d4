package dev.tutti.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code ./tutti}, run in a small house with a pretended JDK and a pretended Maven. */
@DisabledOnOs(OS.WINDOWS)
// In a thread of its own: reading what a process prints cannot be interrupted.
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class LauncherScriptTest {
  private static final Path SCRIPT = Path.of("..", "tutti");

  /** Notes its arguments, waits while a file "hold" lies there, obeys a file "fail". */
  private static final String PRETENDED_MAVEN =
      """
      #!/bin/sh
      here=$(dirname "$0")/..
      echo "$*" >>"$here/mvn.log"
      while [ -e "$here/hold" ]; do sleep 0.02; done
      if [ -e "$here/fail" ]; then echo "[ERROR] no luck"; exit 1; fi
      for argument; do
        case $argument in
          -Dmdep.outputFile=*) printf %s "$here/library.jar" >"${argument#*=}" ;;
        esac
      done
      """;

  private static final String PRETENDED_JAVA =
      """
      #!/bin/sh
      echo "in $(pwd -P)"
      for argument; do echo "[$argument]"; done
      """;

  /** Notes where it was to put what it makes, obeys a file "fail-mpi". */
  private static final String PRETENDED_SETUP =
      """
      #!/bin/sh
      here=$(dirname "$0")/../..
      echo "$1" >>"$here/setup.log"
      if [ -e "$here/fail-mpi" ]; then echo "no Open MPI"; exit 1; fi
      touch "$1/mpi.jar"
      """;

  @TempDir Path folder;
  private Path house;
  private final List<Process> started = new ArrayList<>();

  private record Outcome(int exitCode, String output) {}

  @BeforeEach
  void furnish() throws IOException {
    house = Files.createDirectories(folder.resolve("a house"));
    Files.copy(SCRIPT, house.resolve("tutti"), StandardCopyOption.COPY_ATTRIBUTES);
    write(house.resolve("pom.xml"), "");
    write(house.resolve("comm-cli/pom.xml"), "");
    write(house.resolve("comm-cli/src/main/java/Main.java"), "");
    write(folder.resolve("library.jar"), "");
    Files.createDirectories(house.resolve("comm-cli/target/command/classes"));
    program(folder.resolve("bin/mvn"), PRETENDED_MAVEN);
    program(house.resolve("scripts/setup-mpi"), PRETENDED_SETUP);
    jdk("jdk-25", "25.0.3");
    jdk("jdk-17", "17.0.15");
  }

  @AfterEach
  void endProcesses() throws IOException, InterruptedException {
    Files.deleteIfExists(folder.resolve("hold"));
    for (Process process : started) {
      process.destroyForcibly().waitFor();
    }
  }

  @Test
  void buildsOnceAndRunsTheCommand() throws Exception {
    assertThat(tutti("bench").output()).contains("for the first time", "[dev.tutti.cli.Main]");
    Outcome second = tutti("bench");
    assertThat(second.exitCode()).isZero();
    assertThat(second.output()).doesNotContain("building").contains("[bench]");
    assertThat(builds()).hasSize(1);
  }

  @Test
  void keepsArgumentsAndWorkingDirectoryThroughASymbolicLink() throws Exception {
    Path elsewhere = Files.createDirectories(folder.resolve("elsewhere"));
    Path link = Files.createSymbolicLink(elsewhere.resolve("t"), Path.of("../a house/tutti"));
    Outcome outcome =
        await(start(elsewhere, Map.of(), List.of(link.toString(), "run", "a b", "", "$x*")));
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.output())
        .contains("in " + elsewhere.toRealPath())
        .contains("[run]\n[a b]\n[]\n[$x*]\n");
  }

  @Test
  void buildsAgainAfterAnyChange() throws Exception {
    Path source = house.resolve("comm-cli/src/main/java/Main.java");
    Path other = house.resolve("comm-cli/src/main/java/Other.java");
    tutti("bench");
    Files.writeString(source, "changed");
    assertThat(tutti("bench").output()).contains("building what changed");
    write(other, "added");
    tutti("bench");
    Files.delete(other);
    tutti("bench");
    Files.writeString(house.resolve("comm-cli/pom.xml"), "changed");
    tutti("bench");
    assertThat(builds()).hasSize(5);
    tutti("bench");
    assertThat(builds()).hasSize(5);
  }

  @Test
  void buildsAgainWhenALibraryIsGone() throws Exception {
    tutti("bench");
    Files.delete(folder.resolve("library.jar"));
    tutti("bench");
    assertThat(builds()).hasSize(2);
  }

  @Test
  void testsAndBenchmarksAreNoReasonToBuild() throws Exception {
    tutti("bench");
    write(house.resolve("comm-cli/src/test/java/MainTest.java"), "added");
    write(house.resolve("benchmarks/pom.xml"), "added");
    tutti("bench");
    assertThat(builds()).hasSize(1);
  }

  @Test
  void aFailedBuildShowsWhyAndIsTriedAgain() throws Exception {
    write(folder.resolve("fail"), "");
    Outcome failed = tutti("bench");
    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(failed.output())
        .contains("[ERROR] no luck", "the build failed")
        .doesNotContain("[bench]");
    Files.delete(folder.resolve("fail"));
    assertThat(tutti("bench").output()).contains("[bench]");
  }

  @Test
  void oneBuildServesAllWhoWait() throws Exception {
    write(folder.resolve("hold"), "");
    Process first = start(house, Map.of(), List.of("./tutti", "bench", "1"));
    while (builds().isEmpty()) {
      assertThat(first.isAlive()).isTrue();
      Thread.onSpinWait();
    }
    Process second = start(house, Map.of(), List.of("./tutti", "bench", "2"));
    Process third = start(house, Map.of(), List.of("./tutti", "bench", "3"));
    var output = second.inputReader(UTF_8);
    assertThat(output.readLine()).contains("waiting for another ./tutti", "" + first.pid());
    Files.delete(folder.resolve("hold"));
    assertThat(await(first).output()).contains("[1]");
    assertThat(output.lines()).contains("[2]");
    assertThat(await(third).output()).contains("[3]");
    assertThat(builds()).hasSize(1);
    assertThat(house.resolve(".tutti/build.lock")).doesNotExist();
  }

  @Test
  void aLockWhoseOwnerDiedIsTakenOver() throws Exception {
    Process dead = new ProcessBuilder("true").start();
    dead.waitFor();
    write(house.resolve(".tutti/build.lock/pid"), dead.pid() + "\n");
    assertThat(tutti("bench").output()).contains("[bench]");
    assertThat(house.resolve(".tutti/build.lock")).doesNotExist();
    assertThat(house.resolve(".tutti/build.lock.takeover")).doesNotExist();
  }

  @Test
  void anOlderJdkIsPassedOver() throws Exception {
    Map<String, String> environment =
        Map.of(
            "JAVA_HOME", folder.resolve("jdk-17").toString(),
            "JAVA_HOME_25_X64", folder.resolve("jdk-25").toString());
    Outcome outcome = await(start(house, environment, List.of("./tutti", "setup")));
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.output()).contains("ready: JDK 25 in " + folder.resolve("jdk-25"));
  }

  @Test
  void withoutMavenItSaysWhatToInstall() throws Exception {
    Files.delete(folder.resolve("bin/mvn"));
    // Of the system's programs only those that the script needs, so that no other mvn is found.
    for (String name : List.of("sh", "dirname", "readlink", "cat", "find")) {
      String system = Files.exists(Path.of("/bin", name)) ? "/bin/" : "/usr/bin/";
      program(
          folder.resolve("bin").resolve(name), "#!/bin/sh\nexec " + system + name + " \"$@\"\n");
    }
    Map<String, String> environment = Map.of("PATH", folder.resolve("bin").toString());
    Outcome outcome = await(start(house, environment, List.of("./tutti", "bench")));
    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.output()).contains("no Maven", "apt-get install maven");
  }

  @Test
  void testRunsVerifyWithMavensArguments() throws Exception {
    Outcome outcome = tutti("test", "-pl", "comm-api", "--slow", "-Dtest=RingTest");
    assertThat(outcome.exitCode()).isZero();
    assertThat(builds())
        .containsExactly(
            "-B verify -pl comm-api -Dtutti.slow=true -Dtest=RingTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false");
    write(folder.resolve("fail"), "");
    assertThat(tutti("test").exitCode()).isEqualTo(1);
  }

  @Test
  void setsMpiUpAndBuildsAgainForIt() throws Exception {
    tutti("bench");
    assertThat(builds()).hasSize(1);
    Outcome outcome = tutti("setup", "mpi");
    assertThat(outcome.output()).contains("ready: JDK 25");
    assertThat(outcome.exitCode()).isZero();
    assertThat(builds()).hasSize(2);
    Path jar = house.toRealPath().resolve(".tutti/mpi.jar");
    assertThat(jar).exists();
    assertThat(tutti("bench").output()).contains(":" + jar + "]");
    assertThat(builds()).hasSize(2);
    assertThat(tutti("setup", "nccl").output()).contains("setup takes no argument but mpi: nccl");
  }

  @Test
  void testsGoOnWithoutMpiUnlessItIsRequired() throws Exception {
    write(folder.resolve("fail-mpi"), "");
    Map<String, String> none = Map.of("TUTTI_REQUIRE", "");
    Outcome without = await(start(house, none, List.of("./tutti", "test")));
    assertThat(without.output())
        .contains("no Open MPI", "the tests of the backend mpi are skipped");
    assertThat(without.exitCode()).isZero();
    Map<String, String> required = Map.of("TUTTI_REQUIRE", "docker,mpi");
    Outcome with = await(start(house, required, List.of("./tutti", "test")));
    assertThat(with.output()).contains("TUTTI_REQUIRE=docker,mpi asks for it");
    assertThat(with.exitCode()).isEqualTo(1);
    assertThat(builds()).hasSize(1);
  }

  private Outcome tutti(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("./tutti"));
    command.addAll(List.of(arguments));
    return await(start(house, Map.of(), command));
  }

  private Process start(Path directory, Map<String, String> environment, List<String> command)
      throws IOException {
    var builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().put("PATH", folder.resolve("bin") + ":/usr/bin:/bin");
    builder.environment().put("HOME", folder.toString());
    builder.environment().put("JAVA_HOME", folder.resolve("jdk-25").toString());
    builder.environment().putAll(environment);
    Process process = builder.start();
    started.add(process);
    return process;
  }

  private static Outcome await(Process process) throws Exception {
    var output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return new Outcome(process.exitValue(), output);
  }

  /** Returns the arguments of each call of Maven. */
  private List<String> builds() throws IOException {
    Path log = folder.resolve("mvn.log");
    return Files.exists(log) ? Files.readAllLines(log) : List.of();
  }

  private void jdk(String name, String version) throws IOException {
    program(folder.resolve(name).resolve("bin/javac"), "#!/bin/sh\n");
    program(folder.resolve(name).resolve("bin/java"), PRETENDED_JAVA);
    write(
        folder.resolve(name).resolve("release"),
        "IMPLEMENTOR=\"Somebody\"\nJAVA_VERSION=\"" + version + "\"\n");
  }

  private static void program(Path path, String text) throws IOException {
    write(path, text);
    assertThat(path.toFile().setExecutable(true)).isTrue();
  }

  private static void write(Path path, String text) throws IOException {
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }
}
