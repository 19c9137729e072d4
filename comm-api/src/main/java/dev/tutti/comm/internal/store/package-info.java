/** The stores through which ranks find each other: in memory, in a folder, over TCP. */
@NullMarked
package dev.tutti.comm.internal.store;

import org.jspecify.annotations.NullMarked;
