/** The backend {@code local}: ranks in one process, as plain as can be; the reference. */
@NullMarked
package dev.tutti.comm.internal.local;

import org.jspecify.annotations.NullMarked;
