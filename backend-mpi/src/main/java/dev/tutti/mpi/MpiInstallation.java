package dev.tutti.mpi;

import dev.tutti.comm.spi.Availability;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Looks for all that MPI needs here, without loading any of it: the bindings' class, the class that
 * uses them, their native half, and an MPI launcher's variables.
 *
 * @param resources whether a class file can be loaded
 * @param libraryPath the folders of {@code java.library.path}
 * @param usual folders in which Open MPI's libraries lie on usual systems, for advice only
 * @param environment the process's variables
 */
record MpiInstallation(
    Predicate<String> resources,
    String libraryPath,
    List<Path> usual,
    Map<String, String> environment) {
  /** The class of the bindings that is looked for; it is not initialised. */
  static final String BINDINGS = "mpi.Version";

  /** The class that uses them. */
  static final String ADAPTER = "dev.tutti.mpi.OpenMpi";

  private static final String LIBRARY = System.mapLibraryName("mpi_java");

  /** The name in the library of the method that starts MPI. */
  private static final String SYMBOL = "Java_mpi_MPI_InitThread_1jni";

  /** Each launcher that MPI can be started by sets one of these in its processes. */
  private static final List<String> LAUNCHED =
      List.of("OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMIX_NAMESPACE", "PMI_RANK", "PMI_SIZE");

  private static final String SET_UP = "run ./tutti setup mpi";

  /** Returns what is to be looked at in this process. */
  static MpiInstallation here() {
    return new MpiInstallation(
        name -> MpiInstallation.class.getClassLoader().getResource(name) != null,
        System.getProperty("java.library.path", ""),
        usualFolders(),
        System.getenv());
  }

  private static List<Path> usualFolders() {
    List<Path> folders = new ArrayList<>();
    for (String root : List.of("/usr/lib", "/usr/lib64", "/usr/local/lib", "/opt/openmpi/lib")) {
      folders.add(Path.of(root));
      folders.add(Path.of(root, "openmpi", "lib"));
    }
    try (Stream<Path> multiarch = Files.list(Path.of("/usr/lib"))) {
      multiarch
          .filter(folder -> folder.getFileName().toString().endsWith("-linux-gnu"))
          .sorted()
          .forEach(
              folder -> {
                folders.add(folder);
                folders.add(folder.resolve("openmpi").resolve("lib"));
              });
    } catch (IOException e) {
      // There is no such folder: no such system.
    }
    return folders;
  }

  /** Returns whether MPI can be used in this process, and if not, the first thing that lacks. */
  Availability availability() {
    Availability bindings = bindings();
    if (!bindings.isAvailable()) {
      return bindings;
    }
    List<Path> path = folders(libraryPath);
    Path library = find(path);
    if (library == null) {
      Path elsewhere = find(usual);
      return elsewhere == null
          ? noLibrary()
          : Availability.no(
              LIBRARY + " lies in " + elsewhere.getParent() + ", which is not in java.library.path",
              "start with ./tutti run --backend mpi, or with java -Djava.library.path="
                  + elsewhere.getParent());
    }
    return LAUNCHED.stream().noneMatch(environment::containsKey)
        ? Availability.no(
            "this process was not started by an MPI launcher (looked for "
                + String.join(", ", LAUNCHED)
                + ")",
            "start with ./tutti run --backend mpi, mpirun or srun")
        : nativeHalf(library);
  }

  /** Returns whether MPI can be used in processes that mpirun starts from here. */
  Availability startable() {
    Availability bindings = bindings();
    if (!bindings.isAvailable()) {
      return bindings;
    }
    if (mpirun() == null) {
      return Availability.no("there is no mpirun in the folders of PATH", SET_UP);
    }
    Path library = library();
    return library == null ? noLibrary() : nativeHalf(library);
  }

  private Availability bindings() {
    if (!resources.test(file(BINDINGS))) {
      return Availability.no(
          "Open MPI's Java bindings (mpi.jar) are not on the class path",
          SET_UP + ", or add Open MPI's own mpi.jar to the class path");
    }
    return resources.test(file(ADAPTER))
        ? Availability.yes()
        : Availability.no(
            "this build of Tutti was made where there was no mpi.jar", SET_UP + " and build again");
  }

  private Availability noLibrary() {
    return Availability.no(
        "%s was not found in java.library.path %s nor in the usual folders"
            .formatted(LIBRARY, folders(libraryPath)),
        SET_UP);
  }

  private static Availability nativeHalf(Path library) {
    return hasSymbol(library)
        ? Availability.yes()
        : Availability.no(
            library + " is not the native half of Open MPI's Java bindings: it lacks " + SYMBOL,
            SET_UP);
  }

  /** Returns the native half of the bindings, wherever it lies, or null. */
  @Nullable Path library() {
    Path library = find(folders(libraryPath));
    return library == null ? find(usual) : library;
  }

  /** Returns the program that starts MPI's processes, or null if there is none. */
  @Nullable Path mpirun() {
    return folders(environment.getOrDefault("PATH", "")).stream()
        .map(folder -> folder.resolve("mpirun"))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(null);
  }

  private static String file(String name) {
    return name.replace('.', '/') + ".class";
  }

  private static List<Path> folders(String path) {
    List<Path> folders = new ArrayList<>();
    for (String folder : path.split(File.pathSeparator, -1)) {
      try {
        if (!folder.isEmpty()) {
          folders.add(Path.of(folder));
        }
      } catch (InvalidPathException e) {
        // Nothing can lie there.
      }
    }
    return folders;
  }

  private static @Nullable Path find(List<Path> folders) {
    return folders.stream()
        .map(folder -> folder.resolve(LIBRARY))
        .filter(Files::isReadable)
        .findFirst()
        .orElse(null);
  }

  /** Reads the file, which is small, instead of loading it and all of MPI with it. */
  private static boolean hasSymbol(Path library) {
    try {
      String bytes = Files.readString(library, StandardCharsets.ISO_8859_1);
      return bytes.contains(SYMBOL);
    } catch (IOException e) {
      return false;
    }
  }
}
