/**
 * How a process learns its rank and finds the others: addresses, launchers' variables, job files.
 */
@NullMarked
package dev.tutti.comm.internal.rendezvous;

import org.jspecify.annotations.NullMarked;
