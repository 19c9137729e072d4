package dev.tutti.cli.bench;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The ranks of one backend, all of which do the same thing at the same time.
 *
 * <p><b>Threading.</b> One thread at a time.
 */
final class Ensemble implements AutoCloseable {
  /**
   * A rank is given so much more time than its operation's own timeout, whose message says more.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private final String config;
  private final RankJob job;
  private final List<Lines> ranks;
  private final String backend;
  private final Duration startup;

  /**
   * @param config the config string
   * @param backend the backend's name as the group says it
   * @param job the processes
   * @param ranks the line to each rank, in rank order
   * @param startup the time from the start of the processes to the last rank's group being ready
   * @param timeout how long one operation may take
   */
  Ensemble(
      String config,
      String backend,
      RankJob job,
      List<Lines> ranks,
      Duration startup,
      Duration timeout)
      throws IOException {
    this.config = config;
    this.backend = backend;
    this.job = job;
    this.ranks = List.copyOf(ranks);
    this.startup = startup;
    for (Lines rank : ranks) {
      rank.timeout(timeout.plus(PATIENCE));
    }
  }

  /** Returns the config string. */
  String config() {
    return config;
  }

  /** Returns whether the ranks are threads of one process. */
  boolean isOneProcess() {
    return job.isOneProcess();
  }

  /** Returns the time from the start of the processes to the last rank's group being ready. */
  Duration startup() {
    return startup;
  }

  /** Returns the name of the backend that the group chose. */
  String backend() {
    return backend;
  }

  /**
   * Has every rank lay out, carry out and check an operation.
   *
   * @return the number of wrong elements on all ranks
   * @throws UnsupportedException if the backend does not have it
   */
  long check(BenchCase item, Place place) throws UnsupportedException {
    long wrong = 0;
    String unsupported = null;
    for (List<String> answer : ask("check", item.operation().name(), place.name(), item.count())) {
      if (answer.getFirst().equals("unsupported")) {
        unsupported = String.join(" ", answer.subList(1, answer.size()));
      } else {
        wrong += Long.parseLong(answer.get(1));
      }
    }
    if (unsupported != null) {
      throw new UnsupportedException(unsupported);
    }
    return wrong;
  }

  /** A backend does not have an operation; the message says why. */
  static final class UnsupportedException extends Exception {
    private static final long serialVersionUID = 1L;

    UnsupportedException(String reason) {
      super(reason);
    }
  }

  /**
   * Has every rank call the checked operation again and again; returns the slowest's time in
   * nanoseconds.
   */
  long loop(long iterations) {
    long most = 0;
    for (List<String> answer : ask("loop", iterations)) {
      most = Math.max(most, Long.parseLong(answer.get(1)));
    }
    return most;
  }

  /** Has every rank time each of many calls of the checked operation. */
  List<RankTiming> time(long iterations) {
    return ask("time", iterations).stream()
        .map(
            answer ->
                new RankTiming(
                    Long.parseLong(answer.get(1)),
                    Long.parseLong(answer.get(2)),
                    Long.parseLong(answer.get(3))))
        .toList();
  }

  /** Returns the memory that the group of each rank holds. */
  List<PoolMemory> memory() {
    return ask("memory").stream()
        .map(
            answer ->
                new PoolMemory(
                    Integer.parseInt(answer.get(1)),
                    Long.parseLong(answer.get(2)),
                    Long.parseLong(answer.get(3)),
                    Long.parseLong(answer.get(4))))
        .toList();
  }

  /**
   * What one rank's group holds.
   *
   * @param slots the fixed number of slots
   * @param slotBytes the size of each in bytes
   * @param allocatedBytes what was allocated of them
   * @param waits how often a slot was wanted and none was free
   */
  record PoolMemory(int slots, long slotBytes, long allocatedBytes, long waits) {}

  private List<List<String>> ask(Object... question) {
    for (int rank = 0; rank < ranks.size(); rank++) {
      try {
        ranks.get(rank).send(question);
      } catch (IOException e) {
        throw gone(rank, question[0], e);
      }
    }
    List<List<String>> answers = new ArrayList<>();
    for (int rank = 0; rank < ranks.size(); rank++) {
      try {
        List<String> answer = ranks.get(rank).receive();
        if (answer.getFirst().equals("failed")) {
          throw new BenchFailedException(
              "%s: rank %d/%d failed: %s%s"
                  .formatted(
                      config,
                      rank,
                      ranks.size(),
                      String.join(" ", answer.subList(1, answer.size())),
                      job.obituary()),
              null);
        }
        answers.add(answer);
      } catch (SocketTimeoutException e) {
        throw new BenchFailedException(
            "%s: rank %d/%d did not answer \"%s\" in time, not even with a failure; all were ended"
                .formatted(config, rank, ranks.size(), question[0]),
            e);
      } catch (IOException e) {
        throw gone(rank, question[0], e);
      }
    }
    return answers;
  }

  private BenchFailedException gone(int rank, Object question, IOException e) {
    return new BenchFailedException(
        "%s: rank %d/%d ended while it was asked to \"%s\"%s"
            .formatted(config, rank, ranks.size(), question, job.obituary()),
        e);
  }

  /** Lets the ranks leave their group and end, and ends them if they do not. */
  @Override
  public void close() {
    for (Lines rank : ranks) {
      try (rank) {
        rank.send("end");
      } catch (IOException e) {
        // It ended already.
      }
    }
    job.close();
  }
}
