package dev.tutti.cli.bench;

/**
 * What one rank saw in one timed loop.
 *
 * @param totalNanos how long the loop took, in nanoseconds
 * @param p50Nanos the median of its iterations
 * @param p99Nanos the iteration that 99 of 100 did not exceed
 */
record RankTiming(long totalNanos, long p50Nanos, long p99Nanos) {}
