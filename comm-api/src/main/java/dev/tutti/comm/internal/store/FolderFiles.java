package dev.tutti.comm.internal.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Files that are whole or not there, whatever their readers do, and names for any key. */
final class FolderFiles {
  private static final int LONGEST_NAME = 180;

  private FolderFiles() {}

  /** Puts a file in place at once: no reader sees a part of it. */
  static void put(Path temporaries, Path file, byte[] bytes) throws IOException {
    Path temporary = Files.createTempFile(temporaries, "t", "");
    Files.write(temporary, bytes);
    Files.move(
        temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Returns a file's bytes, or null if it is not there. */
  static byte @Nullable [] read(Path file) throws IOException {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** Returns the lines of a text file, or null if it is not there. */
  static @Nullable List<String> lines(Path file) throws IOException {
    byte[] bytes = read(file);
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8).lines().toList();
  }

  /** Returns the names in a folder; none if it is not there. */
  static List<String> names(Path folder) throws IOException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      files.forEach(file -> names.add(String.valueOf(file.getFileName())));
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return names;
  }

  /** Removes a folder and all that is in it; what is gone already is as good. */
  static void removeTree(Path folder) throws IOException {
    if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      for (String name : names(folder)) {
        removeTree(folder.resolve(name));
      }
    }
    Files.deleteIfExists(folder);
  }

  /** Returns a file name for a key, different for different keys. */
  static String nameOf(String key) {
    StringBuilder name = new StringBuilder("k");
    for (byte b : key.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xff);
      boolean plain = c < 128 && (Character.isLetterOrDigit(c) || c == '.' || c == '_' || c == '-');
      if (plain) {
        name.append(c);
      } else {
        name.append('%').append(HexFormat.of().toHexDigits(b));
      }
    }
    if (name.length() <= LONGEST_NAME) {
      return name.toString();
    }
    // No other name has a tilde in it.
    return name.substring(0, 100) + "~" + digest(key);
  }

  private static String digest(String key) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(key.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256", e);
    }
  }
}
