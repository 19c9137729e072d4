/** Small programs that show how Tutti is used: each is one file, to be copied. */
@NullMarked
package dev.tutti.examples;

import org.jspecify.annotations.NullMarked;
