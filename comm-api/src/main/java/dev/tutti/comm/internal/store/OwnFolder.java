package dev.tutti.comm.internal.store;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
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
    PosixFileAttributes attributes =
        Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    Set<PosixFilePermission> permissions = attributes.permissions();
    if (attributes.isSymbolicLink()
        || permissions.contains(PosixFilePermission.GROUP_WRITE)
        || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new IOException(
          folder
              + " can be changed by others than its owner ("
              + (attributes.isSymbolicLink()
                  ? "it is a symbolic link"
                  : PosixFilePermissions.toString(permissions))
              + "): give a folder of its own, such as "
              + folder.resolve("tutti")
              + ", or take their right to write away");
    }
    String user = System.getProperty("user.name");
    if (!attributes.owner().getName().equals(user) && !Files.isWritable(folder)) {
      throw new IOException(folder + " belongs to " + attributes.owner().getName());
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
