package dev.tutti.comm.internal.control;

import dev.tutti.comm.CommException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The control lines of ranks that are threads of one JVM: one object for the job, one {@link
 * #line(int)} for each rank. Threads do not die without a word; {@link #simulateDeath} lets a test
 * do so.
 */
public final class InMemoryControl {
  private final List<Line> lines = new ArrayList<>();

  /**
   * Creates the lines of a job.
   *
   * @param size the number of ranks
   */
  public InMemoryControl(int size) {
    for (int rank = 0; rank < size; rank++) {
      lines.add(new Line(rank));
    }
  }

  /**
   * Returns a rank's line, always the same.
   *
   * @param rank the rank, in {@code [0, size)}
   */
  public Control line(int rank) {
    return lines.get(rank);
  }

  /**
   * Tells all other ranks that this one died, as if its process had been killed.
   *
   * @param rank the rank that "dies"
   * @param reason what is said to have been seen
   */
  public void simulateDeath(int rank, String reason) {
    Line dead = lines.get(rank);
    if (!dead.closed) {
      toOthers(rank, line -> line.announcements.died(rank, reason));
    }
  }

  private void toOthers(int rank, Consumer<Line> action) {
    for (Line line : lines) {
      if (line.rank != rank && !line.closed) {
        action.accept(line);
      }
    }
  }

  private final class Line implements Control {
    private final int rank;
    private final Announcements announcements;
    private volatile boolean closed;

    Line(int rank) {
      this.rank = rank;
      this.announcements =
          new Announcements(Thread.ofVirtual().name("tutti-control-" + rank).factory());
    }

    @Override
    public void subscribe(String group, Listener listener) {
      Objects.requireNonNull(group, "group");
      announcements.subscribe(group, Objects.requireNonNull(listener, "listener"));
    }

    @Override
    public void unsubscribe(String group) {
      announcements.unsubscribe(group);
    }

    @Override
    public void sendBreak(String group, CommException cause) {
      if (!closed) {
        toOthers(rank, line -> line.announcements.broken(group, rank, cause));
      }
    }

    @Override
    public boolean detectsDeath() {
      return true;
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
