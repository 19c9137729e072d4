package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VersionTest {
  private static final String HASH = "0123456789abcdef0123456789abcdef01234567";
  private static final String SHORT = "0123456789ab";

  @TempDir Path folder;

  @Test
  void aBranchIsFollowedToItsCommit() throws IOException {
    write(".git/HEAD", "ref: refs/heads/main\n");
    assertThat(Version.commit(classes())).isNull();
    write(".git/packed-refs", "# pack-refs\n" + HASH + " refs/heads/main\n");
    assertThat(Version.commit(classes())).isEqualTo(SHORT);
    write(".git/refs/heads/main", HASH.replace('0', 'f') + "\n");
    assertThat(Version.commit(classes())).isEqualTo(SHORT.replace('0', 'f'));
  }

  @Test
  void aCommitThatIsOnNoBranchIsTaken() throws IOException {
    write(".git/HEAD", HASH + "\n");
    assertThat(Version.commit(classes())).isEqualTo(SHORT);
  }

  @Test
  void aWorkTreeOfItsOwnIsFollowedToo() throws IOException {
    write("clone/.git/refs/heads/topic", HASH + "\n");
    write("clone/.git/worktrees/t/HEAD", "ref: refs/heads/topic\n");
    write("clone/.git/worktrees/t/commondir", "../..\n");
    write(".git", "gitdir: " + folder.resolve("clone/.git/worktrees/t") + "\n");
    assertThat(Version.commit(classes())).isEqualTo(SHORT);
  }

  @Test
  void outsideOfACloneThereIsNone() throws IOException {
    assertThat(Version.commit(folder.getRoot())).isNull();
    write(".git/HEAD", "");
    assertThat(Version.commit(classes())).isNull();
  }

  private Path classes() throws IOException {
    return Files.createDirectories(folder.resolve("target/classes"));
  }

  private void write(String path, String text) throws IOException {
    Path file = folder.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
