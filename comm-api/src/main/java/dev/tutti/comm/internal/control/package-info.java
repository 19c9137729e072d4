/** Each rank's line to the rest of the job: who died, and which group broke and why. */
@NullMarked
package dev.tutti.comm.internal.control;

import org.jspecify.annotations.NullMarked;
