package dev.tutti.comm.internal.store;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Folders into which nobody but their owner can put a file: what is read there is believed. */
public final class OwnFolder {
  private OwnFolder() {}

  /**
   * Makes a folder for its owner alone, or checks that the one which is there is so.
   *
   * @return whether it was made
   * @throws IOException if it cannot be made, or others can write into it
   */
  public static boolean ensure(Path folder) throws IOException {
    try {
      Files.createDirectory(folder, ownersOnly(folder));
      return true;
    } catch (FileAlreadyExistsException e) {
      check(folder);
      return false;
    }
  }

  private static void check(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      throw new NotDirectoryException(folder.toString());
    }
    if (!isPosix(folder)) {
      return;
    }
    PosixFileAttributes attributes = Files.readAttributes(folder, PosixFileAttributes.class);
    Set<PosixFilePermission> permissions = attributes.permissions();
    if (permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new IOException(
          "everybody can write into it ("
              + PosixFilePermissions.toString(permissions)
              + "): give a folder of its own, such as "
              + folder.resolve("tutti"));
    }
    if (!Files.isWritable(folder)) {
      throw new IOException(
          "it belongs to " + attributes.owner().getName() + " and cannot be written into");
    }
  }

  static FileAttribute<?>[] ownersOnly(Path folder) {
    return isPosix(folder)
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
        }
        : new FileAttribute<?>[0];
  }

  private static boolean isPosix(Path folder) {
    return folder.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
