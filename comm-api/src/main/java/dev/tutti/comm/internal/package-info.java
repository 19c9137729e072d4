/**
 * What the user API is made of: the group's core, its queue, and who drives it. Not exported to
 * users.
 */
@NullMarked
package dev.tutti.comm.internal;

import org.jspecify.annotations.NullMarked;
