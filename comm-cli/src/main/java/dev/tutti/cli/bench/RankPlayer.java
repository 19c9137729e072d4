package dev.tutti.cli.bench;

import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.SlotPool;
import java.io.IOException;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * One rank of a measured group: does what the conductor's lines say, and answers each.
 *
 * <ul>
 *   <li>{@code check OPERATION PLACE COUNT}: lays out and fills the buffers, calls once, checks the
 *       result; answers {@code checked WRONG}, or {@code unsupported REASON}.
 *   <li>{@code loop N}: calls N times; answers {@code looped NANOS}.
 *   <li>{@code time N}: calls N times, each one timed; answers {@code timed NANOS P50 P99}.
 *   <li>{@code memory}: answers {@code memory SLOTS SLOT_BYTES ALLOCATED WAITS}.
 *   <li>{@code end}: returns.
 * </ul>
 */
final class RankPlayer {
  private static final int SIGNIFICANT_DIGITS = 3;
  private static final long LONGEST_NANOS = 3_600_000_000_000L;

  /**
   * Iterations before the clock starts, which bring the ranks into step; of them one if there are
   * few.
   */
  private static final int LEAD_IN = 10;

  private static final int FEW = 100;

  private final ProcessGroup group;
  private final Memory memory;
  private final ReduceOp op;
  private final int root;
  private final Histogram histogram = new Histogram(LONGEST_NANOS, SIGNIFICANT_DIGITS);
  private @Nullable BenchCall current;

  RankPlayer(ProcessGroup group, Memory memory, ReduceOp op, int root) {
    this.group = group;
    this.memory = memory;
    this.op = op;
    this.root = root;
  }

  /**
   * Obeys until the conductor says {@code end}, or the group fails, which the conductor is told.
   *
   * @return whether all went well
   * @throws IOException if the conductor has gone
   */
  boolean play(Lines conductor) throws IOException {
    try {
      while (true) {
        List<String> words = conductor.receive();
        switch (words.getFirst()) {
          case "check" -> check(conductor, words);
          case "loop" -> conductor.send("looped", loop(Long.parseLong(words.get(1))));
          case "time" -> {
            RankTiming timing = time(Long.parseLong(words.get(1)));
            conductor.send("timed", timing.totalNanos(), timing.p50Nanos(), timing.p99Nanos());
          }
          case "memory" -> {
            SlotPool.Usage usage = group.memory();
            conductor.send(
                "memory", usage.slots(), usage.slotBytes(), usage.allocatedBytes(), usage.waits());
          }
          case "end" -> {
            return true;
          }
          default -> throw new IllegalStateException("no such command: " + words);
        }
      }
    } catch (RuntimeException | Error e) {
      conductor.send("failed", e);
      return false;
    }
  }

  private void check(Lines conductor, List<String> words) throws IOException {
    BenchCall call =
        new BenchCall(
            group,
            BenchOperation.valueOf(words.get(1)),
            Place.valueOf(words.get(2)),
            memory,
            op,
            root,
            Long.parseLong(words.get(3)));
    Availability support = group.supports(call.asOperation());
    if (!support.isAvailable()) {
      conductor.send("unsupported", support.describe());
      return;
    }
    call.fill();
    call.call();
    current = call;
    conductor.send("checked", call.countWrong());
  }

  private long loop(long iterations) {
    BenchCall call = prepared();
    long start = System.nanoTime();
    for (long i = 0; i < iterations; i++) {
      call.call();
    }
    return System.nanoTime() - start;
  }

  private RankTiming time(long iterations) {
    BenchCall call = prepared();
    loop(iterations < FEW ? 1 : LEAD_IN);
    histogram.reset();
    long start = System.nanoTime();
    for (long i = 0; i < iterations; i++) {
      long before = System.nanoTime();
      call.call();
      histogram.recordValue(Math.min(System.nanoTime() - before, LONGEST_NANOS));
    }
    long total = System.nanoTime() - start;
    return new RankTiming(
        total, histogram.getValueAtPercentile(50), histogram.getValueAtPercentile(99));
  }

  private BenchCall prepared() {
    if (current == null) {
      throw new IllegalStateException("no operation was checked before it is to be timed");
    }
    return current;
  }
}
