/**
 * The MPI backend: operations on MPI's non-blocking collectives where MPI's meaning is ours and the
 * message is small or reduced by MPI, else on its point-to-point messages.
 *
 * <p>An operation's way: {@link dev.tutti.mpi.MpiCommunicator} queues it, {@code Executions}
 * decides between {@code Collective} and {@code Exchange}, and these call {@code MpiApi}, the one
 * seam to the library, under the lock of {@code MpiProcess}.
 */
@NullMarked
package dev.tutti.mpi;

import org.jspecify.annotations.NullMarked;
