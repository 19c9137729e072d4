package dev.tutti.tcp.simulate;

import java.time.Duration;
import java.util.Objects;

/**
 * What a message and a reduction cost: the alpha-beta model (Hockney 1994) with LogP's overhead.
 *
 * <p>Each rank has a port out, a port in and a processor, and each of the three does one thing at a
 * time, in the order in which it is asked to. A message of n bytes takes {@code overhead} on the
 * sender's processor, n / {@code bandwidth} on its port out, {@code latency} on the way, n / {@code
 * bandwidth} on the receiver's port in, while the next bytes still leave, and {@code overhead} on
 * the receiver's processor: alone, in all, 2 · overhead + latency + n / bandwidth. Each of the two
 * processors is busy for n / {@code copyBandwidth} beside its port: what the rank itself does to
 * move the bytes, which bounds sending and receiving together. Combining, copying or dividing n
 * bytes takes n / {@code reduceBandwidth} on the processor, after the message has arrived.
 *
 * @param latency alpha: from the first byte's leaving the sender to its reaching the receiver
 * @param bandwidth beta: bytes a second of one port in one direction
 * @param copyBandwidth bytes a second that a rank sends and receives together; infinite where both
 *     directions are independent
 * @param reduceBandwidth gamma: bytes a second of local work, counted once: those of the result
 * @param overhead o: what the processor does for a step of a schedule, whatever its bytes
 * @param cores cores that all ranks share, because they are on one host: with more ranks than
 *     cores, everything but the latency takes ranks / cores times as long; 0 where each rank has
 *     cores of its own
 */
public record Network(
    Duration latency,
    double bandwidth,
    double copyBandwidth,
    double reduceBandwidth,
    Duration overhead,
    int cores) {

  private static final double NANOS = 1e9;

  /** Checks that times are not negative and rates are positive. */
  public Network {
    Objects.requireNonNull(latency, "latency");
    Objects.requireNonNull(overhead, "overhead");
    if (latency.isNegative() || overhead.isNegative()) {
      throw new IllegalArgumentException(
          "latency and overhead must not be negative: " + latency + ", " + overhead);
    }
    if (!(bandwidth > 0) || !(copyBandwidth > 0) || !(reduceBandwidth > 0)) {
      throw new IllegalArgumentException(
          "bandwidths must be positive: "
              + bandwidth
              + ", "
              + copyBandwidth
              + ", "
              + reduceBandwidth);
    }
    if (cores < 0) {
      throw new IllegalArgumentException("cores must not be negative: " + cores);
    }
  }

  /**
   * Returns a network of latency and bandwidth alone: both directions independent, local work and
   * steps free, no shared cores.
   */
  public static Network of(Duration latency, double bandwidth) {
    return new Network(
        latency, bandwidth, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, Duration.ZERO, 0);
  }

  /** Returns how many times longer work takes because so many ranks share the cores; at least 1. */
  public double slowdown(int ranks) {
    return cores == 0 ? 1 : Math.max(1, (double) ranks / cores);
  }

  double latencySeconds() {
    return latency.toNanos() / NANOS;
  }

  double overheadSeconds() {
    return overhead.toNanos() / NANOS;
  }
}
