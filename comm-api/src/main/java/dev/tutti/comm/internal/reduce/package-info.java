/**
 * The reduce kernels: how two regions of memory are combined, element by element, on the CPU.
 *
 * <p>{@link dev.tutti.comm.internal.reduce.ReduceKernels} is the door. Behind it are two engines
 * with the same results, the same whatever the memory (native, or an array of any type):
 *
 * <ul>
 *   <li>The <i>plain</i> engine is what every JVM has. Types of 32 and 64 bits are loops over
 *       native memory, which C2 unrolls but, up to JDK 25, does not vectorise: it cannot tell at
 *       run time whether two native segments overlap, and a float of a segment is to it an integer
 *       load and a bit cast. They keep up with main memory, not with the caches. 8-bit and 16-bit
 *       types would be too slow so; they go in blocks of a few KiB through a primitive array,
 *       because a loop over one array is vectorised without fail.
 *   <li>The <i>vector</i> engine uses {@code jdk.incubator.vector}, where the JVM runs with {@code
 *       --add-modules jdk.incubator.vector}: as fast as compiled C. Its loops are slow until C2 has
 *       compiled them, some 0.1 s for each operator and type.
 * </ul>
 */
@NullMarked
package dev.tutti.comm.internal.reduce;

import org.jspecify.annotations.NullMarked;
