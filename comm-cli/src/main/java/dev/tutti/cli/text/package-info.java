/** How the command writes for people and for programs. */
@NullMarked
package dev.tutti.cli.text;

import org.jspecify.annotations.NullMarked;
