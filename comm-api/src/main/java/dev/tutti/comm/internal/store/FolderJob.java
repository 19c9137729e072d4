package dev.tutti.comm.internal.store;

import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.Deadline;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * How the ranks of a job find the same folder within the folder that they were given, and never
 * that of a former job.
 *
 * <p>Rank 0 makes a folder of its own and names it in {@code current}, which only one can have.
 * Every other rank leaves a note there with a random name, and believes in the folder once rank 0
 * has answered that very note: a former job's rank 0 answers nothing.
 */
final class FolderJob {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final String END = "end";

  private final Path folder;
  private final int rank;
  private final int size;
  private final Deadline deadline;

  /** A job that was found or made. */
  record Joined(Path folder, Path job, String nonce, boolean folderMade) {}

  FolderJob(Path folder, int rank, int size, Deadline deadline) {
    this.folder = folder;
    this.rank = rank;
    this.size = size;
    this.deadline = deadline;
  }

  Joined join() {
    try {
      return rank == 0 ? hostAgain() : find();
    } catch (IOException e) {
      throw new ConfigException(
          "The rendezvous folder " + folder + " cannot be used: " + describe(e), e);
    }
  }

  static Path members(Path job) {
    return job.resolve("members");
  }

  static Path closed(Path job) {
    return job.resolve("closed");
  }

  static Path temporaries(Path job) {
    return job.resolve("tmp");
  }

  /** Removes a job, and the folder around it if the job made that. */
  static void remove(Joined joined) throws IOException {
    Path current = joined.folder.resolve("current");
    if (joined.nonce.equals(nonceOf(current))) {
      FolderFiles.removeTree(current);
    }
    FolderFiles.removeTree(joined.job);
    if (joined.folderMade) {
      try {
        Files.deleteIfExists(joined.folder);
      } catch (FileSystemException e) {
        // Something else is in it by now.
      }
    }
  }

  // ---- Rank 0

  private Joined hostAgain() throws IOException {
    for (int attempt = 0; ; attempt++) {
      try {
        return host();
      } catch (NoSuchFileException e) {
        // The last rank of a former job was just removing the folder.
        if (attempt == 3) {
          throw e;
        }
      }
    }
  }

  private Joined host() throws IOException {
    Path parent = folder.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    boolean made = OwnFolder.ensure(folder);
    String nonce = random();
    Path job = folder.resolve("job-" + nonce);
    Files.createDirectory(job, OwnFolder.ownersOnly(folder));
    boolean published = false;
    try {
      for (String part : List.of("members", "closed", "tmp", "join", "answer", "v", "x")) {
        Files.createDirectory(job.resolve(part));
      }
      FolderFiles.put(temporaries(job), members(job).resolve("0"), note(size));
      publish(nonce, made);
      published = true;
      Joined joined = new Joined(folder, job, nonce, made);
      try {
        answerAll(job);
      } catch (RuntimeException | IOException e) {
        remove(joined);
        throw e;
      }
      return joined;
    } finally {
      if (!published) {
        FolderFiles.removeTree(job);
      }
    }
  }

  /** Makes {@code current} name this job, once no other job is there. */
  private void publish(String nonce, boolean made) throws IOException {
    Path current = folder.resolve("current");
    Path mine = Files.createDirectory(folder.resolve("new-" + nonce), OwnFolder.ownersOnly(folder));
    try {
      Files.writeString(mine.resolve("nonce"), nonce + "\n" + made + "\n" + END + "\n");
      Backoff backoff = new Backoff(deadline, "Joining the job in " + folder);
      boolean vanished = false;
      while (true) {
        try {
          // A folder takes another's place only if that is empty: of two, one gets through.
          Files.move(mine, current, StandardCopyOption.ATOMIC_MOVE);
          return;
        } catch (FileSystemException e) {
          if (!Files.isDirectory(current)) {
            if (vanished) {
              throw e;
            }
            // The one that was in the way has been removed since: once more.
            vanished = true;
            continue;
          }
        }
        vanished = false;
        String inTheWay = clean(current);
        if (inTheWay != null && !backoff.pause()) {
          throw new ConfigException(inTheWay);
        }
      }
    } finally {
      FolderFiles.removeTree(mine);
    }
  }

