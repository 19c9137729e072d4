/**
 * The reduce kernels: how two regions of memory are combined, element by element, on the CPU.
 *
 * <p>{@link dev.tutti.comm.internal.reduce.ReduceKernels} is the door. Behind it are two engines
 * with the same results:
 *
 * <ul>
 *   <li><i>Blocks</i> work everywhere: a few KiB of both operands are copied into one primitive
 *       array, a plain loop over the array combines them, and the result is copied out. The copies
 *       stay in the first-level cache, and a loop over one array is what C2 vectorises without
 *       fail. A loop over memory segments it does not: up to JDK 25 it cannot prove that two native
 *       segments do not overlap, and {@code MemorySegment.get(ValueLayout.OfFloat, …)} is an
 *       integer load and a bit cast, which it leaves scalar.
 *   <li><i>Vectors</i> use {@code jdk.incubator.vector} on native memory, where the JVM runs with
 *       {@code --add-modules jdk.incubator.vector}: one pass and no copies, as fast as compiled C.
 * </ul>
 */
@NullMarked
package dev.tutti.comm.internal.reduce;

import org.jspecify.annotations.NullMarked;
