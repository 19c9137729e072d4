/**
 * What {@code tutti bench} does: operations timed between real processes, several backends in
 * turns, every result checked, printed as nccl-tests print it.
 *
 * <p>The command conducts; the ranks play. A rank is a process of its own (or a thread, for the
 * backend {@code local}) that holds one group and obeys the lines that the conductor sends it.
 */
@NullMarked
package dev.tutti.cli.bench;

import org.jspecify.annotations.NullMarked;