  /** Removes a former job; returns why it must stay for now, or null if it is gone. */
  private @Nullable String clean(Path current) throws IOException {
    String nonce = nonceOf(current);
    if (nonce == null) {
      // Its owner is just removing it.
      return "The rendezvous folder " + folder + " holds a job that is not readable: remove it";
    }
    Path job = folder.resolve("job-" + nonce);
    List<String> closed = FolderFiles.names(closed(job));
    for (String member : FolderFiles.names(members(job))) {
      Note note = Note.parse(FolderFiles.lines(members(job).resolve(member)));
      if (note == null || closed.contains(member)) {
        continue;
      }
      ProcessIdentity.State state = note.sender().state();
      if (state == ProcessIdentity.State.ENDED) {
        continue;
      }
      String text =
          "The rendezvous folder "
              + folder
              + " holds another job ("
              + job.getFileName()
              + "), of which rank "
              + member
              + ", "
              + note.sender()
              + (state == ProcessIdentity.State.LIVE
                  ? ", still runs. Give each job a folder of its own"
                  : ", may still run. Give this job another folder, or remove "
                      + job
                      + " and "
                      + current
                      + " if that job is over");
      if (!closed.contains("0")) {
        throw new ConfigException(text);
      }
      // Its rank 0 has left: the others are about to.
      return text;
    }
    Path old = folder.resolve("old-" + random());
    try {
      Files.move(current, old, StandardCopyOption.ATOMIC_MOVE);
    } catch (NoSuchFileException e) {
      return null;
    }
    if (!nonce.equals(nonceOf(old))) {
      // Another rank 0 was faster, and this is its job.
      Files.move(old, current, StandardCopyOption.ATOMIC_MOVE);
      throw new ConfigException(
          "Two processes claim rank 0 of the job in the rendezvous folder "
              + folder
              + ". Give every process a rank of its own, and every job a folder of its own");
    }
    FolderFiles.removeTree(old);
    FolderFiles.removeTree(job);
    return null;
  }

  /** Answers the notes of the other ranks until all are there. */
  private void answerAll(Path job) throws IOException {
    TreeSet<Integer> missing = new TreeSet<>();
    for (int other = 1; other < size; other++) {
      missing.add(other);
    }
    Backoff backoff = new Backoff(deadline, "Waiting for the other ranks in " + folder);
    while (true) {
      for (String name : FolderFiles.names(job.resolve("join"))) {
        answer(job, name, missing);
      }
      if (missing.isEmpty()) {
        return;
      }
      if (!backoff.pause()) {
        throw new CommTimeoutException(
            "Rank 0 of "
                + size
                + " waited "
                + StoreContract.seconds(deadline.timeout())
                + " in the rendezvous folder "
                + folder
                + ": "
                + StoreContract.ranks(missing)
                + (missing.size() == 1 ? " has" : " have")
                + " not come. Look whether they have started, and see the same folder",
            null);
      }
    }
  }

  private void answer(Path job, String name, Set<Integer> missing) throws IOException {
    Path file = job.resolve("join").resolve(name);
    int dash = name.indexOf('-');
    Note note = Note.parse(FolderFiles.lines(file));
    if (note == null || dash < 1) {
      return;
    }
    int other;
    try {
      other = Integer.parseInt(name.substring(0, dash));
    } catch (NumberFormatException e) {
      return;
    }
    String answer;
    if (note.size() != size) {
      answer = "the job has " + size + " ranks, but this process was told " + note.size();
    } else if (other < 1 || other >= size) {
      answer = "its rank is not in [1, " + size + "), and rank 0 is here";
    } else if (!missing.remove(other)) {
      Note holder = Note.parse(FolderFiles.lines(members(job).resolve(String.valueOf(other))));
      String who = holder == null ? "another process" : holder.sender().toString();
      answer = "rank " + other + " is taken by " + who;
    } else {
      answer = "welcome";
      FolderFiles.put(temporaries(job), members(job).resolve(String.valueOf(other)), note.bytes());
    }
    Files.deleteIfExists(file);
    byte[] bytes = (answer + "\n" + END + "\n").getBytes(StandardCharsets.UTF_8);
    FolderFiles.put(
        temporaries(job), job.resolve("answer").resolve(name.substring(dash + 1)), bytes);
  }

