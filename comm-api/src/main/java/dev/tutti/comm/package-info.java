/**
 * The API that programs use: a {@link dev.tutti.comm.ProcessGroup} of ranks, its collective
 * operations on {@link dev.tutti.comm.CommBuffer}s, and the {@link dev.tutti.comm.Work} that each
 * returns.
 */
@NullMarked
package dev.tutti.comm;

import org.jspecify.annotations.NullMarked;
