/**
 * What {@code tutti simulate} does: prices collectives for any number of ranks on a network that is
 * given or was measured, and compares its prices with measured times.
 */
@NullMarked
package dev.tutti.cli.simulate;

import org.jspecify.annotations.NullMarked;
