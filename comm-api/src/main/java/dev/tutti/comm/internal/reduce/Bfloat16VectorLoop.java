package dev.tutti.comm.internal.reduce;

import java.lang.constant.ConstantDescs;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The loop of BFLOAT16, two elements to a 32-bit lane: a template, of which each kernel runs a
 * copy. {@link Bfloat16Kernel} explains the rounding.
 */
final class Bfloat16VectorLoop implements NativeKernel.Loop {
  private static final VectorOperators.Binary OPERATOR;

  static {
    try {
      OPERATOR =
          MethodHandles.classData(
                  MethodHandles.lookup(), ConstantDescs.DEFAULT_NAME, VectorKernels.Lanes.class)
              .operator();
    } catch (IllegalAccessException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final VectorSpecies<Integer> WORDS = IntVector.SPECIES_PREFERRED;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final int UPPER = 0xffff0000;

  @Override
  public void combine(
      MemorySegment dst,
      long dstOffset,
      MemorySegment a,
      long aOffset,
      MemorySegment b,
      long bOffset,
      int bytes) {
    MemorySegment to = dst.asSlice(dstOffset, bytes);
    MemorySegment left = a.asSlice(aOffset, bytes);
    MemorySegment right = b.asSlice(bOffset, bytes);
    int step = WORDS.vectorByteSize();
    for (int i = 0; i < bytes; i += step) {
      IntVector x = IntVector.fromMemorySegment(WORDS, left, i, ORDER);
      IntVector y = IntVector.fromMemorySegment(WORDS, right, i, ORDER);
      FloatVector xLower = x.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
      FloatVector yLower = y.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
      FloatVector xUpper = x.and(UPPER).reinterpretAsFloats();
      FloatVector yUpper = y.and(UPPER).reinterpretAsFloats();
      IntVector lower = xLower.lanewise(OPERATOR, yLower).reinterpretAsInts();
      IntVector upper = xUpper.lanewise(OPERATOR, yUpper).reinterpretAsInts();
      lower = lower.add(lower.lanewise(VectorOperators.LSHR, 16).and(1)).add(0x7fff);
      upper = upper.add(upper.lanewise(VectorOperators.LSHR, 16).and(1)).add(0x7fff);
      lower.lanewise(VectorOperators.LSHR, 16).or(upper.and(UPPER)).intoMemorySegment(to, i, ORDER);
    }
  }
}
