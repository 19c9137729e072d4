/** What the author of a backend implements and uses. */
@NullMarked
package dev.tutti.comm.spi;

import org.jspecify.annotations.NullMarked;
