package dev.tutti.comm.internal.control;

import dev.tutti.comm.CommException;

/**
 * The control line of jobs that have none, as those with a file store: only timeouts tell who is
 * gone.
 */
public final class NoControl implements Control {
  @Override
  public void subscribe(String group, Listener listener) {
    // Nothing is ever announced.
  }

  @Override
  public void unsubscribe(String group) {
    // Nobody was subscribed.
  }

  @Override
  public void sendBreak(String group, CommException cause) {
    // There is no line to send it on; the others run into their timeouts.
  }

  @Override
  public boolean detectsDeath() {
    return false;
  }

  @Override
  public void close() {
    // Nothing to end.
  }
}
