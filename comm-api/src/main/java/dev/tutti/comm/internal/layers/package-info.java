/**
 * Decorators between a group and its backend, one concern each; {@link
 * dev.tutti.comm.internal.layers.Layers} stacks them.
 */
@NullMarked
package dev.tutti.comm.internal.layers;

import org.jspecify.annotations.NullMarked;
