package dev.tutti.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each thing that may lack is told in one line, with the next step. */
class MpiInstallationTest {
  private static final Map<String, String> LAUNCHED = Map.of("OMPI_COMM_WORLD_SIZE", "4");

  @TempDir private Path folder;

  @BeforeEach
  void library() throws IOException {
    Files.writeString(
        folder.resolve(System.mapLibraryName("mpi_java")), "..Java_mpi_MPI_InitThread_1jni..");
  }

  private String answer(Set<String> classes, String path, Map<String, String> environment) {
    MpiInstallation installation =
        new MpiInstallation(
            name -> classes.contains(name.replaceFirst(".*/", "")),
            path,
            List.of(folder),
            environment);
    String text = installation.availability().describe();
    assertThat(text).doesNotContain("\n");
    return text;
  }

  private static final Set<String> BOTH = Set.of("Version.class", "OpenMpi.class");

  @Test
  void allThere() {
    assertThat(answer(BOTH, "/none:" + folder, LAUNCHED)).isEqualTo("available");
    assertThat(answer(BOTH, folder.toString(), Map.of("PMIX_RANK", "0"))).isEqualTo("available");
  }

  @Test
  void whatLacks() throws IOException {
    assertThat(answer(Set.of(), folder.toString(), LAUNCHED))
        .contains("mpi.jar", "run ./tutti setup mpi");
    assertThat(answer(Set.of("Version.class"), folder.toString(), LAUNCHED))
        .contains("no mpi.jar", "build again");
    assertThat(answer(BOTH, "", LAUNCHED))
        .contains("lies in " + folder, "-Djava.library.path=" + folder);
    assertThat(answer(BOTH, folder.toString(), Map.of()))
        .contains("not started by an MPI launcher", "./tutti run --backend mpi");
    Files.writeString(folder.resolve(System.mapLibraryName("mpi_java")), "another");
    assertThat(answer(BOTH, folder.toString(), LAUNCHED)).contains("is not the native half");
    Files.delete(folder.resolve(System.mapLibraryName("mpi_java")));
    assertThat(answer(BOTH, folder.toString(), LAUNCHED))
        .contains("was not found in java.library.path [" + folder + "]", "run ./tutti setup mpi");
  }

  @Test
  void theQuestionIsAskedQuietlyHere() {
    assertThat(new MpiBackend().availability().isAvailable()).isFalse();
  }
}
