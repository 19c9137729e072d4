/** Starts the processes of a job on this host and ends them together. */
@NullMarked
package dev.tutti.comm.internal.launch;

import org.jspecify.annotations.NullMarked;
