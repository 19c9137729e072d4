package dev.tutti.comm.internal.store;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects what a class logs, in place of the console. */
public final class LogCapture implements AutoCloseable {
  private final Logger logger;
  private final List<String> lines = new ArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord record) {
          if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
            synchronized (lines) {
              lines.add(record.getMessage());
            }
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  /** Begins to collect. */
  public LogCapture(Class<?> of) {
    logger = Logger.getLogger(of.getName());
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
  }

  /** Returns the warnings and errors so far. */
  public List<String> lines() {
    synchronized (lines) {
      return List.copyOf(lines);
    }
  }

  @Override
  public void close() {
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
  }
}
