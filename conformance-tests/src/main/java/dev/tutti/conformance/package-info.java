/**
 * The conformance suite: what every backend must do, as cases and scenarios that all ranks run, and
 * what they must get, from a scalar model. {@link dev.tutti.conformance.Conformance} runs it.
 */
@NullMarked
package dev.tutti.conformance;

import org.jspecify.annotations.NullMarked;
