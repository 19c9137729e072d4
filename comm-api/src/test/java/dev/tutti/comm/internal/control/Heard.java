package dev.tutti.comm.internal.control;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A listener that keeps what it hears, in order. */
final class Heard implements Control.Listener {
  /** One announcement. */
  record News(boolean death, int rank, String text, Class<?> kind, CommException cause) {}

  private final BlockingQueue<News> news = new LinkedBlockingQueue<>();

  @Override
  public void broken(int worldRank, CommException cause) {
    news.add(
        new News(false, worldRank, String.valueOf(cause.getMessage()), cause.getClass(), cause));
  }

  @Override
  public void died(int worldRank, String reason) {
    news.add(new News(true, worldRank, reason, Void.class, new CommAbortedException(reason, null)));
  }

  /** Returns the next announcement, waiting for it. */
  News next() throws InterruptedException {
    News next = news.poll(10, TimeUnit.SECONDS);
    if (next == null) {
      throw new AssertionError("Nothing was announced");
    }
    return next;
  }

  boolean quiet() {
    return news.isEmpty();
  }
}
