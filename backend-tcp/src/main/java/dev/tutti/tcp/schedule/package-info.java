/**
 * Collective algorithms as data: each algorithm is a pure function from a {@link
 * dev.tutti.tcp.schedule.Request} to one rank's {@link dev.tutti.tcp.schedule.Schedule}.
 *
 * <p>{@link dev.tutti.tcp.schedule.Schedules#plan} is the only door an engine needs. Nothing in
 * this package does I/O, touches memory of a user or starts a thread; everything in it is immutable
 * and may be shared between threads, but for {@link dev.tutti.tcp.schedule.ScheduleBuilder}.
 */
@NullMarked
package dev.tutti.tcp.schedule;

import org.jspecify.annotations.NullMarked;
