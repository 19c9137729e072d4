/** The command {@code tutti}: run, bench, conformance, doctor, and what they say on a terminal. */
@NullMarked
package dev.tutti.cli;

import org.jspecify.annotations.NullMarked;