  // ---- The other ranks

  private Joined find() throws IOException {
    Path current = folder.resolve("current");
    Backoff backoff = new Backoff(deadline, "Joining the job in " + folder);
    String asked = "";
    String question = random();
    boolean made = false;
    while (true) {
      List<String> lines = currentLines(current);
      if (lines != null) {
        String nonce = lines.getFirst();
        Path job = folder.resolve("job-" + nonce);
        if (!nonce.equals(asked) && ask(job, question)) {
          asked = nonce;
          made = Boolean.parseBoolean(lines.get(1));
        }
        String answer = asked.equals(nonce) ? answered(job, question) : null;
        if ("welcome".equals(answer)) {
          return new Joined(folder, job, nonce, made);
        } else if (answer != null) {
          throw new ConfigException(
              "Rank 0 of the job in the rendezvous folder "
                  + folder
                  + " refuses rank "
                  + rank
                  + " of "
                  + size
                  + ": "
                  + answer
                  + ". Give every process a rank of its own, and every job a folder of its own");
        }
      }
      if (!backoff.pause()) {
        throw new CommTimeoutException(
            "Rank "
                + rank
                + " of "
                + size
                + " waited "
                + StoreContract.seconds(deadline.timeout())
                + " in the rendezvous folder "
                + folder
                + ": "
                + (asked.isEmpty()
                    ? "rank 0 has made no job there"
                    : "the job that is there ("
                        + asked
                        + ") does not answer: it is a former one, which is not joined, or all its"
                        + " ranks are there already")
                + ". Look whether rank 0 has started, and sees the same folder",
            null);
      }
    }
  }

  private boolean ask(Path job, String question) throws IOException {
    try {
      Path file = job.resolve("join").resolve(rank + "-" + question);
      FolderFiles.put(temporaries(job), file, note(size));
      return true;
    } catch (NoSuchFileException e) {
      // That job is just being removed.
      return false;
    }
  }

  private static @Nullable String answered(Path job, String question) throws IOException {
    Path file = job.resolve("answer").resolve(question);
    List<String> lines = FolderFiles.lines(file);
    if (lines == null || lines.size() != 2 || !lines.get(1).equals(END)) {
      return null;
    }
    Files.deleteIfExists(file);
    return lines.getFirst();
  }

  // ---- Both

  /** What a rank says of itself. */
  private record Note(int size, ProcessIdentity sender) {
    static @Nullable Note parse(@Nullable List<String> lines) {
      if (lines == null || lines.size() != 4 || !lines.get(3).equals(END)) {
        return null;
      }
      try {
        ProcessIdentity sender = new ProcessIdentity(lines.get(1), lines.get(2));
        return new Note(Integer.parseInt(lines.get(0)), sender);
      } catch (NumberFormatException e) {
        return null;
      }
    }

    byte[] bytes() {
      String text = size + "\n" + sender.host() + "\n" + sender.process() + "\n" + END + "\n";
      return text.getBytes(StandardCharsets.UTF_8);
    }
  }

  private static byte[] note(int size) {
    return new Note(size, ProcessIdentity.self()).bytes();
  }

  private static @Nullable String nonceOf(Path current) throws IOException {
    List<String> lines = currentLines(current);
    return lines == null ? null : lines.getFirst();
  }

  /** Returns the nonce, and whether the job made the folder; null if there is no job. */
  private static @Nullable List<String> currentLines(Path current) throws IOException {
    List<String> lines = FolderFiles.lines(current.resolve("nonce"));
    return lines == null || lines.size() != 3 || !lines.get(2).equals(END) ? null : lines;
  }

  private static String random() {
    byte[] bytes = new byte[8];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private static String describe(IOException e) {
    return e instanceof FileSystemException f
        ? e.getClass().getSimpleName() + " " + f.getMessage()
        : String.valueOf(e.getMessage());
  }
}
