/** Measurements with JMH, and comparisons with what others offer. */
@NullMarked
package dev.tutti.benchmarks;

import org.jspecify.annotations.NullMarked;
