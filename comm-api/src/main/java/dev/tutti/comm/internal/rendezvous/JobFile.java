package dev.tutti.comm.internal.rendezvous;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.store.OwnFolder;
import dev.tutti.comm.internal.store.ProcessIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file by which the ranks of one host find rank 0's port: in a folder that is its owner's alone,
 * named after the job, written atomically, and signed with the process that wrote it, so that one
 * which a former job left is never believed.
 */
final class JobFile {
  private static final String SUFFIX = ".job";

  private final Path path;

  private JobFile(Path path) {
    this.path = path;
  }

  /**
   * What stands in a job file.
   *
   * @param port rank 0's port on this host
   * @param nonce what only this run of the job has
   * @param owner the process that wrote it
   */
  record Entry(int port, String nonce, ProcessIdentity owner) {
    /** Returns whether the process that wrote it still runs. */
    boolean live() {
      return owner.state() == ProcessIdentity.State.LIVE;
    }
  }

  /**
   * Returns the file of a job, in a folder of this user's, which is made if it is not there.
   *
   * @throws ConfigException if others can write into that folder
   */
  static JobFile of(String job) {
    return in(
        Path.of(System.getProperty("java.io.tmpdir"), "tutti-" + System.getProperty("user.name")),
        job);
  }

  static JobFile in(Path folder, String job) {
    try {
      if (Files.isSymbolicLink(folder)) {
        throw new IOException("it is a symbolic link");
      }
      OwnFolder.ensure(folder);
    } catch (IOException e) {
      throw new ConfigException("The folder of job files, " + folder + ": " + e.getMessage(), e);
    }
    String readable = job.replaceAll("[^A-Za-z0-9._-]", "_");
    String shortened = readable.substring(0, Math.min(60, readable.length()));
    return new JobFile(folder.resolve(shortened + "-" + hash(job) + SUFFIX));
  }

  Path path() {
    return path;
  }

  /** Returns what stands in the file, or null if it is not there or not whole. */
  @Nullable Entry read() throws IOException {
    try {
      return entry(Files.readString(path));
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /**
   * Writes the file, in place of one that a former job left.
   *
   * @throws ConfigException if another process that still runs hosts a job of this name
   */
  void write(int port, String nonce) throws IOException {
    Entry old = read();
    ProcessIdentity self = ProcessIdentity.self();
    if (old != null && !old.owner().equals(self) && old.live()) {
      throw new ConfigException(
          "The "
              + old.owner()
              + " already hosts a job of this name on this host ("
              + path
              + "). Two processes have rank 0, or two jobs have one name: set TUTTI_JOB to a name"
              + " of its own for each job");
    }
    sweep();
    Path temporary = Files.createTempFile(path.getParent(), "new", ".tmp");
    Files.writeString(
        temporary, port + "\n" + nonce + "\n" + self.host() + "\n" + self.process() + "\nend\n");
    Files.move(
        temporary, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Removes the file if it is still the one that was written with this nonce. */
  void remove(String nonce) {
    try {
      Entry entry = read();
      if (entry != null && entry.nonce().equals(nonce)) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      // It stays, names a process that does not run, and is swept by a later job.
    }
  }

  /** Removes what processes left that no longer run. */
  private void sweep() throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(path.getParent(), "*" + SUFFIX)) {
      for (Path file : files) {
        Entry entry = new JobFile(file).read();
        if (entry != null && !entry.live()) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  private static @Nullable Entry entry(String text) {
    List<String> lines = text.lines().toList();
    if (lines.size() != 5 || !lines.get(4).equals("end")) {
      return null;
    }
    try {
      ProcessIdentity owner = new ProcessIdentity(lines.get(2), lines.get(3));
      return new Entry(Integer.parseInt(lines.get(0)), lines.get(1), owner);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static String hash(String job) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] bytes = digest.digest(job.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(bytes, 0, 6);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256", e);
    }
  }
}
