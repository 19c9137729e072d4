/** The Java and the classes that this command runs on, with which it starts further processes. */
@NullMarked
package dev.tutti.cli.runtime;

import org.jspecify.annotations.NullMarked;
