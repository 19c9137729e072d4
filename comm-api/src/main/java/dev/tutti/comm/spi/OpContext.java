package dev.tutti.comm.spi;

import dev.tutti.comm.CommException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What accompanies an operation through layers and backend: its number, its timeout, a trace of how
 * it is carried out, and the place to report its end.
 *
 * <p><b>Threading.</b> Used under the group's lock only.
 */
public final class OpContext {
  /** Where an operation's end is reported; called once, under the group's lock. */
  public interface Listener {
    /**
     * The operation has ended.
     *
     * @param context the operation's context; its {@link OpContext#failure()} tells how
     */
    void ended(OpContext context);
  }

  /** How an operation is carried out; written by backends, read by messages and events. */
  public static final class Trace {
    private String algorithm = "";

    private Trace() {}

    /** Returns the name of the algorithm that was chosen, empty if none is known. */
    public String algorithm() {
      return algorithm;
    }

    /** Notes the algorithm that was chosen. */
    public void algorithm(String name) {
      algorithm = name;
    }
  }

  private final Operation operation;
  private final long sequence;
  private final Duration timeout;
  private final Listener listener;
  private final Trace trace;
  private boolean done;
  private @Nullable CommException failure;

  /**
   * Creates the context of an operation that was just issued.
   *
   * @param operation what was called
   * @param sequence its number among the group's operations on this rank, from 0
   * @param timeout how long it may take after its predecessor has ended
   * @param listener told of its end
   */
  public OpContext(Operation operation, long sequence, Duration timeout, Listener listener) {
    this(operation, sequence, timeout, listener, new Trace());
  }

  private OpContext(
      Operation operation, long sequence, Duration timeout, Listener listener, Trace trace) {
    this.operation = operation;
    this.sequence = sequence;
    this.timeout = timeout;
    this.listener = listener;
    this.trace = trace;
  }

  /**
   * Returns the context of a part of this operation, with the same number, timeout and trace.
   *
   * @param part what is to be done
   * @param partListener told of the part's end
   */
  public OpContext part(Operation part, Listener partListener) {
    return new OpContext(part, sequence, timeout, partListener, trace);
  }

  /** Returns what was called. */
  public Operation operation() {
    return operation;
  }

  /** Returns the operation's number among the group's operations on this rank, from 0. */
  public long sequence() {
    return sequence;
  }

  /** Returns how long the operation may take after its predecessor has ended. */
  public Duration timeout() {
    return timeout;
  }

  /** Returns the trace of how it is carried out. */
  public Trace trace() {
    return trace;
  }

  /** Returns whether it has ended. */
  public boolean isDone() {
    return done;
  }

  /** Returns what it failed with, or null if it has not. */
  public @Nullable CommException failure() {
    return failure;
  }

  /** Reports that the operation is complete. Without effect if it has ended. */
  public void complete() {
    if (!done) {
      done = true;
      listener.ended(this);
    }
  }

  /**
   * Reports that the operation failed. Without effect if it has ended.
   *
   * @param cause what, where, why and the next step
   */
  public void fail(CommException cause) {
    if (!done) {
      done = true;
      failure = cause;
      listener.ended(this);
    }
  }
}
