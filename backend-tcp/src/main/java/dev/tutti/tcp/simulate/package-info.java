/**
 * Prices schedules: a second interpreter of the data that the engine carries out, on a network of
 * latency and bandwidth, for groups that no machine at hand has the ranks for.
 *
 * <p>{@link dev.tutti.tcp.simulate.Pricing} is the door. Everything here is a pure function of the
 * schedules and of the {@link dev.tutti.tcp.simulate.Network}: no clock, no thread, no chance.
 */
@NullMarked
package dev.tutti.tcp.simulate;

import org.jspecify.annotations.NullMarked;
