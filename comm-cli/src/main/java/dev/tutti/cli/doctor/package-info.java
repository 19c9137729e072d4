/**
 * What {@code tutti doctor} looks at: the machine, the Java runtime, the backends, the launcher.
 */
@NullMarked
package dev.tutti.cli.doctor;

import org.jspecify.annotations.NullMarked;
