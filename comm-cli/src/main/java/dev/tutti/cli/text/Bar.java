package dev.tutti.cli.text;

import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A progress bar on standard error, gone without a trace once it is closed. */
public final class Bar implements AutoCloseable {
  private static final int WIDTH = 78;
  private static final int INTERVAL_MILLIS = 200;

  private final ProgressBar bar;

  /**
   * Shows the bar.
   *
   * @param name what is in progress
   * @param steps how many steps there will be
   */
  public Bar(String name, long steps) {
    this.bar =
        new ProgressBarBuilder()
            .setTaskName(name)
            .setInitialMax(steps)
            .setUpdateIntervalMillis(INTERVAL_MILLIS)
            .setStyle(ProgressBarStyle.ASCII)
            .setConsumer(new ConsoleProgressBarConsumer(System.err, WIDTH))
            .clearDisplayOnFinish()
            .build();
  }

  /**
   * Moves the bar.
   *
   * @param done how many steps are done
   * @param next what comes now
   */
  public void at(long done, String next) {
    bar.setExtraMessage(" " + next);
    bar.stepTo(done);
  }

  /**
   * Moves the bar, whose number of steps may have changed.
   *
   * @param done how many steps are done
   * @param steps how many there are
   * @param next what comes now
   */
  public void at(long done, long steps, String next) {
    bar.maxHint(steps);
    at(done, next);
  }

  @Override
  public void close() {
    bar.close();
  }
}
